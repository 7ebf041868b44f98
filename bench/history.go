package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/history/sqlite"
)

// historyTests is how many tests the generated history has; the number of its runs
// follows from the wanted number of results.
const historyTests = 10_000

// measureHistory measures how long queries of a large history take, and what recording costs
// a run.
func measureHistory(ctx context.Context, b *bench) error {
	const most = 100
	dir, err := b.filled(ctx)
	if err != nil {
		return err
	}
	test := historytest.FilledTest(0)
	for _, args := range [][]string{
		{"mcp", "context"}, {"history"}, {"history", "--recurring"}, {"history", "--flaky"}, {"history", "--slow"}, {"history", "--failure-rate"},
		{"history", test.Suite + "/" + test.Test}, {"why", test.Suite + "/" + test.Test}, {"runs"},
	} {
		r, err := measure.Contest(ctx, b.turns, measure.Contender{Name: "proctor " + args[0], Command: b.proctor(dir, args...)})
		if err != nil {
			return err
		}
		what := "proctor " + args[0]
		if len(args) > 1 && args[1][0] == '-' {
			what += " " + args[1]
		} else if len(args) > 1 {
			what += " TEST"
		}
		what = fmt.Sprintf("%s, of %.3g M results", what, float64(b.results)/1e6)
		b.within(what+", wall", 1e3*r.Median(0, measure.Wall), most, "ms")
		b.addRow(what, onlyOurs("%.0f ms", 1e3*r.Median(0, measure.Wall)))
		b.addFigures(what, r)
	}
	return measureRecording(ctx, b)
}

// filled returns a workspace with a history of the wanted size.
func (b *bench) filled(ctx context.Context) (string, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("history-%d", b.results))
	return dir, b.fill(ctx, dir, b.results, historytest.Language)
}

// fill gives a workspace a history of runs in a language, unless an earlier round did.
func (b *bench) fill(ctx context.Context, dir string, results int, language string) error {
	own := filepath.Join(dir, ".proctor")
	for _, sub := range []string{"runs", "sessions"} {
		if err := os.MkdirAll(filepath.Join(own, sub), 0o755); err != nil {
			return err
		}
	}
	path := filepath.Join(own, "history.db")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	began := time.Now()
	store, err := sqlite.Open(ctx, sqlite.Config{Path: path, Root: dir})
	if err != nil {
		return err
	}
	defer store.Close()
	scale := historytest.Scale{Tests: historyTests, Runs: max(results/historyTests, 1), Language: language, Finished: func(n int) {
		if n%1_000_000 == 0 {
			fmt.Fprintf(b.log, "%d M results after %s\n", n/1_000_000, time.Since(began).Round(time.Second))
		}
	}}
	if err := historytest.Fill(ctx, store, scale); err != nil {
		return err
	}
	if err := store.Close(); err != nil {
		return err
	}
	size, err := os.Stat(path)
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	fmt.Fprintf(b.log, "%d results in %.1f s: %.0f a second, %d MiB\n", results, seconds, float64(results)/seconds, size.Size()/mib)
	return nil
}

// measureRecording compares recorded runs with runs that cannot be recorded, because a
// directory stands where the database would be.
func measureRecording(ctx context.Context, b *bench) error {
	const most = 1.02
	with, err := b.writeModule("recorded", busyModule())
	if err != nil {
		return err
	}
	without, err := b.writeModule("unrecorded", busyModule())
	if err == nil {
		err = os.MkdirAll(filepath.Join(without, ".proctor", "history.db", "blocked"), 0o755)
	}
	if err != nil {
		return err
	}
	r, err := measure.Contest(ctx, 2*b.turns,
		measure.Contender{Name: "recorded", Command: b.proctor(with, "run")},
		measure.Contender{Name: "not recorded", Command: b.proctor(without, "run")},
	)
	if err != nil {
		return err
	}
	b.addFigures("a suite of 2 s", r)
	b.atMost("recording a suite of 2 s in an empty history: wall to the same run without one", r.Ratio(0, 1, measure.Wall), most)
	b.atMost("recording a suite of 2 s in an empty history: CPU to the same run without one", r.Ratio(0, 1, measure.CPU), most)
	return nil
}
