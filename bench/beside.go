package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/history/sqlite"
)

// besideTests is the number of tests in a run that is recorded beside a large history.
const besideTests = 30

// measureBeside measures what a small run costs in a workspace with a large history, and
// what removing most of the history costs.
func measureBeside(ctx context.Context, b *bench) error {
	const most = 1.1
	bin, err := writeEchoingGo(filepath.Join(b.dir, "echoing"))
	if err != nil {
		return err
	}
	sizes := []int{0, b.results, 3 * b.results}
	var contenders []measure.Contender
	for _, results := range sizes {
		dir, err := b.writeBesideModule(ctx, results)
		if err != nil {
			return err
		}
		run := b.proctor(dir, "run")
		run.Env = append(run.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
		contenders = append(contenders, measure.Contender{Name: "proctor, beside " + millions(results), Command: run})
	}
	r, err := measure.Contest(ctx, 4*b.turns, contenders...)
	if err != nil {
		return err
	}
	b.addFigures(fmt.Sprintf("run %d tests with a go command that only prints", besideTests), r)
	for i, results := range sizes[1:] {
		what := fmt.Sprintf("recording %d tests beside %s, to beside none: ", besideTests, millions(results))
		b.atMost(what+"CPU", r.Ratio(i+1, 0, measure.CPU), most)
		b.addRow(what+"CPU", onlyOurs("%.0f ms", 1e3*r.Median(i+1, measure.CPU)))
		b.atMost(what+"wall", r.Ratio(i+1, 0, measure.Wall), most)
	}
	for _, results := range sizes[1:] {
		if err := measurePruning(ctx, b, results); err != nil {
			return err
		}
	}
	return nil
}

func millions(results int) string { return fmt.Sprintf("%.3g M results", float64(results)/1e6) }

// writeBesideModule creates a module of small tests with a history of that many results.
func (b *bench) writeBesideModule(ctx context.Context, results int) (string, error) {
	name := fmt.Sprintf("beside-%d", results)
	dir := filepath.Join(b.dir, name)
	if _, err := os.Stat(filepath.Join(dir, ".proctor", "history.db")); errors.Is(err, fs.ErrNotExist) {
		var tests strings.Builder
		tests.WriteString("package small\n\nimport \"testing\"\n")
		for i := range besideTests {
			fmt.Fprintf(&tests, "\nfunc TestSmall%d(t *testing.T) {}\n", i)
		}
		_, err := b.writeModule(name, map[string]string{
			"small_test.go": tests.String(),
			".proctor.toml": "[history]\nruns = 1000000\ndays = 36500\nsize = \"1000GB\"\n",
		})
		if err != nil {
			return "", err
		}
	}
	if results == 0 {
		return dir, nil
	}
	return dir, b.fill(ctx, dir, results, "go")
}

// writeEchoingGo creates a go command that repeats what the real one printed when first
// called in the same way, so that only proctor's work is measured.
func writeEchoingGo(dir string) (string, error) {
	real, err := exec.LookPath("go")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	script := fmt.Sprintf(`#!/bin/sh
said="$0.$(printf '%%s\n' "$PWD" "$@" | cksum | tr ' ' -)"
[ -e "$said.exit" ] || { %q "$@" >"$said.out" 2>"$said.err"; echo $? >"$said.exit"; }
cat "$said.out"
cat "$said.err" >&2
read -r code <"$said.exit"
exit "$code"
`, real)
	return dir, os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755)
}

// measurePruning removes three quarters of a history while another process records.
func measurePruning(ctx context.Context, b *bench, results int) (err error) {
	const mostSeconds, mostWait = 20, 400
	dir, err := b.writeBesideModule(ctx, results)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, ".proctor", "history.db")
	full := filepath.Join(b.dir, "full.db")
	if err := copyFile(full, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Rename(full, path)) }() // for the next round
	store, err := sqlite.Open(ctx, sqlite.Config{Path: path, Root: dir})
	if err != nil {
		return err
	}
	defer store.Close()
	runs, err := store.Finished(ctx)
	if err != nil {
		return err
	}
	before, err := store.Size(ctx)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	var waits []time.Duration
	var recording error
	done := make(chan struct{})
	go func() {
		defer close(done)
		waits, recording = recordUntil(ctx, store, over)
	}()
	sample, pruned := measure.Run(ctx, b.proctor(dir, "runs", "prune", "--runs", fmt.Sprint(max(len(runs)/4, 1))))
	close(over)
	<-done
	if err := errors.Join(pruned, recording); err != nil {
		return err
	}
	after, err := store.Size(ctx)
	if err != nil {
		return err
	}
	what := "removing three quarters of " + millions(results)
	b.addFigures(what, measure.Result{Names: []string{"proctor runs prune"}, Samples: [][]measure.Sample{{sample}}})
	b.within(what+", wall", sample.Wall.Seconds(), mostSeconds, "s")
	b.addRow(what+", wall", onlyOurs("%.1f s", sample.Wall.Seconds()))
	b.within(what+": the longest wait of a process that records beside it", 1e3*slices.Max(waits).Seconds(), mostWait, "ms")
	fmt.Fprintf(b.log, "%s: %d MiB became %d; a process that recorded beside it waited %d times, median %s, at most %s\n",
		what, before/mib, after/mib, len(waits), slices.Sorted(slices.Values(waits))[len(waits)/2], slices.Max(waits))
	return nil
}

// recordUntil records small runs until over is closed, and returns how long each took to begin
// and to finish.
func recordUntil(ctx context.Context, store history.Store, over <-chan struct{}) (waits []time.Duration, err error) {
	for n := 0; ; n++ {
		run := historytest.FilledRun(n)
		run.ID, run.SessionID, run.Language, run.StartedAt = fmt.Sprintf("beside%d-%d", time.Now().UnixNano(), n), "beside", "go", time.Now()
		began := time.Now()
		recorder, err := store.Begin(ctx, run)
		if err != nil {
			return waits, err
		}
		waits = append(waits, time.Since(began))
		for i := range besideTests {
			recorder.Add(history.Result{TestID: historytest.FilledTest(i)})
		}
		run.State = "finished"
		began = time.Now()
		if err := recorder.Finish(ctx, run); err != nil {
			return waits, err
		}
		waits = append(waits, time.Since(began))
		select {
		case <-over:
			return waits, nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
