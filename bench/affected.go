package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// coverageModules are real modules: one with a few hundred tests in one package on
// which everything depends, and one with 25 packages.
const coverageModules = "github.com/spf13/cobra@v1.10.2,github.com/hashicorp/hcl/v2@v2.25.0"

// affectedModules are real modules of different shapes, from one package to fifty: those of the
// shards that take minutes at most, and whose tests compile, and four more.
const affectedModules = "github.com/hashicorp/hcl/v2@v2.25.0,github.com/go-chi/chi/v5@v5.2.3,go.uber.org/zap@v1.27.0,github.com/pelletier/go-toml/v2@v2.2.4," +
	"github.com/zclconf/go-cty@v1.17.0,golang.org/x/crypto@v0.43.0,golang.org/x/net@v0.46.0,github.com/prometheus/common@v0.74.0," +
	"golang.org/x/text@v0.30.0,github.com/spf13/cobra@v1.10.2,github.com/stretchr/testify@v1.12.1,github.com/spf13/viper@v1.21.0"

// mostAffected is how long `run --affected` may take after an edit of one line, of the time of a
// full run.
const mostAffected = 0.3

// measureAffected edits real modules at random, and compares what `proctor run
// --affected` runs with the tests whose outcome changed.
func measureAffected(ctx context.Context, b *bench) error {
	var medians []float64
	for _, name := range b.realModules(affectedModules, 1) {
		t, err := b.newTrial(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for n := range b.edits {
			if err := t.tryEdit(ctx); err != nil {
				return fmt.Errorf("edit %d of %s: %w", n+1, name, err)
			}
		}
		if m := t.report(name); m > 0 {
			medians = append(medians, m)
		}
	}
	if len(medians) > 0 {
		b.atMost(fmt.Sprintf("wall of run --affected after an edit of one line to `go test -json -count=1 ./...`, median of %d modules", len(medians)), measure.Median(medians), mostAffected)
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
