package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/sdk"
)

// The benchmarks use a history of PROCTOR_BENCH_RESULTS results, a million by default.
// PROCTOR_BENCH_DB names a directory that keeps it for the next time.
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

// mixes are the shares of tests that fail in nearly every run.
var mixes = []float64{0, 0.05, 0.5}

func mixName(bad float64) string { return fmt.Sprintf("bad=%g%%", bad*100) }

// benchStore returns the history with a share of bad tests, made once for all
// benchmarks of a process.
func benchStore(b *testing.B, bad float64) history.Store {
	b.Helper()
	runs := benchRuns(b)
	dir := os.Getenv(placeVariable)
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "proctor-bench-"+strconv.Itoa(os.Getpid()))
	}
	dir = filepath.Join(dir, fmt.Sprintf("%d-%g", runs, bad))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	store, err := Open(context.Background(), Config{Path: filepath.Join(dir, "history.db"), Root: "/bench"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	have, err := store.Runs(context.Background(), history.RunFilter{State: api.StateFinished})
	if err != nil {
		b.Fatal(err)
	}
	if len(have) == runs {
		return store
	}
	start := time.Now()
	err = historytest.Fill(context.Background(), store, historytest.Scale{Tests: benchTests, Runs: runs, Bad: bad, Finished: func(n int) {
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

func filledTests(from, to int) []sdk.TestID {
	var tests []sdk.TestID
	for i := from; i < to; i++ {
		tests = append(tests, historytest.FilledTest(i))
	}
	return tests
}

func BenchmarkQueries(b *testing.B) {
	for _, bad := range mixes {
		b.Run(mixName(bad), func(b *testing.B) { benchQueries(b, benchStore(b, bad)) })
	}
}

func benchQueries(b *testing.B, store history.Store) {
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
			d, _, err := store.Durations(ctx, history.DurationFilter{Language: historytest.Language, Limit: 20})
			return len(d), err
		}},
		{"DurationsAll", func() (int, error) {
			d, _, err := store.Durations(ctx, history.DurationFilter{Language: historytest.Language})
			return len(d), err
		}},
		{"TestsByName", func() (int, error) {
			t, err := store.Tests(ctx, history.TestFilter{Name: "TestTheBehaviorNumber000042"})
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

// BenchmarkRecord records runs of 10,000 known tests, and reports what the end of each costs,
// which waits for the disk.
func BenchmarkRecord(b *testing.B) {
	for _, bad := range mixes {
		b.Run(mixName(bad), func(b *testing.B) { benchRecord(b, bad) })
	}
}

func benchRecord(b *testing.B, bad float64) {
	store, err := Open(b.Context(), Config{Path: filepath.Join(b.TempDir(), "history.db"), Root: "/bench"})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	n, ends := 0, time.Duration(0)
	for b.Loop() {
		end, err := fillMore(b.Context(), store, n, int(bad*benchTests))
		if err != nil {
			b.Fatal(err)
		}
		ends += end
		n++
	}
	b.ReportMetric(float64(n)*benchTests/b.Elapsed().Seconds(), "results/s")
	b.ReportMetric(float64(ends.Microseconds())/float64(n)/1000, "ms/finish")
}

// fillMore records a run in which the first tests fail, and returns how long finishing it
// took.
func fillMore(ctx context.Context, store history.Store, n, bad int) (time.Duration, error) {
	run := historytest.FilledRun(n)
	recorder, err := store.Begin(ctx, run)
	if err != nil {
		return 0, err
	}
	for i := range benchTests {
		r := history.Result{TestID: historytest.FilledTest(i), File: "a_test.go", Line: i, Duration: time.Duration(i) * 1000}
		if i < bad {
			r.Outcome, r.Signature = history.Failed, "signature"
		}
		recorder.Add(r)
	}
	run.State = api.StateFinished
	start := time.Now()
	err = recorder.Finish(ctx, run)
	return time.Since(start), err
}

// BenchmarkRemove removes runs of 10,000 tests, the oldest first.
func BenchmarkRemove(b *testing.B) {
	for _, bad := range mixes {
		b.Run(mixName(bad), func(b *testing.B) { benchRemove(b, bad) })
	}
}

func benchRemove(b *testing.B, bad float64) {
	store, err := Open(b.Context(), Config{Path: filepath.Join(b.TempDir(), "history.db"), Root: "/bench"})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	const runs = 10
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		for len := 0; len < 1 || n == 0 && len < runs; len++ {
			if _, err := fillMore(b.Context(), store, n*runs+len, int(bad*benchTests)); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		if err := store.Remove(b.Context(), oldest(b, store, runs-1), nil); err != nil {
			b.Fatal(err)
		}
	}
}
