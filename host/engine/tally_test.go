package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// finisherOf is one whose only command showed what report says.
func finisherOf(report func(sdk.Sink)) (*Finisher, *tally.Tally) {
	f := &Finisher{Run: &Execution{fold: outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{})}}
	col := tally.NewCollector(f.Run.fold, nil, api.Observer{})
	report(col)
	return f, col.Tally
}

func TestTestsOfASuiteWithoutResultsAreNamedByItsFixture(t *testing.T) {
	fixture := func(s sdk.Status) sdk.TestResult {
		return sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "setUp()"}, Status: s, Fixture: true}
	}
	for _, tc := range []struct {
		name     string
		report   func(sdk.Sink)
		lacks    bool
		entries  int
		unlisted int
	}{
		{"a failed fixture", func(s sdk.Sink) {
			s.Test(fixture(sdk.Failed))
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted})
		}, true, 1, 2},
		{"a skipped fixture", func(s sdk.Sink) {
			s.Test(fixture(sdk.Skipped))
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed})
		}, false, 0, 0},
		{"an aborted suite", func(s sdk.Sink) {
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted})
		}, true, 2, 2},
		{"an aborted suite that failed as a whole", func(s sdk.Sink) {
			s.Failure(sdk.Failure{ID: sdk.TestID{Suite: "p"}, Kind: sdk.KindSetup})
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted})
		}, true, 1, 2},
	} {
		f, tally := finisherOf(tc.report)
		if got := f.mayLack(tally, "p", tally.Aborted()); got != tc.lacks {
			t.Errorf("%s: may lack tests: %v", tc.name, got)
			continue
		}
		if tc.lacks {
			f.missing(tally, "p", []string{"A", "B"}, false, true)
		}
		after := f.Run.fold.After(outstanding.Set{}, outstanding.Partial)
		if after.Len() != tc.entries || tally.Counts.NeverStarted != tc.unlisted {
			t.Errorf("%s: %d outstanding, %d never started, want %d, %d", tc.name, after.Len(), tally.Counts.NeverStarted, tc.entries, tc.unlisted)
		}
	}
}

func TestWhatHidesOtherFailuresIsCarriedHoweverManyCameBefore(t *testing.T) {
	tally := tally.NewTally()
	for i := range api.MaxFailures + 100 {
		tally.Failure(api.Failure{Suite: "p", Test: fmt.Sprint(i), Kind: sdk.KindAssertion})
	}
	tally.Failure(api.Failure{Suite: "q", Kind: sdk.KindBuild})
	tally.Failure(api.Failure{Suite: "p", Test: "Crash", Kind: sdk.KindPanic})
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
		return sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "T"}, Status: s}
	}
	failure := func(kind string) sdk.Failure {
		return sdk.Failure{ID: sdk.TestID{Suite: "p", Name: "T"}, Kind: kind}
	}
	for _, tc := range []struct {
		name   string
		report func(sdk.Sink)
		want   api.Verdict
	}{
		{"a pass", func(s sdk.Sink) {}, api.Passed},
		{"a failed test", func(s sdk.Sink) { s.Test(test(sdk.Failed)); s.Failure(failure(sdk.KindAssertion)) }, api.Failed},
		{"a test that failed because of one that nobody reported", func(s sdk.Sink) { r := test(sdk.Failed); r.Derived = true; s.Test(r) }, api.Failed},
		{"a failure without a result", func(s sdk.Sink) { s.Failure(failure(sdk.KindRace)) }, api.Failed},
		{"a result without a failure", func(s sdk.Sink) { s.Test(test(sdk.Failed)) }, api.Failed},
		{"a kind of failure nobody knows", func(s sdk.Sink) { s.Failure(failure("gremlin")) }, api.Failed},
		{"build", func(s sdk.Sink) { s.Failure(failure(sdk.KindBuild)) }, api.BuildFailed},
		{"vet", func(s sdk.Sink) { s.Failure(failure(sdk.KindVet)) }, api.BuildFailed},
		{"setup", func(s sdk.Sink) { s.Failure(failure(sdk.KindSetup)) }, api.BuildFailed},
		{"a suite that did not build, without a failure", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteBuildFailed}) }, api.BuildFailed},
		{"a failed suite, without a failure", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed}) }, api.Failed},
		{"a suite that failed outside of its tests", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailedOutsideTests}) }, api.Failed},
		{"an aborted suite", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted}) }, api.Incomplete},
		{"a suite without an end", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteUnfinished}) }, api.Incomplete},
		{"a suite without tests", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteNoTests}) }, api.Passed},
		{"a time-out", func(s sdk.Sink) { s.Failure(failure(sdk.KindTimeout)) }, api.Incomplete},
		{"a signal", func(s sdk.Sink) { s.Failure(failure(sdk.KindSignal)) }, api.Incomplete},
		{"an unfinished test", func(s sdk.Sink) { s.Test(test(sdk.Unfinished)) }, api.Incomplete},
		{"a status from the future", func(s sdk.Sink) { s.Test(test(99)) }, api.Incomplete},
		{"damage", func(s sdk.Sink) { s.Unread(sdk.Unread{Bytes: 3, Damaged: true}) }, api.Incomplete},
		{"damage of no size", func(s sdk.Sink) { s.Unread(sdk.Unread{Damaged: true}) }, api.Incomplete},
		{"foreign text", func(s sdk.Sink) { s.Unread(sdk.Unread{Bytes: 300}) }, api.Passed},
		{"a run error", func(s sdk.Sink) { s.RunError("no go.mod") }, api.Incomplete},
		{"a note", func(s sdk.Sink) { s.Note("slow") }, api.Passed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tally.NewCollector(nil, nil, api.Observer{})
			c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "q", Name: "Green"}, Status: sdk.Passed})
			tc.report(c)
			c.EndCommand()
			e := c.Tally.Evidence()
			e.Exited = true
			if got := verdict.Decide(e); got.Verdict != tc.want {
				t.Errorf("verdict %s (%s), want %s", got.Verdict, got.Reason, tc.want)
			}
		})
	}
}

