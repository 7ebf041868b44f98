package tally

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

func TestFailuresThatHideOthersAreCarriedHoweverManyCameBefore(t *testing.T) {
	tally := NewTally()
	for i := range api.MaxFailures + 100 {
		tally.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprint(i)}, Kind: sdk.KindAssertion}}})
	}
	tally.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "q"}, Kind: sdk.KindBuild}}})
	tally.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "Crash"}, Kind: sdk.KindPanic}}})
	if len(tally.Failures) != api.MaxFailures || tally.FailuresTotal != api.MaxFailures+102 {
		t.Fatalf("%d of %d", len(tally.Failures), tally.FailuresTotal)
	}
	kinds := map[string]int{}
	for _, f := range tally.Failures {
		kinds[f.Kind]++
	}
	if kinds[sdk.KindBuild] != 1 || kinds[sdk.KindPanic] != 1 || tally.Failures[0].Test != "0" {
		t.Errorf("%v", kinds)
	}
}

func TestWhatAPluginReportsDecidesTheVerdict(t *testing.T) {
	test := func(s sdk.Status) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "T"}, Status: s}
	}
	failure := func(kind string) sdk.Failure {
		return sdk.Failure{TestID: sdk.TestID{Suite: "q", Test: "T"}, Kind: kind}
	}
	derived := test(sdk.Failed)
	derived.Derived, derived.Ended = true, true
	fixture := func(s sdk.Status) sdk.TestResult {
		r := test(s)
		r.Fixture = true
		return r
	}
	passed := sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "T"}, Status: sdk.Passed}
	for _, tc := range []struct {
		name   string
		report func(sdk.Sink)
		want   api.Verdict
	}{
		{"a pass", func(s sdk.Sink) {}, api.Passed},
		{"a failed test", func(s sdk.Sink) { s.Test(test(sdk.Failed)); s.Failure(failure(sdk.KindAssertion)) }, api.Failed},
		{"a test that failed because of one that nobody reported", func(s sdk.Sink) { s.Test(derived) }, api.Failed},
		{"a test that failed because a part of it ran out of time", func(s sdk.Sink) { s.Test(derived); s.Failure(failure(sdk.KindTimeout)) }, api.Incomplete},
		{"a test that failed because a part of it was killed", func(s sdk.Sink) { s.Test(derived); s.Failure(failure(sdk.KindSignal)) }, api.Incomplete},
		{"a failed fixture", func(s sdk.Sink) { s.Test(fixture(sdk.Failed)) }, api.Failed},
		{"a fixture without an end", func(s sdk.Sink) { s.Test(fixture(sdk.Unfinished)) }, api.Incomplete},
		{"a skipped fixture", func(s sdk.Sink) { s.Test(fixture(sdk.Skipped)) }, api.Passed},
		{"a failure without a result", func(s sdk.Sink) { s.Failure(failure(sdk.KindRace)) }, api.Failed},
		{"a result without a failure", func(s sdk.Sink) { s.Test(test(sdk.Failed)) }, api.Failed},
		{"a kind of failure nobody knows", func(s sdk.Sink) { s.Failure(failure("gremlin")) }, api.Failed},
		{"build", func(s sdk.Sink) { s.Failure(failure(sdk.KindBuild)) }, api.BuildFailed},
		{"vet", func(s sdk.Sink) { s.Failure(failure(sdk.KindVet)) }, api.BuildFailed},
		{"setup", func(s sdk.Sink) { s.Failure(failure(sdk.KindSetup)) }, api.BuildFailed},
		{"a suite that did not build, without a failure", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteBuildFailed}) }, api.BuildFailed},
		{"a suite that did not build, by an error of the runner", func(s sdk.Sink) {
			s.RunError("no module")
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteBuildFailed})
		}, api.BuildFailed},
		{"a failed suite with a failure that does not decide", func(s sdk.Sink) {
			s.Failure(failure(sdk.KindSignal))
			s.Suite(sdk.SuiteResult{Suite: "q", Outcome: sdk.SuiteFailed})
		}, api.Failed},
		{"a failed suite, without a failure", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed}) }, api.Failed},
		{"a suite that failed outside of its tests", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailedOutsideTests}) }, api.Failed},
		{"an aborted suite", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted}) }, api.Incomplete},
		{"a pass in a suite that is never heard of again", func(s sdk.Sink) { s.Test(passed) }, api.Incomplete},
		{"a pass in a suite of which only the first command told the end", func(s sdk.Sink) {
			s.Test(passed)
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed, Cached: true})
			s.Suite(sdk.SuiteResult{Suite: "q", Outcome: sdk.SuitePassed})
			s.(*Collector).EndCommand()
			s.Test(passed)
		}, api.Incomplete},
		{"a refusal beside passes", func(s sdk.Sink) { sdk.Refuse(s, sdk.Refusal{Words: "no such suite", Suites: []string{"p"}}) }, api.Incomplete},
		{"a suite without an end", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteUnfinished}) }, api.Incomplete},
		{"a suite without tests", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteNoTests}) }, api.Passed},
		{"a time-out", func(s sdk.Sink) { s.Failure(failure(sdk.KindTimeout)) }, api.Incomplete},
		{"a signal", func(s sdk.Sink) { s.Failure(failure(sdk.KindSignal)) }, api.Incomplete},
		{"an unfinished test", func(s sdk.Sink) { s.Test(test(sdk.Unfinished)) }, api.Incomplete},
		{"a status from the future", func(s sdk.Sink) { s.Test(test("gremlin")) }, api.Incomplete},
		{"damage", func(s sdk.Sink) { s.Unread(sdk.Unread{Bytes: 3, Damaged: true}) }, api.Incomplete},
		{"damage of no size", func(s sdk.Sink) { s.Unread(sdk.Unread{Damaged: true}) }, api.Incomplete},
		{"foreign text", func(s sdk.Sink) { s.Unread(sdk.Unread{Bytes: 300}) }, api.Passed},
		{"a run error", func(s sdk.Sink) { s.RunError("no go.mod") }, api.Incomplete},
		{"a note", func(s sdk.Sink) { s.Note("slow") }, api.Passed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := NewCollector()
			c.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "Green"}, Status: sdk.Passed})
			tc.report(c)
			c.Suite(sdk.SuiteResult{Suite: "q", Outcome: sdk.SuitePassed})
			c.EndCommand()
			e := c.Tally.Evidence()
			e.Exited = true
			if got := verdict.Decide(e); got.Verdict != tc.want {
				t.Errorf("verdict %s (%s), want %s", got.Verdict, got.Reason, tc.want)
			}
		})
	}
}

