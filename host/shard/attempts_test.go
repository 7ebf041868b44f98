package shard

import (
	"fmt"
	"slices"
	"strings"
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

// A failure that is not the known one keeps its words beside the known one of another attempt,
// although both begin alike.
func TestAFailureIsNotTakenForTheKnownOne(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "T"}
	attempt := func(f api.Failure) Report {
		return Report{Run: api.Run{
			Shard:    &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: api.SuiteEndFailed}}},
			Results:  []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: sdk.Failed}}},
			Failures: []api.Failure{f},
		}}
	}
	known := api.Failure{ID: "1", Failure: sdk.Failure{TestID: id, Message: "slow"}, Quarantine: "issue 7"}
	unknown, more := known, known
	unknown.Quarantine, more.Quarantine = "", ""
	more.Also = []sdk.Also{{Message: "and wrong"}}
	for name, c := range map[string]struct{ first, last api.Failure }{
		"more, then known": {more, known}, "known, then more": {known, more},
		"unknown, then known": {unknown, known}, "unknown, then more": {unknown, more},
	} {
		var m Merge
		m.Last, m.Earlier = []Report{attempt(c.last)}, []Report{attempt(c.first)}
		m.collect()
		decides := slices.ContainsFunc(m.Failures, func(f api.Failure) bool { return f.Quarantine == "" })
		if says := slices.ContainsFunc(m.Failures, func(f api.Failure) bool { return len(f.Also) > 0 }); !decides || says != (len(c.first.Also)+len(c.last.Also) > 0) {
			t.Errorf("%s: %+v", name, m.Failures)
		}
	}
}

// A part of a test is flaky if it passed itself: its test passes when the part skips itself,
// or does not run.
func TestAPartOfATestThatHasNotPassedSinceIsRed(t *testing.T) {
	t.Parallel()
	attempt := func(parts map[string]sdk.Status) Report {
		r := Report{Run: api.Run{Shard: &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: api.SuiteEndPassed}}}}}
		whole := api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "T"}, Status: sdk.Passed}}
		for part, status := range parts {
			if status == sdk.Failed {
				whole.Status, whole.Derived = sdk.Failed, true
			}
			r.Results = append(r.Results, api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: part}, Status: status, Root: "T"}})
		}
		r.Results = append(r.Results, whole)
		return r
	}
	a := func(status sdk.Status) Report {
		return attempt(map[string]sdk.Status{"T/a": status, "T/b": sdk.Passed})
	}
	none, other := attempt(nil), attempt(map[string]sdk.Status{"T/a": sdk.Passed, "T/b": sdk.Failed})
	for name, c := range map[string]struct {
		attempts []Report
		red      bool
		flaky    int
	}{
		"passed":                 {[]Report{a(sdk.Failed), a(sdk.Passed)}, false, 1},
		"skipped":                {[]Report{a(sdk.Failed), a(sdk.Skipped)}, true, 1},
		"did not run":            {[]Report{a(sdk.Failed), none}, true, 1},
		"another failed, passed": {[]Report{a(sdk.Failed), other, a(sdk.Passed)}, false, 2},
		"another did not run":    {[]Report{a(sdk.Failed), other, attempt(map[string]sdk.Status{"T/a": sdk.Passed})}, true, 2},
	} {
		m := &Merge{}
		m.addAttempts(c.attempts)
		if m.stillRed != c.red || len(m.Flaky) != c.flaky {
			t.Errorf("%s: still red: %v, flaky %+v", name, m.stillRed, m.Flaky)
		}
	}
}