func TestATallyDoesNotGrowWithTheRun(t *testing.T) {
	c := tally.NewCollector(nil, nil, api.Observer{})
	for i := range 50_000 {
		id := sdk.TestID{Suite: "p", Name: fmt.Sprint(i)}
		c.Test(sdk.TestResult{ID: id, Status: sdk.Unfinished})
		c.Failure(sdk.Failure{ID: id, Kind: sdk.KindAssertion})
		c.Note(fmt.Sprint(i))
		c.RunError(strings.Repeat("x", 1000))
		c.Unread(sdk.Unread{Bytes: 1, Sample: "x"})
	}
	got := c.Tally
	if len(got.Failures) > api.MaxFailures || len(got.Unfinished) > api.MaxNames || len(got.Notes) > tally.MaxNotes ||
		len(got.Samples) > tally.MaxNotes || len(got.RunErrorText()) > tally.MaxRunError+100 || len(c.Ordinals) > tally.MaxOrdinals {
		t.Errorf("kept %d failures, %d names, %d notes, %d samples, %d ordinals",
			len(got.Failures), len(got.Unfinished), len(got.Notes), len(got.Samples), len(c.Ordinals))
	}
	if got.FailuresTotal != 50_000 || got.Counts.Unfinished != 50_000 {
		t.Errorf("counted %d failures and %d unfinished tests", got.FailuresTotal, got.Counts.Unfinished)
	}
}

func TestAFailedParentIsNotCounted(t *testing.T) {
	c := tally.NewCollector(nil, nil, api.Observer{})
	c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "A/x"}, Root: "A", Status: sdk.Failed})
	c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "A"}, Status: sdk.Failed, Container: true, Derived: true})
	if c.Tally.Counts.Failed != 1 {
		t.Errorf("%d failed tests, want 1", c.Tally.Counts.Failed)
	}
}

func TestFailuresOfOneTestAndKindHaveDifferentIDs(t *testing.T) {
	c := tally.NewCollector(nil, nil, api.Observer{})
	for range 3 {
		c.Failure(sdk.Failure{ID: sdk.TestID{Suite: "p", Name: "T"}, Kind: sdk.KindRace})
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

// A rerun's second command decides about the tests that it ran whole, and only
// about these.
func TestTheFallbackOfARerunOverrulesTheParts(t *testing.T) {
	part := func(name, root string, status sdk.Status) sdk.TestResult {
		return sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: name}, Root: root, Status: status}
	}
	failed := func(name string) sdk.Failure {
		return sdk.Failure{ID: sdk.TestID{Suite: "p", Name: name}, Kind: sdk.KindAssertion}
	}
	targets := []outstanding.Target{{Test: api.Test{Suite: "p", Test: "A/x"}, Root: "A"}, {Test: api.Test{Suite: "p", Test: "B"}}}
	newExecution := func(scope outstanding.Scope, exit sdk.Exit) *Execution {
		x := &Execution{Keep: true, NewFold: func() *outstanding.Fold { return outstanding.NewFold("r", outstanding.Set{}, scope) }}
		x.Begin(api.Observer{})
		x.Done = []executed{{exit: exit}}
		return x
	}
	for _, tc := range []struct {
		name       string
		bFails     bool
		missed     bool // the fallback does not get to A/x
		firstExit  sdk.Exit
		wantFailed int
		wantExit   sdk.Exit
	}{
		{"nothing else failed", false, false, sdk.Exit{Code: 1}, 0, sdk.Exit{}},
		{"another test failed", true, false, sdk.Exit{Code: 1}, 1, sdk.Exit{Code: 1}},
		{"the fallback did not get to the test", false, true, sdk.Exit{Code: 1}, 1, sdk.Exit{Code: 1}},
		{"the first part was killed", false, false, sdk.Exit{Code: -1, Signal: "SIGKILL"}, 0, sdk.Exit{Code: -1, Signal: "SIGKILL"}},
		{"the first part was out of time", false, false, sdk.Exit{Code: 124, TimedOut: true}, 0, sdk.Exit{Code: 124, TimedOut: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first := newExecution(outstanding.Scope{Tests: targets}, tc.firstExit)
			first.Col.Test(part("A/x", "A", sdk.Failed))
			first.Col.Failure(failed("A/x"))
			if tc.bFails {
				first.Col.Test(part("B", "", sdk.Failed))
				first.Col.Failure(failed("B"))
			} else {
				first.Col.Test(part("B", "", sdk.Passed))
			}
			first.Col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
			second := newExecution(outstanding.Scope{Tests: targets[:1], Widened: true}, sdk.Exit{})
			if !tc.missed {
				second.Col.Test(part("A/x", "A", sdk.Passed))
			}
			second.Col.Test(part("A", "", sdk.Passed))
			second.Col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed})
			f := &Finisher{Run: first, widened: second}
			merged, exit := f.merged(t.Context())
			if merged.FailuresTotal != tc.wantFailed || merged.Counts.Failed != tc.wantFailed || exit != tc.wantExit {
				t.Errorf("%d failures, %d failed tests, exit %+v; want %d, %+v", merged.FailuresTotal, merged.Counts.Failed, exit, tc.wantFailed, tc.wantExit)
			}
		})
	}
}