// A list of failures names whatever is red, also where a plugin says only that it is.
func TestWhatIsRedHasAFailure(t *testing.T) {
	t.Parallel()
	test := func(name string, derived bool) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: name}, Status: sdk.Failed, Derived: derived}
	}
	failure := sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "T"}, Kind: sdk.KindPanic}
	suite := func(name string, o sdk.SuiteOutcome) sdk.SuiteResult { return sdk.SuiteResult{Suite: name, Outcome: o} }
	for _, tc := range []struct {
		name   string
		report func(*Collector)
		want   []string
	}{
		{"a test", func(c *Collector) { c.Test(test("T", false)) }, []string{"p T assertion"}},
		{"a test that failed twice", func(c *Collector) { c.Test(test("T", false)); c.Test(test("T", false)) }, []string{"p T assertion"}},
		{"a test that also passed", func(c *Collector) {
			c.Test(test("T", false))
			c.Test(sdk.TestResult{TestID: failure.TestID, Status: sdk.Passed})
		}, []string{"p T assertion"}},
		{"one of two tests", func(c *Collector) { c.Test(test("T", false)); c.Failure(failure); c.Test(test("U", false)) }, []string{"p T panic", "p U assertion"}},
		{"a failure before its test", func(c *Collector) { c.Failure(failure); c.Test(test("T", false)) }, []string{"p T panic"}},
		{"a failure said of another test", func(c *Collector) {
			other := failure
			other.DerivedFrom = []sdk.TestID{{Suite: "p", Test: "U"}}
			c.Test(test("U", false))
			c.Failure(other)
		}, []string{"p T panic"}},
		{"a fixture", func(c *Collector) { r := test("setUp", false); r.Fixture = true; c.Test(r) }, []string{"p setUp assertion"}},
		{"a test in which nothing failed", func(c *Collector) { c.Test(test("T", true)); c.Suite(suite("p", sdk.SuiteFailed)) }, []string{"p T assertion"}},
		{"a test in which one failed", func(c *Collector) { c.Test(test("T/x", false)); c.Test(test("T", true)) }, []string{"p T/x assertion"}},
		{"a failed suite", func(c *Collector) { c.Suite(suite("p", sdk.SuiteFailed)) }, []string{"p  assertion"}},
		{"a suite that failed outside of its tests", func(c *Collector) { c.Suite(suite("p", sdk.SuiteFailedOutsideTests)) }, []string{"p  assertion"}},
		{"a suite that did not build", func(c *Collector) { c.Suite(suite("p", sdk.SuiteBuildFailed)) }, []string{"p  build"}},
		{"a suite that another one blocks", func(c *Collector) {
			c.Failure(sdk.Failure{TestID: sdk.TestID{Suite: "q"}, Kind: sdk.KindBuild})
			c.Suite(suite("p", sdk.SuiteBuildFailed))
			c.Suite(suite("q", sdk.SuiteBuildFailed))
		}, []string{"q  build"}},
		{"two failed suites", func(c *Collector) { c.Suite(suite("q", sdk.SuiteFailed)); c.Suite(suite("p", sdk.SuiteFailed)) }, []string{"p  assertion", "q  assertion"}},
		{"a suite that a failure of another blocks", func(c *Collector) {
			c.Failure(sdk.Failure{TestID: sdk.TestID{Suite: "q"}, Kind: sdk.KindExit, Blocks: []string{"p"}})
			c.Suite(suite("p", sdk.SuiteFailedOutsideTests))
		}, []string{"q  exit"}},
		{"a failed suite in which a test has no end", func(c *Collector) {
			c.Test(sdk.TestResult{TestID: failure.TestID, Status: sdk.Unfinished})
			c.Suite(suite("p", sdk.SuiteFailed))
		}, nil},
		{"a suite that ended early", func(c *Collector) { c.Suite(suite("p", sdk.SuiteAborted)) }, nil},
		{"a suite with a pass", func(c *Collector) { c.Suite(suite("p", sdk.SuitePassed)) }, nil},
	} {
		var got []string
		c := NewCollector(api.ListenerFunc(func(e api.Event) {
			if e, ok := e.(*api.FailureFound); ok {
				got = append(got, e.Failure.Suite+" "+e.Failure.Test+" "+e.Failure.Kind)
			}
		}))
		tc.report(c)
		if c.EndCommand(); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestATallyDoesNotGrowWithTheRun(t *testing.T) {
	c := NewCollector()
	for i := range 50_000 {
		id := sdk.TestID{Suite: "p", Test: fmt.Sprint(i)}
		c.Test(sdk.TestResult{TestID: id, Status: sdk.Unfinished})
		c.Failure(sdk.Failure{TestID: id, Kind: sdk.KindAssertion})
		c.Note(fmt.Sprint(i))
		c.RunError(strings.Repeat("x", 1000))
		c.Unread(sdk.Unread{Bytes: 1, Sample: "x"})
	}
	got := c.Tally
	if len(got.Failures) > api.MaxFailures || len(got.Unfinished) > api.MaxNames || len(got.Notes) > maxNotes ||
		len(got.Samples) > maxNotes || len(got.RunErrorText()) > maxRunError+100 || len(c.ordinals) > maxOrdinals {
		t.Errorf("kept %d failures, %d names, %d notes, %d samples, %d ordinals",
			len(got.Failures), len(got.Unfinished), len(got.Notes), len(got.Samples), len(c.ordinals))
	}
	if got.FailuresTotal != 50_000 || got.Counts.Unfinished != 50_000 {
		t.Errorf("counted %d failures and %d unfinished tests", got.FailuresTotal, got.Counts.Unfinished)
	}
}

func TestAFailedParentIsNotCounted(t *testing.T) {
	c := NewCollector()
	c.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A/x"}, Root: "A", Status: sdk.Failed})
	c.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Failed, Container: true, Derived: true})
	if c.Tally.Counts.Failed != 1 {
		t.Errorf("%d failed tests, want 1", c.Tally.Counts.Failed)
	}
}

