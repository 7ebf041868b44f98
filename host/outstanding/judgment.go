package outstanding

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Judgment is what a rerun proved about each requested test.
type Judgment struct {
	Requested []api.Requested
	// Fallback are tests to run once more with their roots run whole: parts of a test
	// that never started, perhaps because they were renamed, or that failed when run
	// alone, perhaps because they depend on their siblings. In a suite with a data race there
	// are none: a pass would take the place of the race.
	Fallback []Target
}

// Judge compares what was requested with what happened.
func Judge(f *Fold) Judgment {
	var j Judgment
	for _, t := range f.scope.Tests {
		r, again := judgeTest(f, t)
		j.Requested = append(j.Requested, r)
		if again && !hasRaceIn(f, t.Suite) {
			j.Fallback = append(j.Fallback, t)
		}
	}
	return j
}

// judgeTest decides about one test, and whether its root should be run whole.
func judgeTest(f *Fold, t Target) (api.Requested, bool) {
	r := api.Requested{TestID: t.TestID}
	if t.Test == "" {
		judgeSuite(f, &r)
		return r, false
	}
	inside := t.Root != "" && !f.scope.Widened
	switch f.seen[t.TestID] {
	case sdk.Passed:
		r.Outcome = api.OutcomePassed
	case sdk.Skipped:
		r.Outcome, r.Why = api.OutcomeSkipped, "skipped by the test itself; it stays outstanding until it passes or is taken off the list"
		if i, was := f.index[identity{t.TestID, f.scope.Way.key()}]; was && (update{Fold: f}).neededNoRun(f.before.Entries[i]) {
			r.Why = "skipped by the test itself; it was outstanding only because a run ended before it, and is no longer"
		}
	case sdk.Failed:
		r.Outcome = api.OutcomeFailed
		return r, inside && hasEnded(f.suites[t.Suite])
	case sdk.Unfinished:
		r.Outcome, r.Why = api.OutcomeFailed, "started and did not finish"
	default:
		r.Outcome = api.OutcomeDidNotRun
		r.Why = whyNotRun(f, t)
		return r, inside && hasEnded(f.suites[t.Suite])
	}
	return r, false
}

func hasRaceIn(f *Fold, suite string) bool {
	for id := range f.raced {
		if id.Suite == suite {
			return true
		}
	}
	return false
}

func judgeSuite(f *Fold, r *api.Requested) {
	switch f.suites[r.Suite] {
	case sdk.SuitePassed:
		r.Outcome = api.OutcomePassed
		if !f.ran[r.Suite] {
			r.Outcome, r.Why = api.OutcomeSkipped, "all of it was skipped; it stays outstanding until it passes or is taken off the list"
		}
	case sdk.SuiteFailed, sdk.SuiteBuildFailed, sdk.SuiteFailedOutsideTests, sdk.SuiteAborted:
		r.Outcome = api.OutcomeFailed
		if f.suites[r.Suite] == sdk.SuiteAborted {
			r.Why = "the suite ended before all of its tests had run"
		}
	case sdk.SuiteNoTests:
		r.Outcome, r.Why = api.OutcomeDidNotRun, "the suite no longer has tests"
		if f.before.hadNoTests(r.Suite) {
			r.Outcome, r.Why = api.OutcomePassed, "it builds again and, as before, has no tests"
		}
	default:
		r.Outcome, r.Why = api.OutcomeDidNotRun, "the runner did not report on the suite"
		if f.Knows.Stopped {
			r.Why = whyStopped
		}
	}
}

// hasEnded reports whether a suite with such an end ended by itself, so that
// rerunning a part of it can show something.
func hasEnded(end sdk.SuiteOutcome) bool {
	return end == sdk.SuitePassed || end == sdk.SuiteFailed || end == sdk.SuiteNoTests
}

const whyStopped = "the run was stopped"

func whyNotRun(f *Fold, t Target) string {
	end, reported := f.suites[t.Suite]
	switch {
	case f.Knows.Stopped && (!reported || end == sdk.SuiteAborted):
		return whyStopped
	case !reported:
		return "the runner did not report on its suite"
	}
	switch end {
	case sdk.SuiteBuildFailed:
		return "the suite does not build"
	case sdk.SuiteFailedOutsideTests:
		return "the suite failed without running it"
	case sdk.SuiteAborted:
		return "the suite ended first"
	case sdk.SuiteNoTests:
		return "its suite ran no test"
	case sdk.SuitePassed, sdk.SuiteFailed:
		return "its suite ended without it: renamed, removed or left out?"
	}
	return "the runner did not report on its suite"
}

// severityOf orders the statuses of a test from best to worst; of several attempts, the
// worst counts.
func severityOf(s sdk.Status) int {
	switch s {
	case sdk.Skipped:
		return 1
	case sdk.Passed:
		return 2
	case sdk.Unfinished:
		return 3
	case sdk.Failed:
		return 4
	}
	return 0
}

func isWorse(a, b sdk.Status) bool { return severityOf(a) > severityOf(b) }
