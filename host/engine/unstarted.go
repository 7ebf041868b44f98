package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// afterCancelListing bounds the listing behind a run that the user broke off: nobody
// waits for long who wants to leave.
const afterCancelListing = 5 * time.Second

// neverStarted names the tests that were selected and never began. It asks which
// tests exist only where some may be missing: a green run pays nothing for it.
func (f *Finisher) neverStarted(ctx context.Context, t *tally.Tally, exit sdk.Exit) {
	aborted, broken := f.askedWhole(t.Aborted()), t.SuitesThatEnded(sdk.SuiteBuildFailed)
	cut := wasCut(exit) || len(f.Run.Done) == 0
	// A red run may have stopped before suites that nobody heard of.
	all := f.everything() && f.ToolErr == nil && (cut || exit.Code != 0 || t.FailuresTotal > 0)
	if len(aborted) == 0 && len(broken) == 0 && !all {
		f.Run.fold.CutOff(false)
		if exit.Cancelled {
			f.Run.fold.Interrupted(func(string) bool { return false })
		}
		return
	}
	selection, limit := f.selection, project.ListDeadline
	if !all {
		selection.Suites = slices.Concat(aborted, broken)
	}
	if exit.Cancelled {
		limit = afterCancelListing
	}
	inv, ok := f.Host.Inventory(ctx, f.Project, sdk.ListRequest{
		Selection: selection, RunnerArgs: f.RunnerArgs, Selected: true,
	}, limit)
	complete := ok && inv.Complete
	if (cut || len(aborted) > 0) && !complete && f.Project.ID.List {
		t.Note("the tests that exist could not all be listed: some may never have started without being named")
	}
	for _, suite := range slices.Sorted(maps.Keys(inv.Tests)) {
		if f.mayLack(t, suite, aborted) {
			f.missing(t, suite, inv.Tests[suite], cut, !exit.Cancelled || t.EndedItself(suite))
		}
	}
	for _, suite := range broken {
		if tests, listed := inv.Tests[suite]; ok && listed {
			f.Run.fold.Lists(suite, tests)
		}
	}
	for _, suite := range aborted {
		if _, listed := inv.Tests[suite]; !ok || !listed {
			why := outstanding.WhyEarly
			if exit.Cancelled && !t.EndedItself(suite) {
				why = outstanding.WhyCut
			}
			f.Run.fold.TestsUnknown(suite, why)
		}
	}
	if exit.Cancelled {
		f.Run.fold.Interrupted(func(suite string) bool { return len(inv.Tests[suite]) > 0 })
		return
	}
	undone := t.Counts.NeverStarted+t.Counts.Unfinished > 0 || len(aborted) > 0
	named := undone && t.ReportedOn(selection)
	if all && cut && !complete && !named {
		f.Run.fold.RunUnknown(outstanding.WhyCut)
	}
	f.Run.fold.CutOff(named || undone && complete)
}

func wasCut(exit sdk.Exit) bool { return exit.Signal != "" || exit.TimedOut || exit.Cancelled }

// mayLack reports whether listed tests of a suite that have no result were meant
// to run: all of an aborted suite and of one nobody reported on. Of one that
// came to its end they were too, unless runner arguments left them out.
func (f *Finisher) mayLack(t *tally.Tally, suite string, aborted []string) bool {
	outcome, reported := t.Suites[suite]
	switch {
	case !reported || slices.Contains(aborted, suite):
		return true
	case outcome == sdk.SuiteBuildFailed, outcome == sdk.SuiteFailedOutsideTests:
		return false // outstanding as a whole
	case t.Fixtures[suite] == sdk.Skipped:
		return false // skipped as a whole
	}
	return f.everything() && len(f.RunnerArgs) == 0
}

// missing marks those listed tests of a suite that have no result. Of a runner that
// was cut off before it told anything it is not known that they never started. They
// are outstanding unless the user's interrupt is what kept them from starting.
func (f *Finisher) missing(t *tally.Tally, suite string, tests []string, cut, isOutstanding bool) {
	var why outstanding.Why
	if cut && t.IsUntold() {
		why = outstanding.WhyUntold
	}
	for _, name := range tests {
		if !f.Run.fold.Seen(suite, name) {
			test := api.Test{Suite: suite, Test: name}
			t.NeverStarted(test)
			// What is outstanding as a whole stands for its tests, as after a fixture
			// that failed.
			if isOutstanding && t.Fixtures[suite] != sdk.Failed && !f.Run.fold.IsRed(api.Test{Suite: suite}) {
				f.Run.fold.NeverStarted(test, why)
			}
		}
	}
}

// askedWhole leaves out the suites of which a rerun asked only for some tests:
// the others were not meant to start.
func (f *Finisher) askedWhole(suites []string) []string {
	if f.everything() {
		return suites
	}
	var whole []string
	for _, s := range suites {
		for _, t := range f.Sel.Targets {
			if t.Suite == s && t.Test.Test == "" {
				whole = append(whole, s)
			}
		}
	}
	return whole
}