func TestFailuresOfOneTestAndKindHaveDifferentIDs(t *testing.T) {
	c := NewCollector()
	for range 3 {
		c.Failure(sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: "T"}, Kind: sdk.KindRace})
	}
	ids := []string{}
	for _, f := range c.Tally.Failures {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		t.Errorf("ids = %q", ids)
	}
}

// Tests and benchmarks of one package are two commands.
func TestTheWorstEndOfASuiteCounts(t *testing.T) {
	for _, order := range [][]sdk.SuiteOutcome{{sdk.SuiteAborted, sdk.SuitePassed}, {sdk.SuitePassed, sdk.SuiteAborted}} {
		got := NewTally()
		for _, o := range order {
			got.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: o}})
		}
		if got.Suites["p"] != sdk.SuiteAborted || got.Counts.Suites != 1 {
			t.Errorf("%v: outcome %v, %d suites", order, got.Suites["p"], got.Counts.Suites)
		}
		for range 2 {
			got.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteBuildFailed}})
		}
		if got.Counts.BuildFailed != 1 {
			t.Errorf("%d suites did not build", got.Counts.BuildFailed)
		}
	}
}

func TestFailuresThatComeFromNothingReportedAreCounted(t *testing.T) {
	t.Parallel()
	derived := sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "T"}, Status: sdk.Failed, Derived: true}
	alone := NewCollector()
	alone.Test(derived)
	alone.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
	if got, e := alone.Tally.Ended().Failed, alone.Tally.Evidence(); got != 1 || e.Failed != 1 {
		t.Errorf("alone: %d counted, %d decide", got, e.Failed)
	}
	beside := NewCollector()
	beside.Test(derived)
	beside.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "T/x"}, Root: "T", Status: sdk.Failed})
	if got := beside.Tally.Ended().Failed; got != 1 {
		t.Errorf("beside its cause: %d counted", got)
	}
}

