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
	build.Blocks = []string{"z", "q"}
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

// shown is a report in short. Each word of results is TEST=STATUS, with TEST>PART for a part and
// a trailing ~ for what came from the cache; each of failures TEST:KIND, with ?REASON in
// quarantine, where no TEST is the suite; each of ends SUITE=END. SUITE.TEST is of another suite
// than p. An id that begins with s2 is of the second shard.
func shown(id string, verdict api.Verdict, ends, results, failures string) Report {
	r := Report{File: id, Run: api.Run{RunID: id, Verdict: verdict, Shard: &api.Shard{Index: 1, Of: 1, Attempt: 1}}}
	if strings.HasPrefix(id, "s2") {
		r.Shard.Index = 2
	}
	named := func(word string) sdk.TestID {
		suite, test, other := strings.Cut(strings.ReplaceAll(word, ">", "/"), ".")
		if !other {
			suite, test = "p", suite
		}
		return sdk.TestID{Suite: suite, Test: test}
	}
	for word := range strings.FieldsSeq(ends) {
		suite, end, _ := strings.Cut(word, "=")
		r.Shard.Planned = append(r.Shard.Planned, api.PlannedSuite{Suite: suite, Ended: api.SuiteEnd(end)})
	}
	for word := range strings.FieldsSeq(results) {
		test, status, _ := strings.Cut(word, "=")
		status, cached := strings.CutSuffix(status, "~")
		res := api.Result{TestResult: sdk.TestResult{TestID: named(test), Status: sdk.Status(status)}, Cached: cached}
		if root, _, isPart := strings.Cut(test, ">"); isPart {
			res.Root = root
		}
		r.Results = append(r.Results, res)
	}
	for i, word := range slices.Collect(strings.FieldsSeq(failures)) {
		word, known, _ := strings.Cut(word, "?")
		test, kind, _ := strings.Cut(word, ":")
		f := api.Failure{ID: fmt.Sprint(id, "-", i), Quarantine: known, Failure: sdk.Failure{TestID: named(test), Kind: kind}}
		r.Run.Failures = append(r.Run.Failures, f)
	}
	return r
}

// said is what a merge shows, in the words of [shown].
func said(m Merge) string {
	var b strings.Builder
	line := func(what string, words []string) {
		slices.Sort(words)
		if len(words) > 0 {
			fmt.Fprintf(&b, "%s %s\n", what, strings.Join(words, ", "))
		}
	}
	each := func(results []api.Result) (words []string) {
		for _, r := range results {
			words = append(words, r.Test+"="+string(r.Status))
		}
		return words
	}
	failed := func(failures []api.Failure) (words []string) {
		for _, f := range failures {
			words = append(words, f.ID+" "+f.Test+":"+f.Kind)
		}
		return words
	}
	line("results", each(m.Results))
	line("failures", failed(m.Failures))
	if words := failed(m.SuiteFailures); len(words) > 0 { // in their order
		fmt.Fprintf(&b, "of suites %s\n", strings.Join(words, ", "))
	}
	var ends, retried []string
	for _, end := range m.Ends {
		word := end.Suite + "=" + string(EndOf(end.Outcome))
		if end.Cached {
			word += "~"
		}
		ends = append(ends, word)
	}
	line("ends", ends)
	for _, f := range m.Flaky {
		word := strings.Trim(f.Suite+"/"+f.Test, "/")
		for _, a := range f.Attempts {
			word += fmt.Sprintf(" %s:%s", a.RunID, a.Outcome)
		}
		if f.Flaky {
			word += " is flaky"
		}
		retried = append(retried, word)
	}
	line("retried", retried)
	for _, a := range m.Attempts {
		var tests []string
		for _, id := range a.Tests {
			tests = append(tests, id.Test)
		}
		line("beside", append(each(a.Results), a.Run.RunID+" of "+strings.Join(tests, "+")))
	}
	if m.Known > 0 {
		fmt.Fprintf(&b, "known %d\n", m.Known)
	}
	if m.IsRed() {
		b.WriteString("red\n")
	}
	return b.String()
}