// A job that is run again because a database was down has thousands of flaky tests.
func BenchmarkManyFlakyTests(b *testing.B) {
	const tests, flaky = 20_000, 2_000
	attempt := func(failing int) Report {
		r := Report{Run: api.Run{Shard: &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: api.SuiteEndPassed}}}}}
		for i := range tests {
			res := api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprint("T", i)}, Status: sdk.Passed}}
			if i < failing {
				res.Status = sdk.Failed
				r.Run.Failures = append(r.Run.Failures, api.Failure{Failure: sdk.Failure{TestID: res.TestID}})
			}
			r.Results = append(r.Results, res)
		}
		return r
	}
	for b.Loop() {
		m := &Merge{}
		m.addAttempts([]Report{attempt(flaky), attempt(0)})
		if m.stillRed || len(m.Flaky) != flaky || len(m.Failures) != flaky || m.Flaky[0].Attempts[0].Outcome != api.OutcomePassed {
			b.Fatalf("still red: %v, %d flaky, %d failures", m.stillRed, len(m.Flaky), len(m.Failures))
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
	cancelled := func(end api.SuiteEnd, kinds ...string) Report {
		r := attempt(api.Failed, end)
		r.Cancelled = true
		for _, kind := range kinds {
			r.Run.Failures = append(r.Run.Failures, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: kind}})
		}
		return r
	}
	for name, c := range map[string]struct {
		earlier         Report
		flaky, problems int
		end             sdk.SuiteOutcome
	}{
		"outside":  {attempt(api.Failed, api.SuiteEndOutside), 1, 0, sdk.SuiteFailedOutsideTests},
		"failed":   {attempt(api.Failed, api.SuiteEndFailed), 1, 0, sdk.SuiteFailedOutsideTests},
		"unbuilt":  {attempt(api.BuildFailed, api.SuiteEndBuildFailed), 1, 0, sdk.SuiteFailedOutsideTests},
		"no suite": {attempt(api.Failed, api.SuiteEndPassed), 0, 1, sdk.SuitePassed},
		"passed":   {passed, 0, 0, sdk.SuitePassed},
		// What had failed when the user ended the run is evidence; what ended because of that is not.
		"then cancelled":          {cancelled(api.SuiteEndOutside), 1, 0, sdk.SuiteFailedOutsideTests},
		"unbuilt, then cancelled": {cancelled(api.SuiteEndBuildFailed), 1, 0, sdk.SuiteFailedOutsideTests},
		"cancelled":               {cancelled(api.SuiteEndOutside, sdk.KindTimeout), 0, 0, sdk.SuitePassed},
		"cancelled by a signal":   {cancelled(api.SuiteEndFailed, sdk.KindSignal), 0, 0, sdk.SuitePassed},
		"cancelled elsewhere":     {cancelled(api.SuiteEndPassed), 0, 0, sdk.SuitePassed},
	} {
		m := &Merge{}
		m.addAttempts([]Report{c.earlier, passed})
		if len(m.Flaky) != c.flaky || len(m.Problems) != c.problems || len(m.Ends) != 1 || m.Ends[0].Outcome != c.end {
			t.Errorf("%s: flaky %+v, problems %q, ends %+v", name, m.Flaky, m.Problems, m.Ends)
		}
	}
}

// The merge is judged by what its shards show, so a red one that shows nothing, as for a
// reason that only a newer version knows, is a problem.
func TestARedShardThatShowsNothingIsAProblem(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "T"}
	report := func(verdict api.Verdict, end api.SuiteEnd, status sdk.Status, failures ...api.Failure) Report {
		return Report{Run: api.Run{
			Verdict: verdict, Shard: &api.Shard{Planned: []api.PlannedSuite{{Suite: "p", Ended: end}}},
			Results: []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: status}}}, Failures: failures,
		}}
	}
	known := api.Failure{Failure: sdk.Failure{TestID: id}, Quarantine: "slow"}
	for name, c := range map[string]struct {
		report   Report
		problems int
	}{
		"nothing":             {report(api.Failed, api.SuiteEndPassed, sdk.Passed), 1},
		"what does not count": {report(api.Failed, api.SuiteEndFailed, sdk.Failed, known), 1},
		"a build":             {report(api.BuildFailed, api.SuiteEndPassed, sdk.Passed), 1},
		"a result":            {report(api.Failed, api.SuiteEndFailed, sdk.Failed), 0},
		"a suite":             {report(api.Failed, api.SuiteEndOutside, sdk.Passed), 0},
		"a signal":            {report(api.Failed, api.SuiteEndPassed, sdk.Passed, api.Failure{Failure: sdk.Failure{Kind: sdk.KindSignal}}), 0},
		"a pass":              {report(api.Passed, api.SuiteEndPassed, sdk.Passed), 0},
	} {
		m := &Merge{}
		m.checkEvidence(c.report)
		if len(m.Problems) != c.problems {
			t.Errorf("%s: problems %q", name, m.Problems)
		}
	}
}

