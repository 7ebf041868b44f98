package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/measure"
	"github.com/proctorhq/proctor/bench/internal/outcome"
)

// trial is a series of edits.
type trial struct {
	work
	base     outcome.Suites
	unstable map[outcome.Test]bool
	random   *rand.Rand

	edits, effective, broken, everything, misses, green int
	shares                                              []float64
	// full and selected are how long all runs took. Whichever of an edit's two goes first
	// compiles for both, so the ratios of single edits say nothing.
	full, selected time.Duration
}

// tryEdit makes one edit, compares, and reverts it.
func (t *trial) tryEdit(ctx context.Context) error {
	module, err := edit.Open(t.dir)
	if err != nil {
		return err
	}
	what, err := module.Random(t.random)
	if err != nil {
		return err
	}
	// Warm the build cache for both; each in turn goes first and compiles what remains.
	warm := exec.CommandContext(ctx, "go", "vet", "./...")
	warm.Dir = t.dir
	_ = warm.Run()
	var now outcome.Suites
	var full, took time.Duration
	var run affectedRun
	bare := func() (err error) {
		now, full, err = outcome.Of(ctx, t.dir)
		return err
	}
	chosen := func() (err error) {
		run, took, err = t.runAffected(ctx)
		return err
	}
	turns := []func() error{bare, chosen}
	if t.edits%2 == 1 {
		slices.Reverse(turns)
	}
	for _, turn := range turns {
		if err := turn(); err != nil {
			return err
		}
	}
	if err := now.Complete(ctx, t.dir, t.base); err != nil {
		return err
	}
	if err := t.judge(ctx, what, now, run); err != nil {
		return err
	}
	t.shares = append(t.shares, run.share(now))
	t.full, t.selected = t.full+full, t.selected+took
	return t.restore(ctx)
}

// runAffected has proctor run what the edit can break.
func (t *trial) runAffected(ctx context.Context) (run affectedRun, took time.Duration, err error) {
	command := t.proctor(t.dir, "run", "--affected", "--json")
	command.Exits = []int{0, 1, 3, 4, 6}
	began := time.Now()
	out, err := measure.Output(ctx, command)
	took = time.Since(began)
	if err != nil {
		return run, took, err
	}
	if err := json.Unmarshal(out, &run); err != nil {
		return run, took, fmt.Errorf("%w: %.500s", err, out)
	}
	return run, took, nil
}

// judge compares what ran with the tests whose outcome changed.
func (t *trial) judge(ctx context.Context, what string, now outcome.Suites, run affectedRun) error {
	tests, broken := now.Changed(t.base, t.unstable)
	var missed []string
	red := len(broken) > 0
	for _, test := range tests {
		red = red || now[test.Suite].Tests[test.Name] == outcome.Failed
		if !run.has(test) {
			missed = append(missed, fmt.Sprintf("%s %s: %s, was %s", test.Suite, test.Name, now[test.Suite].Tests[test.Name], t.base[test.Suite].Tests[test.Name]))
		}
	}
	for _, suite := range broken {
		if !run.builds(suite) {
			missed = append(missed, suite+" is not built")
		}
	}
	t.edits++
	if len(tests)+len(broken) > 0 {
		t.effective++
	}
	if len(broken) > 0 {
		t.broken++
	}
	if run.Affected.Everything != "" {
		t.everything++
	}
	if red && (run.Verdict == "passed" || run.Verdict == "nothing_ran") {
		t.green++
		missed = append(missed, "the verdict is "+run.Verdict)
	}
	fmt.Fprintf(t.log, "%d: %s: %d ended differently, %d not built, %d%% run, %s\n", t.edits, what, len(tests), len(broken), int(100*run.share(now)), run.Verdict)
	if len(missed) > 0 {
		t.misses++
		diff, _ := exec.CommandContext(ctx, "git", "-C", t.dir, "diff").Output()
		fmt.Fprintf(t.log, "MISSED\n%s\nafter\n%.4000s\n", strings.Join(missed, "\n"), diff)
	}
	return nil
}

// report adds the goals and prints what was found.
func (t *trial) report(module string) {
	fmt.Fprintf(t.out, "\n| random edits of %s | |\n|---|---|\n", module)
	for _, row := range []struct {
		what string
		got  any
	}{
		{"edits", t.edits}, {"after which tests ended differently, or something was not built", t.effective}, {"after which something was not built", t.broken},
		{"after which a changed outcome was not run", t.misses}, {"after which a red module passed", t.green}, {"for which everything was chosen", t.everything},
		{"share of the tests that ran, median", fmt.Sprintf("%.0f %%", 100*median(t.shares))}, {"wall time to `go test -json ./...`, in all", fmt.Sprintf("%.2f×", t.selected.Seconds()/t.full.Seconds())},
	} {
		fmt.Fprintf(t.out, "| %s | %v |\n", row.what, row.got)
	}
	t.goals = append(t.goals, goal{what: "run --affected, " + module + ": edits with a missed outcome", want: "0", got: fmt.Sprintf("%d of %d", t.misses, t.edits), reached: t.misses == 0})
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}
