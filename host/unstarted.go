package host

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// neverStarted names the tests that were selected and never began. It asks which
// tests exist only where some may be missing: a green run pays nothing for it.
func (f *finisher) neverStarted(ctx context.Context, t *tally, exit sdk.Exit) {
	aborted, broken := f.askedWhole(t.aborted()), t.broken()
	cut := exit.Signal != "" || exit.TimedOut || exit.Cancelled || len(f.run.done) == 0
	// A red run may have stopped before suites that nobody heard of.
	all := f.everything() && f.toolErr == nil && (cut || exit.Code != 0 || t.failuresTotal > 0)
	if len(aborted) == 0 && len(broken) == 0 && !all {
		return
	}
	selection := f.selection
	if !all {
		selection.Suites = slices.Concat(aborted, broken)
	}
	inv, ok := f.host.inventory(ctx, f.project, sdk.ListRequest{
		Selection: selection, RunnerArgs: f.runnerArgs, Selected: true,
	}, listDeadline)
	if all && cut && !(ok && inv.Complete) {
		f.run.fold.RunUnknown()
	}
	if (cut || len(aborted) > 0) && !(ok && inv.Complete) && f.project.id.List {
		t.note("the tests that exist could not all be listed: some may never have started without being named")
	}
	for _, suite := range sortedKeys(inv.Tests) {
		if f.mayLack(t, suite, aborted) {
			f.missing(t, suite, inv.Tests[suite])
		}
	}
	for _, suite := range broken {
		if tests, listed := inv.Tests[suite]; ok && listed {
			f.run.fold.Lists(suite, tests)
		}
	}
	for _, suite := range aborted {
		if _, listed := inv.Tests[suite]; !ok || !listed {
			f.run.fold.TestsUnknown(suite)
		}
	}
}

// mayLack tells whether listed tests of a suite that have no result were meant
// to run: all of an aborted suite and of one nobody reported on. Of one that
// came to its end they were too, unless runner arguments left them out.
func (f *finisher) mayLack(t *tally, suite string, aborted []string) bool {
	outcome, reported := t.suites[suite]
	switch {
	case !reported || slices.Contains(aborted, suite):
		return true
	case outcome == sdk.SuiteBuildFailed, outcome == sdk.SuiteFailedOutsideTests:
		return false // outstanding as a whole
	case t.fixtures[suite] == sdk.Skipped:
		return false // skipped as a whole
	}
	return f.everything() && len(f.runnerArgs) == 0
}

// missing marks those listed tests of a suite that have no result.
func (f *finisher) missing(t *tally, suite string, tests []string) {
	for _, name := range tests {
		if !f.run.fold.Seen(suite, name) {
			test := record.Test{Suite: suite, Test: name}
			t.neverStarted(test)
			// After a failed fixture the suite is outstanding as a whole.
			if t.fixtures[suite] != sdk.Failed {
				f.run.fold.NeverStarted(test)
			}
		}
	}
}

// askedWhole leaves out the suites of which a rerun asked only for some tests:
// the others were not meant to start.
func (f *finisher) askedWhole(suites []string) []string {
	if f.everything() {
		return suites
	}
	var whole []string
	for _, s := range suites {
		for _, t := range f.sel.Targets {
			if t.Suite == s && t.Test.Test == "" {
				whole = append(whole, s)
			}
		}
	}
	return whole
}