// Repeats of a test, and its subtests, are not further tests.
func TestEachTestIsCountedOnce(t *testing.T) {
	counted := NewTally()
	for range 3 {
		for _, r := range []api.Result{
			{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Passed}}, {TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A/x"}, Root: "A", Status: sdk.Passed}},
			{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A/y"}, Root: "A", Status: sdk.Skipped}}, {TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "A"}, Status: sdk.Passed}},
			{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "B"}, Status: sdk.Skipped}}, {TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "setUp()"}, Fixture: true, Status: sdk.Passed}},
		} {
			counted.Listen(&api.TestEnded{Result: r})
		}
	}
	counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "A"}, Status: sdk.Skipped}}})
	counted.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed}})
	counted.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "r", Outcome: sdk.SuiteNoTests}})
	want := api.Counts{Suites: 2, SuitesWithoutTests: 1, Tests: 3, TestsPassed: 2, TestsSkipped: 1, Subtests: 6, Repeats: 7, Passed: 9, Skipped: 7}
	if got := counted.Ended(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "setUp()"}, Fixture: true, Status: sdk.Skipped}}})
	if e, n := counted.Evidence(), counted.Ended(); e.SuitesSkipped != 1 || n.Fixtures != 1 || n.Skipped != 8 || e.SubtestsSkipped != 3 || e.PartsRan != 3 || e.Repeats != 7 {
		t.Errorf("after a skipped fixture: %+v, %+v", n, e)
	}
	for suite, s := range map[string]sdk.Status{"s": sdk.Failed, "t": sdk.Unfinished, "u": sdk.Skipped} {
		counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: "setUp()"}, Fixture: true, Status: s}}})
		counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: suite, Test: "setUp()"}, Fixture: true, Status: sdk.Skipped}}})
	}
	for suite, test := range map[string]string{"v": "", "w": "A"} {
		counted.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: suite, Test: test}}}})
	}
	if e, u := counted.Evidence(), counted.Unsound(); e.SuitesSkipped != 1 || !u["s"] || !u["t"] || u["u"] || !u["v"] || u["w"] {
		t.Errorf("after failed fixtures: %+v, %v", e, u)
	}
	counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A/z"}, Root: "A", Status: sdk.Unfinished}}})
	if e := counted.Evidence(); e.Unfinished != 2 || e.SubtestsUnfinished != 1 {
		t.Errorf("after a part without an end: %+v", e)
	}
	counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "A"}, Status: sdk.Failed}}})
	counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "q", Test: "A"}, Status: sdk.Passed}}})
	if got := counted.Ended(); got.Tests != 3 || got.TestsPassed != 1 {
		t.Errorf("after a failure: %+v", got)
	}
}

