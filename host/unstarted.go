package host

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// afterCancelListing bounds the listing behind a run that the user broke off: nobody
// waits for long who wants to leave.
const afterCancelListing = 5 * time.Second

// neverStarted names the tests that were selected and never began. It asks which
// tests exist only where some may be missing: a green run pays nothing for it.
func (f *finisher) neverStarted(ctx context.Context, t *tally, exit sdk.Exit) {
	aborted, broken := f.askedWhole(t.aborted()), t.broken()
	cut := wasCut(exit) || len(f.run.done) == 0
	// A red run may have stopped before suites that nobody heard of.
	all := f.everything() && f.toolErr == nil && (cut || exit.Code != 0 || t.failuresTotal > 0)
	if len(aborted) == 0 && len(broken) == 0 && !all {
		f.run.fold.CutOff(false)
		if exit.Cancelled {
			f.run.fold.Interrupted(func(string) bool { return false })
		}
		return
	}
	selection, limit := f.selection, listDeadline
	if !all {
		selection.Suites = slices.Concat(aborted, broken)
	}
	if exit.Cancelled {
		limit = afterCancelListing
	}
	inv, ok := f.host.inventory(ctx, f.project, sdk.ListRequest{
		Selection: selection, RunnerArgs: f.runnerArgs, Selected: true,
	}, limit)
	complete := ok && inv.Complete
	if (cut || len(aborted) > 0) && !complete && f.project.id.List {
		t.note("the tests that exist could not all be listed: some may never have started without being named")
	}
	for _, suite := range slices.Sorted(maps.Keys(inv.Tests)) {
		if f.mayLack(t, suite, aborted) {
			f.missing(t, suite, inv.Tests[suite], cut, !exit.Cancelled || t.endedItself(suite))
		}
	}
	for _, suite := range broken {
		if tests, listed := inv.Tests[suite]; ok && listed {
			f.run.fold.Lists(suite, tests)
		}
	}
	for _, suite := range aborted {
		if _, listed := inv.Tests[suite]; !ok || !listed {
			why := rerun.WhyEarly
			if exit.Cancelled && !t.endedItself(suite) {
				why = rerun.WhyCut
			}
			f.run.fold.TestsUnknown(suite, why)
		}
	}
	if exit.Cancelled {
		f.run.fold.Interrupted(func(suite string) bool { return len(inv.Tests[suite]) > 0 })
		return
	}
	undone := t.counts.NeverStarted+t.counts.Unfinished > 0 || len(aborted) > 0
	named := undone && t.reportedOn(selection)
	if all && cut && !complete && !named {
		f.run.fold.RunUnknown(rerun.WhyCut)
	}
	f.run.fold.CutOff(named || undone && complete)
}

func wasCut(exit sdk.Exit) bool { return exit.Signal != "" || exit.TimedOut || exit.Cancelled }

// reportedOn tells whether each of the suites that were selected by their names was
// heard of, so that no other can have been left undone.
func (t *tally) reportedOn(s sdk.Selection) bool {
	for _, suite := range s.Suites {
		if _, ok := t.suites[suite]; !ok {
			return false
		}
	}
	return len(s.Suites) > 0
}

// isUntold tells whether nothing at all was told of any suite or test.
func (t *tally) isUntold() bool {
	c := t.counts
	return len(t.suites) == 0 && c.Passed+c.Failed+c.Skipped+c.Unfinished == 0
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

// endedItself reports whether a suite of an interrupted run ended early by itself,
// not by the interrupt, which ends processes by a signal.
func (t *tally) endedItself(suite string) bool {
	return t.suites[suite] == sdk.SuiteAborted && !t.signalled[suite]
}

// missing marks those listed tests of a suite that have no result. Of a runner that
// was cut off before it told anything it is not known that they never started. They
// are outstanding unless the user's interrupt is what kept them from starting.
func (f *finisher) missing(t *tally, suite string, tests []string, cut, outstanding bool) {
	var why rerun.Why
	if cut && t.isUntold() {
		why = rerun.WhyUntold
	}
	for _, name := range tests {
		if !f.run.fold.Seen(suite, name) {
			test := record.Test{Suite: suite, Test: name}
			t.neverStarted(test)
			// What is outstanding as a whole stands for its tests, as after a fixture
			// that failed.
			if outstanding && t.fixtures[suite] != sdk.Failed && !f.run.fold.IsRed(record.Test{Suite: suite}) {
				f.run.fold.NeverStarted(test, why)
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
