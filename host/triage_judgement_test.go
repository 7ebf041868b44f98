package host

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// The table of docs/triage.md.
func TestAFindingFollowsFromWhatTheTestDoesOnTheBase(t *testing.T) {
	test := record.Test{Suite: "s", Test: "T"}
	suite := record.Test{Suite: "s"}
	failure := func(id record.Test, kind, message string) record.Failure {
		return record.Failure{Suite: id.Suite, Test: id.Test, Kind: kind, Message: message}
	}
	suspectOf := func(id record.Test, kind, message string) suspect {
		return suspect{Test: id, trace: classify.TraceOf(failure(id, kind, message), message)}
	}
	result := func(name string, status record.Status) record.Result {
		return record.Result{Suite: "s", Test: name, Status: status}
	}
	type results = []record.Result
	type failures = []record.Failure
	assertion := suspectOf(test, sdk.KindAssertion, "got 1")
	part := suspect{Test: record.Test{Suite: "s", Test: "T/x"}, root: "T"}
	setUp := suspect{Test: record.Test{Suite: "s", Test: "setUp()"}, fixture: true, trace: classify.Trace{Kind: sdk.KindAssertion}}
	for name, c := range map[string]struct {
		suspect  suspect
		results  results
		failures failures
		suite    sdk.SuiteOutcome
		gone     bool
		stopped  string
		lacks    string
		want     record.Finding
		likeness record.Likeness
	}{
		"passes":                 {suspect: assertion, results: results{result("T", record.TestPassed)}, want: record.Introduced},
		"passes and then fails":  {suspect: assertion, results: results{result("T", record.TestPassed), result("T", record.TestFailed)}, want: record.PreExisting},
		"fails in the same way":  {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "got 1")}, want: record.PreExisting, likeness: record.SameFailureAgain},
		"fails in another way":   {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "no such file")}, want: record.PreExisting, likeness: record.OtherMessage},
		"fails in a similar way": {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "got 2")}, want: record.PreExisting, likeness: record.SimilarFailure},
		"missing, similarly":     {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "got 2")}, lacks: "lib", want: record.Undecided, likeness: record.SimilarFailure},
		"something is missing":   {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "no such file")}, lacks: "lib", want: record.Undecided, likeness: record.OtherMessage},
		"missing, the same way":  {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "got 1")}, lacks: "lib", want: record.PreExisting, likeness: record.SameFailureAgain},
		"nothing known of it":    {suspect: suspect{Test: test}, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindAssertion, "x")}, lacks: "lib", want: record.Undecided},
		"only parts of it fail":  {suspect: assertion, results: results{{Suite: "s", Test: "T", Status: record.TestFailed, Derived: true}}, want: record.PreExisting},
		"is skipped":             {suspect: assertion, results: results{result("T", record.TestSkipped)}, want: record.Undecided},
		"does not finish":        {suspect: assertion, results: results{result("T", record.TestUnfinished)}, want: record.Undecided},
		"is new":                 {suspect: assertion, gone: true, want: record.Introduced},
		"did not run":            {suspect: assertion, suite: sdk.SuitePassed, want: record.Undecided},
		"does not build there":   {suspect: assertion, failures: failures{failure(suite, sdk.KindBuild, "undefined: x")}, suite: sdk.SuiteBuildFailed, want: record.Undecided},
		"nothing builds there":   {suspect: assertion, failures: failures{failure(record.Test{}, sdk.KindBuild, "undefined: x")}, want: record.Undecided},
		"time ran out":           {suspect: assertion, stopped: "the time ran out", want: record.Undecided},
		"hangs there only":       {suspect: assertion, results: results{result("T", record.TestFailed)}, failures: failures{failure(test, sdk.KindTimeout, "timed out")}, want: record.Undecided, likeness: record.OtherKind},
		"hangs here and there":   {suspect: suspectOf(test, sdk.KindTimeout, "timed out"), results: results{result("T", record.TestUnfinished)}, failures: failures{failure(test, sdk.KindTimeout, "timed out")}, want: record.PreExisting, likeness: record.SameFailureAgain},
		"a part that is new":     {suspect: part, results: results{result("T", record.TestPassed)}, suite: sdk.SuitePassed, want: record.Introduced},
		"a part never got to":    {suspect: part, results: results{result("T", record.TestFailed)}, suite: sdk.SuiteFailed, want: record.Undecided},
		"builds there":           {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), results: results{result("Other", record.TestFailed)}, suite: sdk.SuiteFailed, want: record.Introduced},
		"builds, has no tests":   {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), suite: sdk.SuiteNoTests, want: record.Introduced},
		"does not build either":  {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), failures: failures{failure(suite, sdk.KindBuild, "undefined: y")}, suite: sdk.SuiteBuildFailed, want: record.PreExisting, likeness: record.SameFailureAgain},
		"nobody tried to build":  {suspect: suspectOf(suite, sdk.KindBuild, "undefined: y"), stopped: "it was interrupted", want: record.Undecided},
		"suite passes":           {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), results: results{result("T", record.TestPassed)}, suite: sdk.SuitePassed, want: record.Introduced},
		"suite is empty":         {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), suite: sdk.SuitePassed, want: record.Undecided},
		"suite ends, tests fail": {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), results: results{result("T", record.TestFailed)}, suite: sdk.SuiteFailed, want: record.Introduced},
		"suite exits too":        {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), failures: failures{failure(suite, sdk.KindExit, "exit 3")}, suite: sdk.SuiteFailedOutsideTests, want: record.PreExisting, likeness: record.SameFailureAgain},
		"suite not built there":  {suspect: suspectOf(suite, sdk.KindExit, "exit 3"), failures: failures{failure(suite, sdk.KindBuild, "undefined")}, suite: sdk.SuiteBuildFailed, want: record.Undecided},
		"fixture works":          {suspect: setUp, results: results{result("T", record.TestFailed)}, suite: sdk.SuiteFailed, want: record.Introduced},
		"fixture fails too":      {suspect: setUp, results: results{{Suite: "s", Test: "setUp()", Status: record.TestFailed, Fixture: true}}, suite: sdk.SuiteFailed, want: record.PreExisting},
		"fixture never ran":      {suspect: setUp, want: record.Undecided},
		"the run works":          {suspect: suspect{trace: classify.Trace{Kind: sdk.KindBuild}}, results: results{result("T", record.TestPassed)}, want: record.Introduced},
		"the run fails too":      {suspect: suspectOf(record.Test{}, sdk.KindBuild, "no"), failures: failures{failure(record.Test{}, sdk.KindBuild, "no")}, want: record.PreExisting, likeness: record.SameFailureAgain},
		"the run failed else":    {suspect: suspectOf(record.Test{}, sdk.KindExit, "no"), failures: failures{failure(record.Test{}, sdk.KindBuild, "no")}, want: record.Undecided},
		"the run did nothing":    {suspect: suspect{}, stopped: "no plugin", want: record.Undecided},
	} {
		g := newSighting(c.results, c.failures, "/tmp/checkout", "/ws")
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
	steady := &record.Standing{Classification: record.Regression}
	flaky := &record.Standing{Classification: record.Unsteady, Flaky: &record.Flaky{PassedRun: "run1", FailedRun: "run2"}}
	for _, c := range []struct {
		behaviour behaviour
		standing  *record.Standing
		want      record.Finding
		says      bool
	}{
		{doesPass, steady, record.Introduced, false},
		{doesPass, nil, record.Introduced, false},
		{doesPass, flaky, record.Undecided, true},
		{doesFail, flaky, record.PreExisting, true},
		{isNew, flaky, record.Introduced, true},
	} {
		tr := &triage{host: New(Config{}), standings: map[record.Test]record.Standing{}}
		s := suspect{Test: record.Test{Suite: "s", Test: "T"}}
		if c.standing != nil {
			tr.standings[s.Test] = *c.standing
		}
		tr.tell(s, observation{Behaviour: c.behaviour, Why: "it was seen"}, false)
		got := tr.answer.Tests[0]
		if got.Finding != c.want || strings.Contains(got.Why, "flaky: it passed in run run1 and failed in run run2") != c.says {
			t.Errorf("%s: %s: %s", c.behaviour, got.Finding, got.Why)
		}
		if (got.Standing != nil) != (c.standing != nil) {
			t.Errorf("%s: standing %v", c.behaviour, got.Standing)
		}
		if tr.answer.Unknown != map[bool]int{true: 1}[c.want == record.Undecided] {
			t.Errorf("%s: %d unknown", c.behaviour, tr.answer.Unknown)
		}
	}
}

