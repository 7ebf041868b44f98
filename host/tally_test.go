package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

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
		want   record.Verdict
	}{
		{"a pass", func(s sdk.Sink) {}, record.Passed},
		{"a failed test", func(s sdk.Sink) { s.Test(test(sdk.Failed)); s.Failure(failure(sdk.KindAssertion)) }, record.Failed},
		{"a test that failed because of one that nobody reported", func(s sdk.Sink) { r := test(sdk.Failed); r.Derived = true; s.Test(r) }, record.Failed},
		{"a failure without a result", func(s sdk.Sink) { s.Failure(failure(sdk.KindRace)) }, record.Failed},
		{"a result without a failure", func(s sdk.Sink) { s.Test(test(sdk.Failed)) }, record.Failed},
		{"a kind of failure nobody knows", func(s sdk.Sink) { s.Failure(failure("gremlin")) }, record.Failed},
		{"build", func(s sdk.Sink) { s.Failure(failure(sdk.KindBuild)) }, record.BuildFailed},
		{"vet", func(s sdk.Sink) { s.Failure(failure(sdk.KindVet)) }, record.BuildFailed},
		{"setup", func(s sdk.Sink) { s.Failure(failure(sdk.KindSetup)) }, record.BuildFailed},
		{"a suite that did not build, without a failure", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteBuildFailed}) }, record.BuildFailed},
		{"a failed suite, without a failure", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed}) }, record.Failed},
		{"a suite that failed outside of its tests", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailedOutsideTests}) }, record.Failed},
		{"an aborted suite", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted}) }, record.Incomplete},
		{"a suite without an end", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteUnfinished}) }, record.Incomplete},
		{"a suite without tests", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteNoTests}) }, record.Passed},
		{"a time-out", func(s sdk.Sink) { s.Failure(failure(sdk.KindTimeout)) }, record.Incomplete},
		{"a signal", func(s sdk.Sink) { s.Failure(failure(sdk.KindSignal)) }, record.Incomplete},
		{"an unfinished test", func(s sdk.Sink) { s.Test(test(sdk.Unfinished)) }, record.Incomplete},
		{"a status from the future", func(s sdk.Sink) { s.Test(test(99)) }, record.Incomplete},
		{"damage", func(s sdk.Sink) { s.Unread(sdk.Unread{Bytes: 3, Damaged: true}) }, record.Incomplete},
		{"damage of no size", func(s sdk.Sink) { s.Unread(sdk.Unread{Damaged: true}) }, record.Incomplete},
		{"foreign text", func(s sdk.Sink) { s.Unread(sdk.Unread{Bytes: 300}) }, record.Passed},
		{"a run error", func(s sdk.Sink) { s.RunError("no go.mod") }, record.Incomplete},
		{"a note", func(s sdk.Sink) { s.Note("slow") }, record.Passed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newCollector(nil, nil, Observer{})
			c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "q", Name: "Green"}, Status: sdk.Passed})
			tc.report(c)
			c.endCommand()
			e := c.tally.evidence()
			e.Exited = true
			if got := verdict.Decide(e); got.Verdict != tc.want {
				t.Errorf("verdict %s (%s), want %s", got.Verdict, got.Reason, tc.want)
			}
		})
	}
}

func TestATallyDoesNotGrowWithTheRun(t *testing.T) {
	c := newCollector(nil, nil, Observer{})
	for i := range 50_000 {
		id := sdk.TestID{Suite: "p", Name: fmt.Sprint(i)}
		c.Test(sdk.TestResult{ID: id, Status: sdk.Unfinished})
		c.Failure(sdk.Failure{ID: id, Kind: sdk.KindAssertion})
		c.Note(fmt.Sprint(i))
		c.RunError(strings.Repeat("x", 1000))
		c.Unread(sdk.Unread{Bytes: 1, Sample: "x"})
	}
	got := c.tally
	if len(got.failures) > record.MaxFailures || len(got.unfinished) > record.MaxNames || len(got.notes) > maxNotes ||
		len(got.samples) > maxNotes || len(got.runErrorText()) > maxRunError+100 || len(c.ordinals) > maxOrdinals {
		t.Errorf("kept %d failures, %d names, %d notes, %d samples, %d ordinals",
			len(got.failures), len(got.unfinished), len(got.notes), len(got.samples), len(c.ordinals))
	}
	if got.failuresTotal != 50_000 || got.counts.Unfinished != 50_000 {
		t.Errorf("counted %d failures and %d unfinished tests", got.failuresTotal, got.counts.Unfinished)
	}
}

func TestAFailedParentIsNotCounted(t *testing.T) {
	c := newCollector(nil, nil, Observer{})
	c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "A/x"}, Root: "A", Status: sdk.Failed})
	c.Test(sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "A"}, Status: sdk.Failed, Container: true, Derived: true})
	if c.tally.counts.Failed != 1 {
		t.Errorf("%d failed tests, want 1", c.tally.counts.Failed)
	}
}