// What a test showed first counts, and what it showed later stands beside it.
func TestWhatAttemptsShowTogether(t *testing.T) {
	t.Parallel()
	const failed, passed = api.Failed, api.Passed
	interrupted := func(r Report) Report { r.Cancelled = true; return r }
	for name, tc := range map[string]struct {
		attempts []Report
		want     string
	}{
		"one": {[]Report{shown("r1", passed, "p=passed q=no_tests z=", "T=passed~ U=skipped", "")},
			"results T=passed, U=skipped\nends p=passed~, q=no_tests\n"},
		"from the cache": {[]Report{shown("r1", passed, "p=passed q=passed", "U=passed~ T=passed~", "")},
			"results T=passed, U=passed\nends p=passed~, q=passed\n"},
		"failed, passed": {[]Report{shown("r1", failed, "p=failed", "T=failed U=passed", "T:assertion"), shown("r2", passed, "p=passed", "T=passed U=passed", "")},
			"results T=failed, U=passed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"failed twice, passed": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", failed, "p=failed", "T=failed", "T:panic"), shown("r3", passed, "p=passed", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:failed r3:passed is flaky\nbeside T=failed, r2 of T\nbeside T=passed, r3 of T\n"},
		"failed, did not run, was skipped, passed": {[]Report{
			shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", passed, "p=passed", "U=passed", ""), shown("r3", passed, "p=passed", "T=skipped", ""), shown("r4", passed, "p=passed", "T=passed", ""),
		}, "results T=failed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:did_not_run r3:skipped r4:passed is flaky\nbeside T=skipped, r3 of T\nbeside T=passed, r4 of T\n"},
		"passed, failed": {[]Report{shown("r1", passed, "p=passed", "T=passed", ""), shown("r2", failed, "p=failed", "T=failed", "T:assertion")},
			"results T=failed\nfailures r2-0 T:assertion\nends p=failed\nred\n"},
		"failed twice": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", failed, "p=failed", "T=failed", "T:panic")},
			"results T=failed\nfailures r2-0 T:panic\nends p=failed\nred\n"},
		"two failed in different attempts": {[]Report{
			shown("r1", failed, "p=failed", "T=failed U=passed", "T:assertion"), shown("r2", failed, "p=failed", "T=passed U=failed", "U:assertion"), shown("r3", passed, "p=passed", "T=passed U=passed", ""),
		}, "results T=failed, U=failed\nfailures r1-0 T:assertion, r2-0 U:assertion\nends p=failed\nretried p/T r2:passed r3:passed is flaky, p/U r3:passed is flaky\n" +
			"beside U=passed, r1 of U\nbeside T=passed, r2 of T\nbeside T=passed, U=passed, r3 of T+U\n"},
		"a part failed, passed": {[]Report{shown("r1", failed, "p=failed", "T>a=failed T>b=failed T=failed", "T>a:assertion T>b:panic"), shown("r2", passed, "p=passed", "T>a=passed T>b=passed T=passed", "")},
			"results T/a=failed, T/b=failed, T=failed\nfailures r1-0 T/a:assertion, r1-1 T/b:panic\nends p=failed\nretried p/T r2:passed is flaky, p/T/a r2:passed is flaky, p/T/b r2:passed is flaky\nbeside T/a=passed, T/b=passed, T=passed, r2 of T\n"},
		"a failure without a failed result": {[]Report{shown("r1", failed, "p=failed", "T=passed", "T:assertion"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=passed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"a known failure, passed": {[]Report{shown("r1", passed, "p=failed", "T=failed U=passed", "T:assertion?slow"), shown("r2", passed, "p=passed", "T=passed U=passed", "")},
			"results T=failed, U=passed\nfailures r1-0 T:assertion\nends p=failed\nknown 1\n"},
		"twice a known failure, passed": {[]Report{
			shown("r1", passed, "p=failed", "T=failed", "T:assertion?slow T:assertion?slow"), shown("r2", passed, "p=failed", "T=failed U=failed", "T:assertion?slow U:assertion?slow"), shown("r3", passed, "p=passed", "T=passed U=passed", ""),
		}, "results T=failed, U=failed\nfailures r1-0 T:assertion, r1-1 T:assertion, r2-1 U:assertion\nends p=failed\nknown 2\n"},
		"a known failure, and another": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:assertion?slow T:panic"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion, r1-1 T:panic\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\nknown 1\n"},
		"a known failure, then another, passed": {[]Report{
			shown("r1", passed, "p=failed", "T=failed", "T:assertion?slow"), shown("r2", failed, "p=failed", "T=failed", "T:panic"), shown("r3", passed, "p=passed", "T=passed", ""),
		}, "results T=failed\nfailures r2-0 T:panic\nends p=failed\nretried p/T r3:passed is flaky\nbeside T=failed, r1 of T\nbeside T=passed, r3 of T\n"},
		"a known failure, then another": {[]Report{shown("r1", passed, "p=failed", "T=failed", "T:assertion?slow"), shown("r2", failed, "p=failed", "T=failed", "T:panic")},
			"results T=failed\nfailures r2-0 T:panic\nends p=failed\nred\n"},
		"a suite failed as a whole, passed": {[]Report{shown("r1", failed, "p=failed_outside_tests", "T=passed", ":exit"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=passed\nof suites r1-0 :exit\nends p=passed\nretried p r2:passed is flaky\n"},
		"twice, passed": {[]Report{
			shown("r1", failed, "p=failed_outside_tests", "T=passed", ":exit"), shown("r2", failed, "p=failed_outside_tests", "T=passed", ":panic"), shown("r3", passed, "p=passed", "T=passed", ""),
		}, "results T=passed\nof suites r1-0 :exit\nends p=passed\nretried p r3:passed is flaky\n"},
		"again": {[]Report{shown("r1", failed, "p=failed_outside_tests", "T=passed", ":exit"), shown("r2", failed, "p=failed_outside_tests", "T=passed", ":panic")},
			"results T=passed\nfailures r2-0 :panic\nends p=failed_outside_tests\nred\n"},
		"failed as a whole, and has not ended since": {[]Report{shown("r1", failed, "p=failed_outside_tests", "T=passed", ":exit"), shown("r2", api.Incomplete, "p=aborted", "T=passed", "")},
			"results T=passed\nfailures r1-0 :exit\nends p=aborted\nred\n"},
		"all of the run failed, and ended since": {[]Report{shown("r1", api.BuildFailed, "p=build_failed", "", ":build"), shown("r2", passed, "p=passed q=no_tests", "T=passed", "")},
			"results T=passed\nof suites r1-0 :build\nends p=passed, q=no_tests\nretried p r2:passed is flaky\n"},
		"ended without a word, passed": {[]Report{shown("r1", failed, "p=failed_outside_tests", "T=passed", ""), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=passed\nends p=failed_outside_tests\nretried p r2:passed is flaky\n"},
		"ended by a signal": {[]Report{shown("r1", failed, "p=failed", "T=failed U=unfinished", "T:assertion U:signal"), shown("r2", passed, "p=passed", "T=passed U=passed", "")},
			"results T=failed, U=passed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"ran out of time": {[]Report{shown("r1", failed, "p=aborted", "T=unfinished", "T:timeout"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=unfinished\nfailures r1-0 T:timeout\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"two failed, passed": {[]Report{shown("r1", failed, "p=failed", "T=failed U=failed", "T:assertion U:assertion"), shown("r2", passed, "p=passed", "T=passed U=passed", "")},
			"results T=failed, U=failed\nfailures r1-0 T:assertion, r1-1 U:assertion\nends p=failed\nretried p/T r2:passed is flaky, p/U r2:passed is flaky\nbeside T=passed, U=passed, r2 of T+U\n"},
		"failed in a suite that ended early later": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", api.Incomplete, "p=aborted", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nends p=aborted\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"failed, was skipped once and passed once": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", passed, "p=passed", "T=skipped T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:skipped\nbeside T=passed, T=skipped, r2 of T\nred\n"},
		"failed, passed twice": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", passed, "p=passed", "T=passed T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, T=passed, r2 of T\n"},
		"one that is skipped since, and a flaky one": {[]Report{
			shown("r1", failed, "p=failed", "T=failed", "T:assertion"), shown("r2", failed, "p=failed", "T=skipped U=failed", "U:assertion"), shown("r3", passed, "p=passed", "T=skipped U=passed", ""),
		}, "results T=failed, U=failed\nfailures r1-0 T:assertion, r2-0 U:assertion\nends p=failed\nretried p/T r2:skipped r3:skipped, p/U r3:passed is flaky\nbeside T=skipped, r2 of T\nbeside T=skipped, U=passed, r3 of T+U\nred\n"},
		"a part failed, then another, passed": {[]Report{
			shown("r1", passed, "p=passed", "T>a=passed T>b=passed", ""), shown("r2", failed, "p=failed", "T>a=failed T>b=passed", "T>a:assertion"),
			shown("r3", failed, "p=failed", "T>a=passed T>b=failed", "T>b:panic"), shown("r4", passed, "p=passed", "T>a=passed T>b=passed", ""),
		}, "results T/a=failed, T/b=passed\nfailures r2-0 T/a:assertion, r3-0 T/b:panic\nends p=failed\nretried p/T/a r3:failed r4:passed is flaky, p/T/b r4:passed is flaky\n" +
			"beside T/a=passed, T/b=passed, r1 of T\nbeside T/a=passed, T/b=failed, r3 of T\nbeside T/a=passed, T/b=passed, r4 of T\n"},
		"a known failure, whose test raced since": {[]Report{shown("r1", passed, "p=failed", "T=failed", "T:assertion?slow"), shown("r2", failed, "p=failed", "T=passed", "T:race")},
			"results T=passed\nfailures r2-0 T:race\nends p=failed\nred\n"},
		"a known failure of a part, which has no end since": {[]Report{shown("r1", passed, "p=failed", "T>a=failed T=failed", "T>a:assertion?slow T:assertion?slow"), shown("r2", api.Incomplete, "p=aborted", "T>a=unfinished T=passed", "")},
			"results T/a=unfinished, T=passed\nends p=aborted\n"},
		"two known failures, passed": {[]Report{shown("r1", passed, "p=failed", "T=failed U=failed", "T:assertion?slow U:assertion?slow"), shown("r2", passed, "p=passed", "T=passed U=passed", "")},
			"results T=failed, U=failed\nfailures r1-0 T:assertion, r1-1 U:assertion\nends p=failed\nknown 2\n"},
		"a test and its suite as a whole failed, passed": {[]Report{shown("r1", failed, "p=failed_outside_tests", "T=failed", "T:assertion :exit"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nof suites r1-1 :exit\nends p=failed\nretried p r2:passed is flaky, p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"two suites failed as a whole, passed": {[]Report{shown("r1", failed, "q=failed_outside_tests p=failed_outside_tests", "T=passed", "q.:exit :exit"), shown("r2", passed, "q=passed p=passed", "T=passed", "")},
			"results T=passed\nof suites r1-1 :exit, r1-0 :exit\nends p=passed, q=passed\nretried p r2:passed is flaky, q r2:passed is flaky\n"},
		"one failed as a whole, and a test of another failed since": {[]Report{shown("r1", failed, "p=failed_outside_tests q=passed", "q.T=passed", ":exit"), shown("r2", failed, "p=no_tests q=failed", "q.T=failed", "q.T:assertion")},
			"results T=failed\nfailures r2-0 T:assertion\nof suites r1-0 :exit\nends p=no_tests, q=failed\nretried p r2:passed is flaky\nred\n"},
		"one failed as a whole, and another has not ended since": {[]Report{shown("r1", failed, "p=failed_outside_tests q=passed", "", ":exit"), shown("r2", api.Incomplete, "p=passed q=aborted", "", "")},
			"of suites r1-0 :exit\nends p=passed, q=aborted\nretried p r2:passed is flaky\n"},
		"tests of two suites failed, passed": {[]Report{shown("r1", failed, "p=failed q=failed", "T=failed q.U=failed", "T:assertion q.U:assertion"), shown("r2", passed, "p=passed q=passed", "T=passed q.U=passed", "")},
			"results T=failed, U=failed\nfailures r1-0 T:assertion, r1-1 U:assertion\nends p=failed, q=failed\nretried p/T r2:passed is flaky, q/U r2:passed is flaky\nbeside T=passed, U=passed, r2 of T+U\n"},
		"known failures of two suites beside another, passed": {[]Report{
			shown("r1", failed, "p=failed q=failed z=failed", "T=failed q.U=failed z.V=failed", "T:assertion?slow q.U:assertion?slow z.V:panic"), shown("r2", passed, "p=passed q=passed z=passed", "T=passed q.U=passed z.V=passed", ""),
		}, "results T=failed, U=failed, V=failed\nfailures r1-0 T:assertion, r1-1 U:assertion, r1-2 V:panic\nends p=failed, q=failed, z=failed\nretried z/V r2:passed is flaky\nbeside V=passed, r2 of V\nknown 2\n"},
		"raced as a whole twice": {[]Report{shown("r1", failed, "p=failed_outside_tests", "T=passed", ":race"), shown("r2", failed, "p=failed_outside_tests", "T=passed", ":race")},
			"results T=passed\nfailures r2-0 :race\nends p=failed_outside_tests\nred\n"},
		"the run failed as a whole, passed": {[]Report{shown("r1", failed, "p=failed_outside_tests q=failed", "", ".:exit"), shown("r2", passed, "p=passed q=passed", "", "")},
			"of suites r1-0 :exit\nends p=passed, q=passed\nretried  r2:passed is flaky\n"},
		"the run failed as a whole, and has not ended since": {[]Report{shown("r1", failed, "p=failed_outside_tests q=passed", "", ".:exit"), shown("r2", api.Incomplete, "p=passed q=aborted", "", "")},
			"failures r1-0 :exit\nends p=passed, q=aborted\nred\n"},
		"two ended without a word twice, passed": {[]Report{
			shown("r1", failed, "p=failed q=failed_outside_tests", "", ""), shown("r2", failed, "p=failed q=failed_outside_tests", "", ""), shown("r3", passed, "p=passed q=passed", "", ""),
		}, "ends p=failed_outside_tests, q=failed_outside_tests\nretried p r3:passed is flaky, q r3:passed is flaky\n"},
		"died after a failure and ended early, passed": {[]Report{shown("r1", failed, "p=aborted", "T=failed", "T:assertion :signal"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nends p=failed\nretried p/T r2:passed is flaky\nbeside T=passed, r2 of T\n"},
		"failed as a whole and was interrupted, passed": {[]Report{interrupted(shown("r1", failed, "p=failed_outside_tests", "T=passed", ":exit")), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=passed\nof suites r1-0 :exit\nends p=passed\nretried p r2:passed is flaky\n"},
		"interrupted by a signal to the run, passed": {[]Report{interrupted(shown("r1", failed, "p=failed_outside_tests", "T=passed", ".:signal")), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=passed\nends p=failed_outside_tests\nretried p r2:passed is flaky\n"},
		"interrupted beside a known failure, passed": {[]Report{interrupted(shown("r1", failed, "p=failed_outside_tests", "T=failed", "T:assertion?slow")), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:assertion\nends p=failed_outside_tests\nretried p r2:passed is flaky\nknown 1\n"},
		"failed and raced, passed": {[]Report{shown("r1", failed, "p=failed", "U=passed T=failed", "T:assertion T:race"), shown("r2", passed, "p=passed", "U=passed T=passed", "")},
			"results T=failed, U=passed\nfailures r1-0 T:assertion, r1-1 T:race\nends p=failed\nretried p/T r2:passed\nbeside T=passed, r2 of T\nred\n"},
		"two shards with attempts": {[]Report{
			shown("s2r1", failed, "q=failed", "q.T=failed", "q.T:assertion"), shown("r1", failed, "p=failed", "T=failed", "T:panic"), shown("r2", passed, "p=passed", "T=passed", ""), shown("s2r2", passed, "q=passed", "q.T=passed", ""),
		}, "results T=failed, T=failed\nfailures r1-0 T:panic, s2r1-0 T:assertion\nends p=failed, q=failed\nretried p/T r2:passed is flaky, q/T s2r2:passed is flaky\nbeside T=passed, r2 of T\nbeside T=passed, s2r2 of T\n"},
		"raced, passed": {[]Report{shown("r1", failed, "p=failed", "T=failed", "T:race"), shown("r2", passed, "p=passed", "T=passed", "")},
			"results T=failed\nfailures r1-0 T:race\nends p=failed\nretried p/T r2:passed\nbeside T=passed, r2 of T\nred\n"},
	} {
		var m Merge
		for i, r := range tc.attempts {
			if slices.ContainsFunc(tc.attempts[i+1:], func(later Report) bool { return later.Shard.Index == r.Shard.Index }) {
				m.Earlier = append(m.Earlier, r)
			} else {
				m.Last = append(m.Last, r)
			}
		}
		m.collect()
		if got := said(m); got != tc.want || len(m.Problems) > 0 {
			t.Errorf("%s:\n%swant\n%s%q", name, got, tc.want, m.Problems)
		}
	}
}

// A package that does not build is built for whatever imports it, in each shard.
func TestAFailureOfSeveralShardsIsToldOnce(t *testing.T) {
	t.Parallel()
	build := func(change func(*api.Failure)) Report {
		f := api.Failure{ID: "1", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindBuild, Message: "undefined: x", Blocks: []string{"q"}}}
		change(&f)
		return Report{Run: api.Run{Failures: []api.Failure{f}}}
	}
	same := func(*api.Failure) {}
	for name, tc := range map[string]struct {
		change func(*api.Failure)
		want   string
	}{
		"the same":                 {same, "q"},
		"it blocks more":           {func(f *api.Failure) { f.Blocks = []string{"q", "r", "s"} }, "q r s"},
		"it blocks something else": {func(f *api.Failure) { f.Blocks = []string{"r"} }, "q r"},
		"of another suite":         {func(f *api.Failure) { f.Suite = "q" }, "q, q"},
		"of a test":                {func(f *api.Failure) { f.Test = "T" }, "q, q"},
		"of another kind":          {func(f *api.Failure) { f.Kind = sdk.KindVet }, "q, q"},
		"in another place":         {func(f *api.Failure) { f.Line = 3 }, "q, q"},
		"with other words":         {func(f *api.Failure) { f.Message = "undefined: y" }, "q, q"},
		"with more words":          {func(f *api.Failure) { f.Also = []sdk.Also{{Message: "z"}} }, "q, q"},
		"in quarantine":            {func(f *api.Failure) { f.Quarantine = "known" }, "q, q"},
		"another failure":          {func(f *api.Failure) { f.ID = "2" }, "q, q"},
		"one without an id":        {func(f *api.Failure) { f.ID = "" }, "q, q"},
	} {
		one, other := build(same), build(tc.change)
		m := Merge{Others: []Report{one, other, other}}
		if name == "one without an id" {
			m.Others = []Report{other, other}
		}
		m.collect()
		var got []string
		for _, f := range m.Failures {
			got = append(got, strings.Join(f.Blocks, " "))
		}
		if strings.Join(got, ", ") != tc.want || len(one.Failures[0].Blocks) != 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
