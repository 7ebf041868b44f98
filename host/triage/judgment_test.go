package triage

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// The table of docs/triage.md.
func TestAFindingFollowsFromWhatTheTestDoesOnTheBase(t *testing.T) {
	test := sdk.TestID{Suite: "s", Test: "T"}
	suite := sdk.TestID{Suite: "s"}
	failure := func(id sdk.TestID, kind, message string) api.Failure {
		return api.Failure{Failure: sdk.Failure{TestID: id, Kind: kind, Message: message}}
	}
	suspectOf := func(id sdk.TestID, kind, message string) suspect {
		return suspect{TestID: id, trace: classify.TraceOf(failure(id, kind, message), message)}
	}
	result := func(name string, status sdk.Status) api.Result {
		return api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: name}, Status: status}}
	}
	type results = []api.Result
	type failures = []api.Failure
	assertion := suspectOf(test, sdk.KindAssertion, "got 1")
	part := suspect{TestID: sdk.TestID{Suite: "s", Test: "T/x"}, root: "T"}
	setUp := suspect{TestID: sdk.TestID{Suite: "s", Test: "setUp()"}, fixture: true, trace: classify.Trace{Kind: sdk.KindAssertion}}
	for name, c := range map[string]struct {
		suspect  suspect
		results  results
		failures failures
		suite    sdk.SuiteOutcome
		gone     bool
		stopped  string
		lacks    string
		want     api.Finding
		likeness api.Likeness
	}{
		"passes":                 {suspect: assertion, results: results{result("T", sdk.Passed)}, want: api.Introduced},
		"passes and then fails":  {suspect: assertion, results: results{result("T", sdk.Passed), result("T", sdk.Failed)}, want: api.PreExisting},
		"fails in the same way":  {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "got 1")}, want: api.PreExisting, likeness: api.SameFailureAgain},
		"fails in another way":   {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "no such file")}, want: api.PreExisting, likeness: api.OtherMessage},
		"fails in a similar way": {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "got 2")}, want: api.PreExisting, likeness: api.SimilarFailure},
		"missing, similarly":     {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "got 2")}, lacks: "lib", want: api.Undecided, likeness: api.SimilarFailure},
		"something is missing":   {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "no such file")}, lacks: "lib", want: api.Undecided, likeness: api.OtherMessage},
		"missing, the same way":  {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "got 1")}, lacks: "lib", want: api.PreExisting, likeness: api.SameFailureAgain},
		"nothing known of it":    {suspect: suspect{TestID: test}, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindAssertion, "x")}, lacks: "lib", want: api.Undecided},
		"only parts of it fail":  {suspect: assertion, results: results{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "T"}, Status: sdk.Failed, Derived: true}}}, want: api.PreExisting},
		"is skipped":             {suspect: assertion, results: results{result("T", sdk.Skipped)}, want: api.Undecided},
		"does not finish":        {suspect: assertion, results: results{result("T", sdk.Unfinished)}, want: api.Undecided},
		"is new":                 {suspect: assertion, gone: true, want: api.Introduced},
		"did not run":            {suspect: assertion, suite: sdk.SuitePassed, want: api.Undecided},
		"does not build there":   {suspect: assertion, failures: failures{failure(suite, sdk.KindBuild, "undefined: x")}, suite: sdk.SuiteBuildFailed, want: api.Undecided},
		"nothing builds there":   {suspect: assertion, failures: failures{failure(sdk.TestID{}, sdk.KindBuild, "undefined: x")}, want: api.Undecided},
		"time ran out":           {suspect: assertion, stopped: "the time ran out", want: api.Undecided},
		"hangs there only":       {suspect: assertion, results: results{result("T", sdk.Failed)}, failures: failures{failure(test, sdk.KindTimeout, "timed out")}, want: api.Undecided, likeness: api.OtherKind},
		"hangs here and there":   {suspect: suspectOf(test, sdk.KindTimeout, "timed out"), results: results{result("T", sdk.Unfinished)}, failures: failures{failure(test, sdk.KindTimeout, "timed out")}, want: api.PreExisting, likeness: api.SameFailureAgain},
		"a part that is new":     {suspect: part, results: results{result("T", sdk.Passed)}, suite: sdk.SuitePassed, want: api.Introduced},
		"a part never got to":    {suspect: part, results: results{result("T", sdk.Failed)}, suite: sdk.SuiteFailed, want: api.Undecided},
		"builds there":           {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), results: results{result("Other", sdk.Failed)}, suite: sdk.SuiteFailed, want: api.Introduced},
		"builds, has no tests":   {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), suite: sdk.SuiteNoTests, want: api.Introduced},
		"does not build either":  {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), failures: failures{failure(suite, sdk.KindBuild, "undefined: y")}, suite: sdk.SuiteBuildFailed, want: api.PreExisting, likeness: api.SameFailureAgain},
		"nobody tried to build":  {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), stopped: "it was interrupted", want: api.Undecided},
		"suite passes":           {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), results: results{result("T", sdk.Passed)}, suite: sdk.SuitePassed, want: api.Introduced},
		"suite is empty":         {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), suite: sdk.SuitePassed, want: api.Undecided},
		"suite ends, tests fail": {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), results: results{result("T", sdk.Failed)}, suite: sdk.SuiteFailed, want: api.Introduced},
		"suite exits too":        {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), failures: failures{failure(suite, sdk.KindExit, "exit 3")}, suite: sdk.SuiteFailedOutsideTests, want: api.PreExisting, likeness: api.SameFailureAgain},
		"suite not built there":  {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), failures: failures{failure(suite, sdk.KindBuild, "undefined")}, suite: sdk.SuiteBuildFailed, want: api.Undecided},
		"fixture works":          {suspect: setUp, results: results{result("T", sdk.Failed)}, suite: sdk.SuiteFailed, want: api.Introduced},
		"fixture fails too":      {suspect: setUp, results: results{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "setUp()"}, Status: sdk.Failed, Fixture: true}}}, suite: sdk.SuiteFailed, want: api.PreExisting},
		"fixture never ran":      {suspect: setUp, want: api.Undecided},
		"the run works":          {suspect: suspect{trace: classify.Trace{Kind: sdk.KindBuild}}, results: results{result("T", sdk.Passed)}, want: api.Introduced},
		"the run fails too":      {suspect: suspectOf(sdk.TestID{}, sdk.KindBuild, "no"), failures: failures{failure(sdk.TestID{}, sdk.KindBuild, "no")}, want: api.PreExisting, likeness: api.SameFailureAgain},
		"the run failed else":    {suspect: suspectOf(sdk.TestID{}, sdk.KindExit, "no"), failures: failures{failure(sdk.TestID{}, sdk.KindBuild, "no")}, want: api.Undecided},
		"the run did nothing":    {suspect: suspect{}, stopped: "no plugin", want: api.Undecided},
	} {
		g := newBaseResult(c.results, c.failures, "/tmp/checkout", "/ws")
		g.stopped, g.lacks = c.stopped, c.lacks
		if c.suite != 0 {
			g.suites["s"] = c.suite
		}
		if c.gone {
			g.gone[c.suspect.target()] = true
		}
		got := g.of(c.suspect).triaged(c.suspect)
		if got.Finding != c.want || got.Why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got.Finding, got.Why, c.want)
		}
		if got.Likeness != c.likeness {
			t.Errorf("%s: likeness is %q, want %q", name, got.Likeness, c.likeness)
		}
	}
}