func TestTooManyTestsAreCountedByTheirResults(t *testing.T) {
	counted := NewTally()
	add := func(i int) {
		counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprint(i)}, Status: sdk.Passed}}})
	}
	for i := range maxDistinct + 1 {
		add(i)
	}
	ended := func(i int, s sdk.Status, cached bool) {
		counted.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: fmt.Sprint(i)}, Status: s}, Cached: cached}})
	}
	if ended(-1, sdk.Skipped, false); counted.Ended().TestsSkipped != 1 {
		t.Errorf("one was skipped: %+v", counted.Ended())
	}
	if ended(-2, sdk.Passed, true); counted.Ended().TestsCached != 1 {
		t.Errorf("one is from the cache: %+v", counted.Ended())
	}
	if got := counted.Ended(); got.Tests != maxDistinct+3 || got.TestsPassed != maxDistinct+2 || len(counted.Tests.worst) > maxDistinct {
		t.Errorf("each ran once: %+v, %d in memory", got, len(counted.Tests.worst))
	}
	// What ran more than once cannot be told from further tests.
	add(0)
	got := counted.Ended()
	if got.Tests != 0 || got.TestsPassed != 0 || got.Repeats != 0 || got.GreenTests() != maxDistinct+3 || len(counted.Tests.worst) > maxDistinct {
		t.Errorf("%+v, %d in memory", got, len(counted.Tests.worst))
	}
	e := counted.Evidence()
	e.Exited = true
	if d := verdict.Decide(e); d.Reason != "100003 results passed, 1 of them cached, 1 skipped" {
		t.Error(d.Reason)
	}
}
func TestAFloodOfCausesIsBounded(t *testing.T) {
	counted := NewTally()
	for i := range maxSigned + 100 {
		counted.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Test: fmt.Sprint(i)}, Kind: "assertion"}}})
	}
	if len(counted.Causes) > maxSigned || counted.FailuresTotal != maxSigned+100 {
		t.Errorf("%d causes of %d failures", len(counted.Causes), counted.FailuresTotal)
	}
}

func BenchmarkTallyFailure(b *testing.B) {
	f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: "assertion", Location: sdk.Location{File: "a_test.x"}, Message: "got 17 at 0xc000123456, want 18\nin /tmp/x/y after 1.25s"}}
	for b.Loop() {
		counted := NewTally()
		counted.Listen(&api.FailureFound{Failure: f})
	}
}