// Nor is it because something else failed in that attempt, in quarantine or not.
func TestASuiteThatFailedWithoutAFailureIsNamedBesideOthers(t *testing.T) {
	t.Parallel()
	type ends = map[string]api.SuiteEnd
	id := sdk.TestID{Suite: "p", Test: "T"}
	attempt := func(verdict api.Verdict, ends ends, status sdk.Status, failures ...api.Failure) Report {
		r := Report{Run: api.Run{Verdict: verdict, Failures: failures, Shard: &api.Shard{}}}
		for _, suite := range []string{"p", "q"} {
			r.Shard.Planned = append(r.Shard.Planned, api.PlannedSuite{Suite: suite, Ended: ends[suite]})
		}
		r.Results = []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: status}}}
		return r
	}
	failure := func(id sdk.TestID, kind string) api.Failure {
		return api.Failure{Failure: sdk.Failure{TestID: id, Kind: kind}}
	}
	own := failure(id, sdk.KindAssertion)
	known := own
	known.Quarantine = "issue 7"
	build := failure(sdk.TestID{Suite: "p"}, sdk.KindBuild)
	build.Blocks = []string{"q"}
	const passed, failed, outside, unbuilt = api.SuiteEndPassed, api.SuiteEndFailed, api.SuiteEndOutside, api.SuiteEndBuildFailed
	green := attempt(api.Passed, ends{"p": passed, "q": passed}, sdk.Passed)
	crash, death := failure(sdk.TestID{Suite: "p"}, sdk.KindPanic), failure(sdk.TestID{Suite: "p"}, sdk.KindSignal)
	testLater := attempt(api.Failed, ends{"p": failed, "q": passed}, sdk.Failed, own)
	knownAgain := attempt(api.Passed, ends{"p": failed, "q": passed}, sdk.Failed, known)
	for name, c := range map[string]struct {
		earlier, last  Report
		flaky, outside string
		problems       int
		red            bool
	}{
		"beside a failure":             {attempt(api.Failed, ends{"p": failed, "q": outside}, sdk.Failed, own), green, "p/T q", "q", 0, false},
		"beside a known failure":       {attempt(api.Failed, ends{"p": failed, "q": outside}, sdk.Failed, known), green, "q", "q", 0, false},
		"beside a failed result":       {attempt(api.Failed, ends{"p": failed, "q": failed}, sdk.Failed), green, "p/T q", "q", 0, false},
		"with a known failure":         {attempt(api.Failed, ends{"p": outside, "q": passed}, sdk.Failed, known), green, "p", "p", 0, false},
		"with one that is there again": {attempt(api.Failed, ends{"p": outside, "q": passed}, sdk.Failed, known), knownAgain, "p", "p", 0, false},
		"a test of it failed later":    {attempt(api.Failed, ends{"p": outside, "q": passed}, sdk.Passed), testLater, "", "p", 0, true},
		"it crashed, then a test":      {attempt(api.Failed, ends{"p": outside, "q": passed}, sdk.Passed, crash), testLater, "", "", 0, true},
		"only a known failure":         {attempt(api.Passed, ends{"p": failed, "q": passed}, sdk.Failed, known), green, "", "", 0, false},
		"red beside a known failure":   {attempt(api.Failed, ends{"p": failed, "q": passed}, sdk.Failed, known), green, "", "", 1, false},
		"died after a failure":         {attempt(api.Failed, ends{"p": failed, "q": passed}, sdk.Failed, own, death), green, "p p/T", "p", 0, false},
		"died after a known failure":   {attempt(api.Failed, ends{"p": failed, "q": passed}, sdk.Failed, known, death), green, "p", "p", 0, false},
		"blocked by a build failure":   {attempt(api.BuildFailed, ends{"p": unbuilt, "q": unbuilt}, sdk.Skipped, build), green, "p", "", 0, false},
		"unended later": {attempt(api.Failed, ends{"p": passed, "q": outside}, sdk.Passed),
			attempt(api.Incomplete, ends{"p": passed, "q": api.SuiteEndAborted}, sdk.Passed), "", "", 0, true},
		"red again": {attempt(api.Failed, ends{"p": passed, "q": outside}, sdk.Passed),
			attempt(api.Failed, ends{"p": passed, "q": failed}, sdk.Passed), "", "", 0, false},
	} {
		m := &Merge{}
		m.addAttempts([]Report{c.earlier, c.last})
		var flaky, ended []string
		for _, f := range m.Flaky {
			flaky = append(flaky, strings.TrimSuffix(f.Suite+"/"+f.Test, "/"))
		}
		for _, end := range m.Ends {
			if end.Outcome == sdk.SuiteFailedOutsideTests {
				ended = append(ended, end.Suite)
			}
		}
		if strings.Join(flaky, " ") != c.flaky || strings.Join(ended, " ") != c.outside || len(m.Problems) != c.problems || m.stillRed != c.red {
			t.Errorf("%s: flaky %q, outside %q, problems %q, still red %t", name, flaky, ended, m.Problems, m.stillRed)
		}
	}
}
