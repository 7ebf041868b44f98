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
	if c.plan.merged != nil {
		merging{c}.addMissing()
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
	t, exit := c.tally, c.exit
	aborted, broken := c.plan.suitesAskedWhole(t.Aborted()), t.SuitesThatEnded(sdk.SuiteBuildFailed)
	cut := wasCut(exit) || len(c.first.Done) == 0
	// A red run may have stopped before suites that it never reported.
	all := c.plan.isOfEverything() && c.err == nil && (cut || exit.Code != 0 || t.FailuresTotal > 0)
	if len(aborted) == 0 && len(broken) == 0 && !all {
		c.first.fold.MarkCutOff(false)
		if exit.Cancelled {
			c.first.fold.MarkInterrupted(func(string) bool { return false })
		}
		return
	}
	selection, limit := c.plan.Selection, project.ListDeadline
	if !all {
		selection.Suites = slices.Concat(aborted, broken)
	}
	if exit.Cancelled {
		limit = afterCancelListing
	}
	inv, ok := project.ReadInventory(ctx, c.host.Host, c.plan.Project, sdk.ListRequest{
		Selection: selection, RunnerArgs: c.plan.runnerArgs(), Selected: true,
	}, limit)
	complete := ok && inv.Complete
	if (cut || len(aborted) > 0) && !complete && c.plan.Project.ID.List {
		t.Note("not all existing tests could be listed: some may never have started and are not named")
	}
	for _, suite := range slices.Sorted(maps.Keys(inv.Tests)) {
		if c.mayLackTests(suite, aborted) {
			c.markMissing(suite, inv.Tests[suite], cut, !exit.Cancelled || t.EndedItself(suite))
		}
	}
	c.first.fold.Knows.Sources = map[string][]string{}
	for _, suite := range broken {
		if tests, listed := inv.Tests[suite]; ok && listed {
			c.first.fold.Knows.Sources[suite] = tests
		}
	}
	for _, suite := range aborted {
		if _, listed := inv.Tests[suite]; !ok || !listed {
			why := outstanding.WhyEarly
			if exit.Cancelled && !t.EndedItself(suite) {
				why = outstanding.WhyCut
			}
			c.first.fold.MarkTestsUnknown(suite, why)
		}
	}
	if exit.Cancelled {
		c.first.fold.MarkInterrupted(func(suite string) bool { return len(inv.Tests[suite]) > 0 })
		return
	}
	undone := t.Counts.NeverStarted+t.Counts.Unfinished > 0 || len(aborted) > 0
	named := undone && t.ReportedOn(selection)
	if all && cut && !complete && !named {
		c.first.fold.MarkRunUnknown(outstanding.WhyCut)
	}
	c.first.fold.MarkCutOff(named || undone && complete)
}

// mayLackTests reports whether listed tests of a suite that have no result were meant to
// run. In a suite that was aborted or not reported they were; in one that ended, unless
// runner arguments may have left them out.
func (c *conclusion) mayLackTests(suite string, aborted []string) bool {
	outcome, reported := c.tally.Suites[suite]
	switch {
	case !reported || slices.Contains(aborted, suite):
		return true
	case outcome == sdk.SuiteBuildFailed, outcome == sdk.SuiteFailedOutsideTests:
		return false // outstanding as a whole
	case c.tally.Fixtures[suite] == sdk.Skipped:
		return false // skipped as a whole
	}
	return c.plan.isOfEverything() && len(c.plan.runnerArgs()) == 0
}

// markMissing marks the listed tests of a suite that have no result as never started; if
// the runner was stopped before it reported anything, even that is unknown.
func (c *conclusion) markMissing(suite string, tests []string, cut, isOutstanding bool) {
	t := c.tally
	var why outstanding.Why
	if cut && t.IsUntold() {
		why = outstanding.WhyUntold
	}
	for _, name := range tests {
		if !c.first.fold.HasResult(suite, name) {
			test := sdk.TestID{Suite: suite, Test: name}
			t.AddNeverStarted(test)
			// A suite that is outstanding as a whole stands for its tests, as after a
			// failed fixture.
			if isOutstanding && t.Fixtures[suite] != sdk.Failed && !c.first.fold.IsRed(sdk.TestID{Suite: suite}) {
				c.first.fold.AddNeverStarted(test, why)
			}
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
