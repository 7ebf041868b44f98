package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// afterCancelListing bounds the listing after the user interrupted a run, and does not
// want to wait.
const afterCancelListing = 5 * time.Second

// nameNeverStarted names the tests that should have run but never began.
func (c *conclusion) nameNeverStarted(ctx context.Context) {
	if m := c.plan.merged; m != nil {
		m.addMissing(c.tally, c.first.fold)
		return
	}
	if c.plan.sparesOutstanding() {
		return
	}
	c.forgetRefused()
	c.listNeverStarted(ctx)
	if (c.plan.Run.Affected != nil || c.plan.Run.Shard != nil) && c.plan.Chosen != nil {
		c.nameUnstartedChoice()
	}
}

// forgetRefused removes from the fold the suites that were requested but do not exist or
// cannot be built at all: nothing of theirs could ever be outstanding.
func (x *execution) forgetRefused() {
	t := x.first.Col.Tally
	x.first.fold.Overrule(func(id sdk.TestID) bool {
		return id.Test == "" && t.Refused.Suites[id.Suite] && t.Suites[id.Suite] == sdk.SuiteBuildFailed
	})
}

// listNeverStarted asks which tests exist if some may be missing, and so never after a
// green run.
func (c *conclusion) listNeverStarted(ctx context.Context) {
	u := c.findUnstarted()
	if len(u.aborted) == 0 && len(u.broken) == 0 && !u.all {
		c.first.fold.MarkCutOff(false)
		if c.exit.Cancelled {
			c.first.fold.MarkInterrupted(func(string) bool { return false })
		}
		return
	}
	limit := project.ListDeadline
	if c.exit.Cancelled {
		limit = afterCancelListing
	}
	inv, ok := project.ReadInventory(ctx, c.keeper.Host, c.plan.Project, sdk.ListRequest{
		Selection: u.selection(), RunnerArgs: c.plan.runnerArgs(), Selected: true,
	}, limit)
	u.mark(inv, ok)
}

// unstarted are the tests of a run that may never have started.
type unstarted struct {
	*conclusion
	// aborted are the suites asked for as a whole that ended early, or whose end is unknown;
	// broken are those that were not built.
	aborted, broken []string
	// cut means that the runner did not end by itself, all that suites may be missing that it
	// never reported.
	cut, all bool
}

func (c *conclusion) findUnstarted() unstarted {
	t := c.tally
	u := unstarted{
		conclusion: c, aborted: c.plan.suitesAskedWhole(t.Aborted()), broken: t.SuitesThatEnded(sdk.SuiteBuildFailed),
		cut: wasCut(c.exit) || len(c.first.Done) == 0,
	}
	// A red run may have stopped before suites that it never reported.
	u.all = c.plan.isOfEverything() && c.err == nil && (u.cut || c.exit.Code != 0 || t.FailuresTotal > 0)
	return u
}

// selection returns what to list.
func (u unstarted) selection() sdk.Selection {
	s := u.plan.Selection
	if !u.all {
		s.Suites = slices.Concat(u.aborted, u.broken)
	}
	return s
}

// mark marks what did not start, by an inventory of the existing tests; ok is false if there
// is none.
func (u unstarted) mark(inv outstanding.Inventory, ok bool) {
	t, fold, cancelled := u.tally, u.first.fold, u.exit.Cancelled
	complete := ok && inv.Complete
	if (u.cut || len(u.aborted) > 0) && !complete && u.plan.Project.ID.List {
		t.Note("not all existing tests could be listed: some may never have started and are not named")
	}
	for _, suite := range slices.Sorted(maps.Keys(inv.Tests)) {
		if u.mayLackTests(suite) {
			u.markMissing(suite, inv.Tests[suite])
		}
	}
	fold.Knows.Sources = map[string][]string{}
	for _, suite := range u.broken {
		if tests, listed := inv.Tests[suite]; ok && listed {
			fold.Knows.Sources[suite] = tests
		}
	}
	for _, suite := range u.aborted {
		if _, listed := inv.Tests[suite]; !ok || !listed {
			why := outstanding.WhyEarly
			if u.isCutShort(suite) {
				why = outstanding.WhyCut
			}
			fold.MarkTestsUnknown(suite, why)
		}
	}
	if cancelled {
		fold.MarkInterrupted(func(suite string) bool { return len(inv.Tests[suite]) > 0 })
		return
	}
	undone := t.Counts.NeverStarted+t.Counts.Unfinished > 0 || len(u.aborted) > 0
	named := undone && t.ReportedOn(u.selection())
	if u.all && u.cut && !complete && !named {
		fold.MarkRunUnknown(outstanding.WhyCut)
	}
	fold.MarkCutOff(named || undone && complete)
}

// mayLackTests reports whether listed tests of a suite that have no result were meant to
// run. In a suite that was aborted or not reported they were; in one that ended, unless
// runner arguments may have left them out.
func (u unstarted) mayLackTests(suite string) bool {
	outcome, reported := u.tally.Suites[suite]
	switch {
	case !reported || slices.Contains(u.aborted, suite):
		return true
	case outcome == sdk.SuiteBuildFailed, outcome == sdk.SuiteFailedOutsideTests:
		return false // outstanding as a whole
	case u.tally.Fixtures[suite] == sdk.Skipped:
		return false // skipped as a whole
	}
	return u.plan.isOfEverything() && len(u.plan.runnerArgs()) == 0
}

// isCutShort reports whether the user's interrupt is why tests of a suite did not start.
func (u unstarted) isCutShort(suite string) bool {
	return u.exit.Cancelled && !u.tally.EndedItself(suite)
}

// markMissing marks the listed tests of a suite that have no result as never started; if
// the runner was stopped before it reported anything, even that is unknown. What the user
// cut short is not outstanding, nor is what a suite that is outstanding as a whole stands
// for, as after a failed fixture.
func (u unstarted) markMissing(suite string, tests []string) {
	t, fold := u.tally, u.first.fold
	var why outstanding.Why
	if u.cut && t.IsUntold() {
		why = outstanding.WhyUntold
	}
	for _, name := range tests {
		if fold.HasResult(suite, name) {
			continue
		}
		test := sdk.TestID{Suite: suite, Test: name}
		t.AddNeverStarted(test)
		if !u.isCutShort(suite) && t.Fixtures[suite] != sdk.Failed && !fold.IsRed(sdk.TestID{Suite: suite}) {
			fold.AddNeverStarted(test, why)
		}
	}
}

// nameUnstartedChoice marks the chosen tests that did not start although their suites
// ended, and the chosen suites that were not reported: leaving them out is no pass.
func (x *execution) nameUnstartedChoice() {
	for _, r := range outstanding.Judge(x.first.fold).Requested {
		test := r.TestID
		end, reported := x.first.Col.Tally.Suites[r.Suite]
		if r.Outcome != api.OutcomeDidNotRun || reported && (r.Test == "" || end == sdk.SuiteBuildFailed) {
			continue
		}
		x.first.Col.Tally.AddNeverStarted(test)
		x.first.fold.AddNeverStarted(test, "")
	}
}

// suitesAskedWhole drops the suites that only some tests were chosen of: their other tests
// are not meant to start.
func (p *Plan) suitesAskedWhole(suites []string) []string {
	if p.isOfEverything() {
		return suites
	}
	var whole []string
	for _, s := range suites {
		for _, t := range p.Chosen.Targets {
			if t.Suite == s && t.Test == "" {
				whole = append(whole, s)
			}
		}
	}
	return whole
}
