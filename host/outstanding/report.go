package outstanding

import (
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// AfterReport returns what is outstanding after a run that is known only from a report:
// its object, and a record with its results and failures. Failures in quarantine, and
// flaky tests of a run that passed, are left out. args stands for the runner's arguments.
func AfterReport(before Set, run api.Run, record api.Record, args string) (Set, error) {
	f := NewFold(run.RunID, before, reportScope(run, args))
	ends := reportedEnds{}
	if err := addRecord(f, record, excusedIn(run), ends); err != nil {
		return before, err
	}
	for _, t := range run.Unfinished {
		ends.add(t.Suite, sdk.SuiteAborted)
		if !f.IsRed(t) && t.Test != "" {
			f.addRed(Entry{TestID: t, Reason: ReasonUnfinished})
		}
	}
	addUnstarted(f, run, ends)
	for _, suite := range slices.Sorted(maps.Keys(ends)) {
		f.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: suite, Outcome: ends[suite]}})
	}
	if run.Verdict == api.Passed {
		flaky := map[sdk.TestID]bool{}
		for _, t := range run.Retried {
			flaky[t.TestID] = t.Flaky
		}
		maps.DeleteFunc(flaky, func(_ sdk.TestID, is bool) bool { return !is })
		f.CountAsPassed(flaky)
	}
	// Red without a name can be anything, so everything is outstanding.
	unnamed := run.OutstandingCounts.Runs > 0 || run.Verdict == api.ToolError || run.Counts.BuildFailed > ends.count(sdk.SuiteBuildFailed) ||
		!run.Cancelled && run.Counts.NeverStarted > len(run.NeverStarted)
	if unnamed || api.IsRed(run.Verdict) && !f.HasRed() || run.CaveatText(api.CaveatMisplaced) != "" {
		f.MarkRunUnknown(WhyRed(run))
	}
	f.cut = false
	return f.After(before, Partial), nil
}

// excusedIn returns the tests with failures of which each is in quarantine.
func excusedIn(run api.Run) map[sdk.TestID]bool {
	excused := map[sdk.TestID]bool{}
	for _, failure := range run.Failures {
		if failure.Quarantine != "" {
			excused[failure.TestID] = true
		}
	}
	for _, failure := range run.Failures { // another failure of the same test counts
		if failure.Quarantine == "" {
			delete(excused, failure.TestID)
		}
	}
	return excused
}

// addRecord adds the results and failures on record, and how their suites ended.
func addRecord(f *Fold, record api.Record, excused map[sdk.TestID]bool, ends reportedEnds) error {
	err := record.Results(func(r api.Result) bool {
		bad := r.Status == sdk.Failed || r.Status == sdk.Unfinished
		if bad && excused[r.TestID] {
			return true
		}
		switch {
		case r.Status == sdk.Unfinished:
			ends.add(r.Suite, sdk.SuiteAborted)
		case bad:
			ends.add(r.Suite, sdk.SuiteFailed)
		default:
			ends.add(r.Suite, sdk.SuitePassed)
		}
		f.Listen(&api.TestEnded{Result: r})
		return true
	})
	if err != nil {
		return err
	}
	return record.Failures(func(failure api.Failure) bool {
		if excused[failure.TestID] {
			return true
		}
		if failure.Test == "" && failure.Suite != "" {
			ends.add(failure.Suite, endOfFailed(failure.Kind))
		}
		for _, suite := range failure.Blocks {
			ends.add(suite, sdk.SuiteBuildFailed)
		}
		f.Listen(&api.FailureFound{Failure: failure})
		return true
	})
}

// reportScope returns what a run ran, as far as its report says.
func reportScope(run api.Run, args string) Scope {
	scope := Scope{Args: args, SomeTests: run.Selection.Narrows(), InsideTests: run.Kind == api.KindRerun}
	if run.Kind == api.KindRerun {
		scope.Tests = []Target{}
		for _, r := range run.Requested {
			scope.Tests = append(scope.Tests, Target{TestID: r.TestID})
		}
	}
	return scope
}

// addUnstarted adds the tests that should have run and did not, unless the user
// interrupted the run.
func addUnstarted(f *Fold, run api.Run, ends reportedEnds) {
	if run.Cancelled {
		return
	}
	for _, t := range run.NeverStarted {
		ends.add(t.Suite, sdk.SuiteAborted)
		if t.Test == "" || !f.IsRed(sdk.TestID{Suite: t.Suite}) {
			f.AddNeverStarted(t, "")
		}
	}
	for _, r := range run.Requested {
		if id := r.TestID; r.Outcome == api.OutcomeDidNotRun && r.Test != "" && run.Verdict != api.Passed && !f.IsRed(id) {
			f.AddNeverStarted(id, "")
		}
	}
}

// WhyRed returns why a run is red although nothing in it can be named; empty if unknown.
func WhyRed(run api.Run) Why {
	switch {
	case run.Verdict == api.ToolError:
		return WhyTool
	case run.Verdict == api.BuildFailed:
		return WhyUnbuilt
	case run.TimedOut || run.Cancelled || run.Signal != "":
		return WhyCut
	case run.CaveatText(api.CaveatMisplaced) != "":
		return WhyMisplaced
	}
	return ""
}

// reportedEnds are the ends of suites, as far as results and failures show them.
type reportedEnds map[string]sdk.SuiteOutcome

// add adds the end of a suite. Of several, the worst counts.
func (e reportedEnds) add(suite string, end sdk.SuiteOutcome) {
	order := []sdk.SuiteOutcome{0: sdk.SuitePassed, sdk.SuiteFailed, sdk.SuiteAborted, sdk.SuiteFailedOutsideTests, sdk.SuiteBuildFailed}
	if at, known := e[suite]; !known || slices.Index(order, end) > slices.Index(order, at) {
		e[suite] = end
	}
}

// count counts the suites with an end.
func (e reportedEnds) count(end sdk.SuiteOutcome) (n int) {
	for _, ended := range e {
		if ended == end {
			n++
		}
	}
	return n
}

// endOfFailed returns the end of a suite that failed although none of its tests did.
func endOfFailed(kind string) sdk.SuiteOutcome {
	switch whyOf(kind) {
	case WhyUnbuilt, WhySetup:
		return sdk.SuiteBuildFailed
	case WhyCut:
		return sdk.SuiteAborted
	}
	return sdk.SuiteFailedOutsideTests
}
