package shard

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// An excused failure of an earlier attempt stands for a test that ended later, never for
// one that did not: that would look as if it had run to its end.
func TestAKnownFailureStandsOnlyForATestThatEnded(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "T"}
	attempt := func(statuses ...sdk.Status) Report {
		r := Report{Run: api.Run{Shard: &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: api.SuiteEndPassed}}}}}
		for _, status := range statuses {
			r.Results = append(r.Results, api.Result{TestResult: sdk.TestResult{TestID: id, Status: status}})
		}
		return r
	}
	earlier := attempt(sdk.Failed)
	earlier.Failures = []api.Failure{{Failure: sdk.Failure{TestID: id}, Quarantine: "p/T"}}
	for name, c := range map[string]struct {
		last  Report
		known int
	}{
		"passed":      {attempt(sdk.Passed), 1},
		"skipped":     {attempt(sdk.Skipped), 1},
		"unfinished":  {attempt(sdk.Unfinished), 0},
		"did not run": {attempt(), 0},
	} {
		m := &Merge{}
		m.addAttempts([]Report{earlier, c.last})
		if m.Known != c.known || len(m.Failures) != c.known {
			t.Errorf("%s: %d known, failures %+v", name, m.Known, m.Failures)
		}
		if c.known == 0 && len(m.Results) != len(c.last.Results) {
			t.Errorf("%s: results %+v", name, m.Results)
		}
	}
}

// A race that the last attempt does not show is there all the same.
func TestATestThatRacedInAnAttemptIsNotFlaky(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "T"}
	attempt := func(status sdk.Status, kind string) Report {
		r := Report{Run: api.Run{Shard: &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: api.SuiteEndPassed}}}}}
		r.Results = []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: status}}}
		if kind != "" {
			r.Failures = []api.Failure{{Failure: sdk.Failure{TestID: id, Kind: kind}}}
		}
		return r
	}
	wrong, race, passed := attempt(sdk.Failed, sdk.KindAssertion), attempt(sdk.Failed, sdk.KindRace), attempt(sdk.Passed, "")
	suite := wrong
	suite.Results, suite.Failures = nil, []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindRace}}}
	ended := suite
	ended.Failures = []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindExit}}}
	for name, c := range map[string]struct {
		attempts []Report
		red      bool
	}{
		"failed, passed":        {[]Report{wrong, passed}, false},
		"raced, passed":         {[]Report{race, passed}, true},
		"failed, raced, passed": {[]Report{wrong, race, passed}, true},
		"the suite raced":       {[]Report{suite, passed}, true},
		"the suite did later":   {[]Report{ended, suite, passed}, true},
	} {
		m := &Merge{}
		m.addAttempts(c.attempts)
		if m.stillRed != c.red {
			t.Errorf("%s: still red: %v, flaky %+v", name, m.stillRed, m.Flaky)
		}
	}
}

// A suite that failed without a word in an attempt is not green because the next one is.
func TestASuiteThatFailedWithoutAFailureInAnAttemptIsFlaky(t *testing.T) {
	t.Parallel()
	attempt := func(verdict api.Verdict, end api.SuiteEnd) Report {
		r := Report{Run: api.Run{Verdict: verdict, Shard: &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: end}}}}}
		r.Results = []api.Result{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "T"}, Status: sdk.Passed}}}
		return r
	}
	passed := attempt(api.Passed, api.SuiteEndPassed)
	cancelled := attempt(api.Failed, api.SuiteEndFailed)
	cancelled.Cancelled = true
	for name, c := range map[string]struct {
		earlier         Report
		flaky, problems int
		end             sdk.SuiteOutcome
	}{
		"outside":   {attempt(api.Failed, api.SuiteEndOutside), 1, 0, sdk.SuiteFailed},
		"failed":    {attempt(api.Failed, api.SuiteEndFailed), 1, 0, sdk.SuiteFailed},
		"unbuilt":   {attempt(api.BuildFailed, api.SuiteEndBuildFailed), 1, 0, sdk.SuiteFailed},
		"no suite":  {attempt(api.Failed, api.SuiteEndPassed), 0, 1, sdk.SuitePassed},
		"cancelled": {cancelled, 0, 0, sdk.SuitePassed},
		"passed":    {passed, 0, 0, sdk.SuitePassed},
	} {
		m := &Merge{}
		m.addAttempts([]Report{c.earlier, passed})
		if len(m.Flaky) != c.flaky || len(m.Problems) != c.problems || len(m.Ends) != 1 || m.Ends[0].Outcome != c.end {
			t.Errorf("%s: flaky %+v, problems %q, ends %+v", name, m.Flaky, m.Problems, m.Ends)
		}
	}
}