// Tests and benchmarks of one package are two commands.
func TestTheWorstEndOfASuiteCounts(t *testing.T) {
	for _, order := range [][]sdk.SuiteOutcome{{sdk.SuiteAborted, sdk.SuitePassed}, {sdk.SuitePassed, sdk.SuiteAborted}} {
		got := tally.NewTally()
		for _, o := range order {
			got.Suite(sdk.SuiteResult{Suite: "p", Outcome: o})
		}
		if got.Suites["p"] != sdk.SuiteAborted || got.Counts.Suites != 1 {
			t.Errorf("%v: outcome %v, %d suites", order, got.Suites["p"], got.Counts.Suites)
		}
	}
}

func TestFailuresThatComeFromNothingReportedAreCounted(t *testing.T) {
	t.Parallel()
	derived := sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "T"}, Status: sdk.Failed, Derived: true}
	alone := tally.NewCollector(nil, nil, api.Observer{})
	alone.Test(derived)
	alone.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
	if got, e := alone.Tally.Ended().Failed, alone.Tally.Evidence(); got != 1 || e.Failed != 1 {
		t.Errorf("alone: %d counted, %d decide", got, e.Failed)
	}
	beside := tally.NewCollector(nil, nil, api.Observer{})
	beside.Test(derived)
	beside.Test(sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "T/x"}, Root: "T", Status: sdk.Failed})
	if got := beside.Tally.Ended().Failed; got != 1 {
		t.Errorf("beside its cause: %d counted", got)
	}
}

// What a test shows when it runs again, and what its subtests show, is no other test.
func TestEachTestIsCountedOnce(t *testing.T) {
	counted := tally.NewTally()
	for range 3 {
		for _, r := range []api.Result{
			{Suite: "p", Test: "A", Status: api.TestPassed}, {Suite: "p", Test: "A/x", Root: "A", Status: api.TestPassed},
			{Suite: "p", Test: "A/y", Root: "A", Status: api.TestSkipped}, {Suite: "q", Test: "A", Status: api.TestPassed},
			{Suite: "q", Test: "B", Status: api.TestSkipped}, {Suite: "q", Test: "setUp()", Fixture: true, Status: api.TestPassed},
		} {
			counted.AddResult(r)
		}
	}
	counted.AddResult(api.Result{Suite: "q", Test: "A", Status: api.TestSkipped})
	counted.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed})
	counted.Suite(sdk.SuiteResult{Suite: "r", Outcome: sdk.SuiteNoTests})
	want := api.Counts{Suites: 2, SuitesWithoutTests: 1, Tests: 3, TestsPassed: 2, TestsSkipped: 1, Subtests: 6, Repeats: 7, Passed: 9, Skipped: 7}
	if got := counted.Ended(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	counted.AddResult(api.Result{Suite: "q", Test: "A", Status: api.TestFailed})
	counted.AddResult(api.Result{Suite: "q", Test: "A", Status: api.TestPassed})
	if got := counted.Ended(); got.Tests != 3 || got.TestsPassed != 1 {
		t.Errorf("after a failure: %+v", got)
	}
}

func TestTooManyTestsAreCountedByTheirResults(t *testing.T) {
	counted := tally.NewTally()
	for i := range tally.MaxDistinct + 1 {
		counted.AddResult(api.Result{Suite: "p", Test: fmt.Sprint(i), Status: api.TestPassed})
	}
	got := counted.Ended()
	if got.Tests != 0 || got.TestsPassed != 0 || got.Repeats != 0 || got.GreenTests() != tally.MaxDistinct+1 || len(counted.Tests.Status) > tally.MaxDistinct {
		t.Errorf("%+v, %d in memory", got, len(counted.Tests.Status))
	}
	e := counted.Evidence()
	e.Exited = true
	if d := verdict.Decide(e); d.Reason != "100001 results passed" {
		t.Error(d.Reason)
	}
}