func TestAFailureThatNamesItsDirectoryIsTheSameInACheckout(t *testing.T) {
	id := record.Test{Suite: "s", Test: "T"}
	here := record.Failure{Suite: "s", Test: "T", Kind: sdk.KindAssertion, Message: "open /ws/data/x: no such file"}
	there := here
	there.Message = "open /tmp/checkout/data/x: no such file"
	s := suspect{Test: id, trace: classify.TraceOf(here, here.Message)}
	g := newSighting([]record.Result{{Suite: "s", Test: "T", Status: record.TestFailed}}, []record.Failure{there}, "/tmp/checkout", "/ws")
	if got := g.of(s).triaged(s); got.Likeness != record.SameFailureAgain {
		t.Errorf("likeness is %q", got.Likeness)
	}
}

func TestOnlyWhatATestDoesIsKeptForTheNextTriage(t *testing.T) {
	for _, c := range []struct {
		o    observation
		want bool
	}{
		{observation{Behaviour: doesPass}, true},
		{observation{Behaviour: doesFail, Kind: sdk.KindAssertion}, true},
		{observation{Behaviour: doesFail, Kind: sdk.KindTimeout}, false},
		{observation{Behaviour: isNew}, true},
		{observation{Behaviour: isHidden}, false},
	} {
		if got := c.o.definite(); got != c.want {
			t.Errorf("%q %s: %v", c.o.Behaviour, c.o.Kind, got)
		}
	}
}