func TestFailuresOfOneTestAndKindHaveDifferentIDs(t *testing.T) {
	c := newCollector(nil, nil, Observer{})
	for range 3 {
		c.Failure(sdk.Failure{ID: sdk.TestID{Suite: "p", Name: "T"}, Kind: sdk.KindRace})
	}
	ids := []string{}
	for _, f := range c.tally.failures {
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
	targets := []rerun.Target{{Test: record.Test{Suite: "p", Test: "A/x"}, Root: "A"}, {Test: record.Test{Suite: "p", Test: "B"}}}
	newExecution := func(scope rerun.Scope, exit sdk.Exit) *execution {
		x := &execution{keep: true, newFold: func() *rerun.Fold { return rerun.NewFold("r", rerun.Set{}, scope) }}
		x.begin(Observer{})
		x.done = []executed{{exit: exit}}
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
			first := newExecution(rerun.Scope{Tests: targets}, tc.firstExit)
			first.col.Test(part("A/x", "A", sdk.Failed))
			first.col.Failure(failed("A/x"))
			if tc.bFails {
				first.col.Test(part("B", "", sdk.Failed))
				first.col.Failure(failed("B"))
			} else {
				first.col.Test(part("B", "", sdk.Passed))
			}
			first.col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
			second := newExecution(rerun.Scope{Tests: targets[:1], Widened: true}, sdk.Exit{})
			if !tc.missed {
				second.col.Test(part("A/x", "A", sdk.Passed))
			}
			second.col.Test(part("A", "", sdk.Passed))
			second.col.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed})
			f := &finisher{run: first, widened: second}
			merged, exit := f.merged(t.Context())
			if merged.failuresTotal != tc.wantFailed || merged.counts.Failed != tc.wantFailed || exit != tc.wantExit {
				t.Errorf("%d failures, %d failed tests, exit %+v; want %d, %+v", merged.failuresTotal, merged.counts.Failed, exit, tc.wantFailed, tc.wantExit)
			}
		})
	}
}

// Tests and benchmarks of one package are two commands.
func TestTheWorstEndOfASuiteCounts(t *testing.T) {
	for _, order := range [][]sdk.SuiteOutcome{{sdk.SuiteAborted, sdk.SuitePassed}, {sdk.SuitePassed, sdk.SuiteAborted}} {
		got := newTally()
		for _, o := range order {
			got.suite(sdk.SuiteResult{Suite: "p", Outcome: o})
		}
		if got.suites["p"] != sdk.SuiteAborted || got.counts.Suites != 1 {
			t.Errorf("%v: outcome %v, %d suites", order, got.suites["p"], got.counts.Suites)
		}
	}
}

func TestFailuresThatComeFromNothingReportedAreCounted(t *testing.T) {
	t.Parallel()
	derived := sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "T"}, Status: sdk.Failed, Derived: true}
	alone := newCollector(nil, nil, Observer{})
	alone.Test(derived)
	alone.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteFailed})
	if got, e := alone.tally.ended().Failed, alone.tally.evidence(); got != 1 || e.Failed != 1 {
		t.Errorf("alone: %d counted, %d decide", got, e.Failed)
	}
	beside := newCollector(nil, nil, Observer{})
	beside.Test(derived)
	beside.Test(sdk.TestResult{ID: sdk.TestID{Suite: "p", Name: "T/x"}, Root: "T", Status: sdk.Failed})
	if got := beside.tally.ended().Failed; got != 1 {
		t.Errorf("beside its cause: %d counted", got)
	}
}

// What a test shows when it runs again, and what its subtests show, is no other test.
func TestEachTestIsCountedOnce(t *testing.T) {
	tally := newTally()
	for range 3 {
		for _, r := range []record.Result{
			{Suite: "p", Test: "A", Status: record.TestPassed}, {Suite: "p", Test: "A/x", Root: "A", Status: record.TestPassed},
			{Suite: "p", Test: "A/y", Root: "A", Status: record.TestSkipped}, {Suite: "q", Test: "A", Status: record.TestPassed},
			{Suite: "q", Test: "B", Status: record.TestSkipped}, {Suite: "q", Test: "setUp()", Fixture: true, Status: record.TestPassed},
		} {
			tally.result(r)
		}
	}
	tally.result(record.Result{Suite: "q", Test: "A", Status: record.TestSkipped})
	tally.suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuitePassed})
	tally.suite(sdk.SuiteResult{Suite: "r", Outcome: sdk.SuiteNoTests})
	want := record.Counts{Suites: 2, SuitesWithoutTests: 1, Tests: 3, TestsPassed: 2, TestsSkipped: 1, Subtests: 6, Repeats: 7, Passed: 9, Skipped: 7}
	if got := tally.ended(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	tally.result(record.Result{Suite: "q", Test: "A", Status: record.TestFailed})
	tally.result(record.Result{Suite: "q", Test: "A", Status: record.TestPassed})
	if got := tally.ended(); got.Tests != 3 || got.TestsPassed != 1 {
		t.Errorf("after a failure: %+v", got)
	}
}

func TestTooManyTestsAreCountedByTheirResults(t *testing.T) {
	tally := newTally()
	for i := range maxDistinct + 1 {
		tally.result(record.Result{Suite: "p", Test: fmt.Sprint(i), Status: record.TestPassed})
	}
	got := tally.ended()
	if got.Tests != 0 || got.TestsPassed != 0 || got.Repeats != 0 || got.GreenTests() != maxDistinct+1 || len(tally.tests.status) > maxDistinct {
		t.Errorf("%+v, %d in memory", got, len(tally.tests.status))
	}
	e := tally.evidence()
	e.Exited = true
	if d := verdict.Decide(e); d.Reason != "100001 results passed" {
		t.Error(d.Reason)
	}
}
