package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// coverageModules are real modules: one with a few hundred tests in one package on
// which everything depends, and one with 25 packages.
const coverageModules = "github.com/spf13/cobra@v1.10.2,github.com/hashicorp/hcl/v2@v2.25.0"

// measureAffected edits real modules at random, and compares what `proctor run
// --affected` runs with the tests whose outcome changed.
func measureAffected(ctx context.Context, b *bench) error {
	for _, name := range b.realModules(coverageModules, 1) {
		w, err := b.newWork(ctx, name)
		if err != nil {
			return err
		}
		if err := w.index(ctx); err != nil {
			return err
		}
		unstable, base, err := w.runTwice(ctx)
		if err != nil {
			return err
		}
		t := trial{work: w, base: base, unstable: unstable, random: rand.New(rand.NewPCG(b.seed, 1))}
		for n := range b.edits {
			if err := t.tryEdit(ctx); err != nil {
				return fmt.Errorf("edit %d of %s: %w", n+1, name, err)
			}
		}
		t.report(name)
	}
	return nil
}

// affectedRun is what is read of a Run object.
type affectedRun struct {
	Verdict  string
	Affected struct {
		Chosen     []struct{ Suite, Test string }
		BuildOnly  []string `json:"build_only"`
		Everything string
	}
}

// has reports whether a test was chosen to run, and builds whether a suite was chosen to be
// built.
func (r affectedRun) has(t outcome.Test) bool {
	for _, c := range r.Affected.Chosen {
		if c.Suite == t.Suite && (c.Test == "" || c.Test == t.Name) {
			return true
		}
	}
	return r.Affected.Everything != ""
}

func (r affectedRun) builds(suite string) bool {
	for _, c := range r.Affected.Chosen {
		if c.Suite == suite {
			return true
		}
	}
	return r.Affected.Everything != "" || slices.Contains(r.Affected.BuildOnly, suite)
}

// share returns the share of all tests that was chosen.
func (r affectedRun) share(all outcome.Suites) float64 {
	total, chosen := 0, 0
	for suite, s := range all {
		for name := range s.Tests {
			total++
			if r.has(outcome.Test{Suite: suite, Name: name}) {
				chosen++
			}
		}
	}
	if total == 0 {
		return 1
	}
	return float64(chosen) / float64(total)
}