// A command's exit is explained by what is red in it, and by nothing else.
func TestOnlyWhatIsRedExplainsAnExit(t *testing.T) {
	t.Parallel()
	test := func(s sdk.Status) func(*Collector) {
		return func(c *Collector) { c.Test(sdk.TestResult{Status: s}) }
	}
	suite := func(o sdk.SuiteOutcome) func(*Collector) {
		return func(c *Collector) { c.Suite(sdk.SuiteResult{Outcome: o}) }
	}
	for name, tc := range map[string]struct {
		report func(*Collector)
		want   bool
	}{
		"a pass":                {test(sdk.Passed), false},
		"a skip":                {test(sdk.Skipped), false},
		"a failed test":         {test(sdk.Failed), true},
		"a test without an end": {test(sdk.Unfinished), true},
		"a suite that passed":   {suite(sdk.SuitePassed), false},
		"a suite without tests": {suite(sdk.SuiteNoTests), false},
		"a suite that failed":   {suite(sdk.SuiteFailed), true},
		"a failure":             {func(c *Collector) { c.Failure(sdk.Failure{Kind: sdk.KindRace}) }, true},
		"an error":              {func(c *Collector) { c.RunError("no module") }, true},
		"damage":                {func(c *Collector) { c.Unread(sdk.Unread{Damaged: true}) }, true},
		"foreign text":          {func(c *Collector) { c.Unread(sdk.Unread{Bytes: 3}) }, false},
	} {
		c := NewCollector()
		tc.report(c)
		c.Test(sdk.TestResult{Status: sdk.Passed})
		c.Unread(sdk.Unread{Bytes: 3})
		if c.HasRed() != tc.want {
			t.Errorf("%s: %v", name, !tc.want)
		}
		if c.EndCommand(); c.HasRed() {
			t.Errorf("%s explains the exit of the next command", name)
		}
	}
}

// What a refusal does not account for is not excused by one.
func TestARefusalIsAllThereIs(t *testing.T) {
	t.Parallel()
	ended := func(s string, o sdk.SuiteOutcome) api.Event {
		return &api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: s, Outcome: o}}
	}
	failed := func(s, test, kind string) api.Event {
		return &api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: s, Test: test}, Kind: kind}}}
	}
	result := func(r sdk.TestResult) api.Event { return &api.TestEnded{Result: api.Result{TestResult: r}} }
	p := &api.Refused{Refusal: sdk.Refusal{Words: "no p", Suites: []string{"p"}}}
	everything := &api.Refused{Refusal: sdk.Refusal{Words: "no such flag"}}
	for name, tc := range map[string]struct {
		events []api.Event
		want   bool
	}{
		"nothing":                         {nil, false},
		"a refusal":                       {[]api.Event{everything}, true},
		"of a suite":                      {[]api.Event{p, ended("p", sdk.SuiteBuildFailed), failed("p", "", sdk.KindBuild)}, true},
		"of a suite that ended early":     {[]api.Event{p, ended("p", sdk.SuiteAborted), ended("q", sdk.SuiteNoTests)}, true},
		"of a suite that failed":          {[]api.Event{p, ended("p", sdk.SuiteFailed)}, false},
		"and another suite passed":        {[]api.Event{p, ended("q", sdk.SuitePassed)}, false},
		"and another suite did not build": {[]api.Event{p, ended("q", sdk.SuiteBuildFailed)}, false},
		"and another suite has a failure": {[]api.Event{p, failed("q", "", sdk.KindBuild)}, false},
		"and the run has a failure":       {[]api.Event{p, failed("", "", sdk.KindBuild)}, false},
		"of all, and the run has one":     {[]api.Event{everything, failed("", "", sdk.KindBuild)}, true},
		"of all, and a suite has one":     {[]api.Event{everything, failed("q", "", sdk.KindBuild)}, false},
		"and a failure of another kind":   {[]api.Event{p, failed("p", "", sdk.KindPanic)}, false},
		"and something was killed":        {[]api.Event{p, failed("p", "", sdk.KindSignal)}, false},
		"and something could not be read": {[]api.Event{p, &api.Unread{Unread: sdk.Unread{Damaged: true}}}, false},
		"and a test passed":               {[]api.Event{p, result(sdk.TestResult{Status: sdk.Passed})}, false},
	} {
		got := NewTally()
		for _, e := range tc.events {
			got.Listen(e)
		}
		if got.IsRefused() != tc.want {
			t.Errorf("%s: %v", name, !tc.want)
		}
	}
}
