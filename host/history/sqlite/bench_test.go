package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/record"
)

// The benchmarks have a history of so many results: PROCTOR_BENCH_RESULTS, or a
// million. PROCTOR_BENCH_DB names a directory in which it is kept for the next
// time.
const (
	resultsVariable = "PROCTOR_BENCH_RESULTS"
	placeVariable   = "PROCTOR_BENCH_DB"
	benchTests      = 10_000
)

func benchRuns(b *testing.B) int {
	b.Helper()
	results := 1_000_000
	if text := os.Getenv(resultsVariable); text != "" {
		var err error
		if results, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	return max(results/benchTests, 1)
}

// benchStore returns the history, made once for all benchmarks of a process.
func benchStore(b *testing.B) history.Store {
	b.Helper()
	runs := benchRuns(b)
	dir := os.Getenv(placeVariable)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "proctor-bench-"+strconv.Itoa(os.Getpid()))
	}
	dir = filepath.Join(dir, strconv.Itoa(runs))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	store, err := Open(context.Background(), Config{Path: filepath.Join(dir, "history.db"), Root: "/bench"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	have, err := store.Runs(context.Background(), history.RunFilter{State: record.StateFinished})
	if err != nil {
		b.Fatal(err)
	}
	if len(have) == runs {
		return store
	}
	start := time.Now()
	err = historytest.Fill(context.Background(), store, historytest.Scale{Tests: benchTests, Runs: runs, Finished: func(n int) {
		if n%(benchTests*100) == 0 {
			b.Logf("%d results: %v", n, time.Since(start))
		}
	}})
	if err != nil {
		b.Fatal(err)
	}
	size, err := store.Size(context.Background())
	b.Logf("%d results: %v, %d MB, %v", benchTests*runs, time.Since(start), size>>20, err)
	return store
}

func filledTests(from, to int) []record.Test {
	var tests []record.Test
	for i := from; i < to; i++ {
		tests = append(tests, historytest.FilledTest(i))
	}
	return tests
}

func BenchmarkQueries(b *testing.B) {
	store := benchStore(b)
	ctx := b.Context()
	runs, err := store.Runs(ctx, history.RunFilter{Limit: 2})
	if err != nil || len(runs) < 2 {
		b.Fatal(runs, err)
	}
	now, before := runs[0].ID, runs[1].ID
	timeline := func(f history.TimelineFilter) (n int, err error) {
		f.Language = historytest.Language
		err = store.Timeline(ctx, f, func(t history.Timeline) bool { n += len(t.Points); return true })
		return n, err
	}
	for _, q := range []struct {
		name string
		ask  func() (int, error)
	}{
		{"SuspectsAll", func() (int, error) {
			t, err := store.Suspects(ctx, history.SuspectFilter{Language: historytest.Language})
			return len(t), err
		}},
		{"SuspectsRecurring50Runs", func() (int, error) {
			t, err := store.Suspects(ctx, history.SuspectFilter{Language: historytest.Language, Sessions: 3, Runs: 50, Limit: 20})
			return len(t), err
		}},
		{"SuspectsRecurringAll", func() (int, error) {
			t, err := store.Suspects(ctx, history.SuspectFilter{Language: historytest.Language, Sessions: 3})
			return len(t), err
		}},
		{"SuspectsFlakyAll", func() (int, error) {
			t, err := store.Suspects(ctx, history.SuspectFilter{Language: historytest.Language, Both: true})
			return len(t), err
		}},
		{"TimelineOne200", func() (int, error) { return timeline(history.TimelineFilter{Tests: filledTests(5000, 5001)}) }},
		{"TimelineOneAll", func() (int, error) {
			return timeline(history.TimelineFilter{Tests: filledTests(5000, 5001), Points: 1 << 20})
		}},
		{"Timeline50x200", func() (int, error) { return timeline(history.TimelineFilter{Tests: filledTests(0, 50)}) }},
		{"Timeline50xAll", func() (int, error) {
			return timeline(history.TimelineFilter{Tests: filledTests(0, 50), Points: 1 << 20})
		}},
		{"Compare", func() (n int, err error) {
			err = store.Compare(ctx, before, now, func(history.Change) bool { n++; return true })
			return n, err
		}},
		{"Runs20", func() (int, error) {
			r, err := store.Runs(ctx, history.RunFilter{Limit: 20})
			return len(r), err
		}},
		{"RunsAll", func() (int, error) {
			r, err := store.Runs(ctx, history.RunFilter{})
			return len(r), err
		}},
		{"Run", func() (int, error) {
			_, err := store.Run(ctx, now)
			return 1, err
		}},
		{"Files", func() (int, error) {
			f, err := store.Files(ctx, now)
			return len(f), err
		}},
		{"Results", func() (n int, err error) {
			err = store.Results(ctx, now, func(history.Result) bool { n++; return true })
			return n, err
		}},
		{"Durations20", func() (int, error) {
			d, err := store.Durations(ctx, history.DurationFilter{Language: historytest.Language, Limit: 20})
			return len(d), err
		}},
		{"TestsByName", func() (int, error) {
			t, err := store.Tests(ctx, history.TestFilter{Name: "TestTheBehaviourNumber000042"})
			return len(t), err
		}},
		{"Suites", func() (int, error) {
			t, err := store.Suites(ctx, historytest.Language, "package001/no_test.go")
			return len(t), err
		}},
	} {
		b.Run(q.name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				var err error
				if n, err = q.ask(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n), "rows")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	cfg := Config{Path: filepath.Join(b.TempDir(), "history.db"), Root: "/bench"}
	for b.Loop() {
		store, err := Open(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		store.Close()
	}
}

// BenchmarkRecord records runs of 10,000 tests that are known.
func BenchmarkRecord(b *testing.B) {
	store, err := Open(b.Context(), Config{Path: filepath.Join(b.TempDir(), "history.db"), Root: "/bench"})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	n := 0
	for b.Loop() {
		if err := fillMore(b.Context(), store, n); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)*benchTests/b.Elapsed().Seconds(), "results/s")
}

func fillMore(ctx context.Context, store history.Store, n int) error {
	run := historytest.FilledRun(n)
	recorder, err := store.Begin(ctx, run)
	if err != nil {
		return err
	}
	for i := range benchTests {
		recorder.Add(history.Result{Test: historytest.FilledTest(i), File: "a_test.go", Line: i, Duration: time.Duration(i) * 1000})
	}
	run.State = record.StateFinished
	return recorder.Finish(ctx, run)
}