func TestAPassOnTheBaseIsNoEvidenceAboutAFlakyTest(t *testing.T) {
	steady := &api.Standing{Classification: api.Regression}
	flaky := &api.Standing{Classification: api.Unsteady, Flaky: &api.Flaky{PassedRun: "run1", FailedRun: "run2"}}
	for _, c := range []struct {
		behavior behavior
		standing *api.Standing
		want     api.Finding
		says     bool
	}{
		{doesPass, steady, api.Introduced, false},
		{doesPass, nil, api.Introduced, false},
		{doesPass, flaky, api.Undecided, true},
		{doesFail, flaky, api.PreExisting, true},
		{isNew, flaky, api.Introduced, true},
	} {
		tr := &triage{keeper: ledger.New(project.Config{}), standings: map[sdk.TestID]api.Standing{}}
		s := suspect{TestID: sdk.TestID{Suite: "s", Test: "T"}}
		if c.standing != nil {
			tr.standings[s.TestID] = *c.standing
		}
		tr.tell(s, observation{Behavior: c.behavior, Why: "it was seen"}, false)
		got := tr.answer.Tests[0]
		if got.Finding != c.want || strings.Contains(got.Why, "flaky: it passed in run run1 and failed in run run2") != c.says {
			t.Errorf("%s: %s: %s", c.behavior, got.Finding, got.Why)
		}
		if (got.Standing != nil) != (c.standing != nil) {
			t.Errorf("%s: standing %v", c.behavior, got.Standing)
		}
		if tr.answer.Unknown != map[bool]int{true: 1}[c.want == api.Undecided] {
			t.Errorf("%s: %d unknown", c.behavior, tr.answer.Unknown)
		}
	}
}

func TestAFailureThatNamesItsDirectoryIsTheSameInACheckout(t *testing.T) {
	id := sdk.TestID{Suite: "s", Test: "T"}
	here := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: sdk.KindAssertion, Message: "open /ws/data/x: no such file"}}
	there := here
	there.Message = "open /tmp/checkout/data/x: no such file"
	s := suspect{TestID: id, trace: classify.TraceOf(here, here.Message)}
	g := newBaseResult([]api.Result{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "T"}, Status: sdk.Failed}}}, []api.Failure{there}, "/tmp/checkout", "/ws")
	if got := g.of(s).triaged(s); got.Likeness != api.SameFailureAgain {
		t.Errorf("likeness is %q", got.Likeness)
	}
}

func TestOnlyWhatATestDoesIsKeptForTheNextTriage(t *testing.T) {
	for _, c := range []struct {
		o    observation
		want bool
	}{
		{observation{Behavior: doesPass}, true},
		{observation{Behavior: doesFail, Kind: sdk.KindAssertion}, true},
		{observation{Behavior: doesFail, Kind: sdk.KindTimeout}, false},
		{observation{Behavior: isNew}, true},
		{observation{Behavior: isHidden}, false},
	} {
		if got := c.o.isDefinite(); got != c.want {
			t.Errorf("%q %s: %v", c.o.Behavior, c.o.Kind, got)
		}
	}
}
