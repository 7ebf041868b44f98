package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/bench/internal/measure"
)

// measureCoverage measures what it costs to know which lines tests execute, in real
// modules: the profile of a run, and the index.
func measureCoverage(ctx context.Context, b *bench) error {
	for _, name := range b.realModules(coverageModules, 1) {
		if err := measureCoverageOf(ctx, b, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Positions of the contenders.
const (
	bareTests = iota
	withoutProfile
	withProfile
	indexAgain
	indexFresh
)

func measureCoverageOf(ctx context.Context, b *bench, name string) error {
	// A run that takes longer than this is not acceptable for users who did not ask for
	// coverage.
	const mostProfile = 1.15
	// An index runs every test in a process of its own. If nothing has changed, it only finds
	// that out.
	const mostIndex, mostFresh = 10, 0.5
	w, _, _, err := b.newWork(ctx, name)
	if err != nil {
		return err
	}
	if err := measureFirstIndex(ctx, b, name, w.dir); err != nil {
		return err
	}
	if err := w.index(ctx); err != nil {
		return err
	}
	r, err := measure.Contest(ctx, b.turns,
		measure.Contender{Name: "go test -json", Command: goTest(w.dir, "./...")},
		measure.Contender{Name: "proctor run --no-cover", Command: b.proctor(w.dir, "run", "--no-cover")},
		measure.Contender{Name: "proctor run --cover", Command: b.proctor(w.dir, "run", "--cover")},
		measure.Contender{Name: "proctor covering index --force", Command: b.proctor(w.dir, "covering", "index", "--force")},
		measure.Contender{Name: "proctor covering index, nothing changed", Command: b.proctor(w.dir, "covering", "index")},
	)
	if err != nil {
		return err
	}
	b.addFigures(name, r)
	cell := func(i int) [columns]string {
		cells := onlyOurs("%.3g s", r.Median(i, measure.Wall))
		cells[bareColumn] = fmt.Sprintf("%.3g s", r.Median(bareTests, measure.Wall))
		return cells
	}
	b.atMost(name+": wall of a run with a profile to one without", r.Ratio(withProfile, withoutProfile, measure.Wall), mostProfile)
	b.addRow(name+": a run with a profile, wall", cell(withProfile))
	b.atMost(name+": wall of an index of everything to `go test -json`", r.Ratio(indexAgain, bareTests, measure.Wall), mostIndex)
	b.addRow(name+": an index of everything, wall", cell(indexAgain))
	b.atMost(name+": wall of an index where nothing changed to `go test -json`", r.Ratio(indexFresh, bareTests, measure.Wall), mostFresh)
	b.addRow(name+": an index where nothing changed, wall", cell(indexFresh))
	for _, c := range []int{withoutProfile, withProfile, indexAgain, indexFresh} {
		fmt.Fprintf(b.out, "%s: %s: wall %.2f× and CPU %.2f× of `go test -json ./...`\n", name, r.Names[c], r.Ratio(c, bareTests, measure.Wall), r.Ratio(c, bareTests, measure.CPU))
	}
	return nil
}

// measureFirstIndex measures the first index of a module beside the first `go test`, both in
// directories new to the build cache.
func measureFirstIndex(ctx context.Context, b *bench, name, source string) error {
	fresh := func() (string, error) {
		dir, err := os.MkdirTemp(filepath.Dir(source), "cold-*")
		if err != nil {
			return "", err
		}
		return dir, os.CopyFS(dir, os.DirFS(source))
	}
	var samples [2]measure.Sample
	for i := range samples {
		dir, err := fresh()
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		command := goTest(dir, "./...")
		if i == 1 {
			command = b.proctor(dir, "covering", "index")
		}
		if samples[i], err = measure.Run(ctx, command); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.out, "\n%s: the first index: wall %.1f s, %.2f× of the first `go test -json ./...`, CPU %.1f s, %.2f×\n", name,
		measure.Wall(samples[1]), measure.Wall(samples[1])/measure.Wall(samples[0]), measure.CPU(samples[1]), measure.CPU(samples[1])/measure.CPU(samples[0]))
	return nil
}
