package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// finisherOf is one whose only command showed what report says.
func finisherOf(report func(sdk.Sink)) (*Finisher, *tally.Tally) {
	f := &Finisher{Run: &Execution{fold: outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{})}}
	col := tally.NewCollector(f.Run.fold)
	report(col)
	return f, col.Tally
}

func TestTestsOfASuiteWithoutResultsAreNamedByItsFixture(t *testing.T) {
	fixture := func(s sdk.Status) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "setUp()"}, Status: s, Fixture: true}
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
			s.Failure(sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindSetup})
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

// A rerun's second command decides about the tests that it ran whole, and only
// about these.
func TestTheFallbackOfARerunOverrulesTheParts(t *testing.T) {
	part := func(name, root string, status sdk.Status) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: name}, Root: root, Status: status}
	}
	failed := func(name string) sdk.Failure {
		return sdk.Failure{TestID: sdk.TestID{Suite: "p", Test: name}, Kind: sdk.KindAssertion}
	}
	targets := []outstanding.Target{{Test: api.Test{Suite: "p", Test: "A/x"}, Root: "A"}, {Test: api.Test{Suite: "p", Test: "B"}}}
	newExecution := func(scope outstanding.Scope, exit sdk.Exit) *Execution {
		x := &Execution{Keep: true, NewFold: func() *outstanding.Fold { return outstanding.NewFold("r", outstanding.Set{}, scope) }}
		x.Begin()
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
