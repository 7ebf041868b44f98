package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// concludes is the conclusion of a run whose only command showed what report says.
func concludes(report func(sdk.Sink)) *conclusion {
	fold := outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{})
	col := tally.NewCollector(fold)
	report(col)
	return &conclusion{plan: &Plan{}, executed: &executed{first: &Execution{fold: fold, Col: col}}, tally: col.Tally}
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
		c := concludes(tc.report)
		if got := c.mayLackTests("p", c.tally.Aborted()); got != tc.lacks {
			t.Errorf("%s: may lack tests: %v", tc.name, got)
			continue
		}
		if tc.lacks {
			c.markMissing("p", []string{"A", "B"}, false, true)
		}
		after := c.first.fold.After(outstanding.Set{}, outstanding.Partial)
		if after.Len() != tc.entries || c.tally.Counts.NeverStarted != tc.unlisted {
			t.Errorf("%s: %d outstanding, %d never started, want %d, %d", tc.name, after.Len(), c.tally.Counts.NeverStarted, tc.entries, tc.unlisted)
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
		x.Done = []endedCommand{{exit: exit}}
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
			c := &conclusion{record: &record{}, executed: &executed{first: first, fallback: second}}
			c.mergeFallback(t.Context())
			merged, exit := c.tally, c.exit
			if merged.FailuresTotal != tc.wantFailed || merged.Counts.Failed != tc.wantFailed || exit != tc.wantExit {
				t.Errorf("%d failures, %d failed tests, exit %+v; want %d, %+v", merged.FailuresTotal, merged.Counts.Failed, exit, tc.wantFailed, tc.wantExit)
			}
		})
	}
}
