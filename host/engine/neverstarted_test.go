package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// concludes is the conclusion of a run whose only command showed what report says.
func concludes(report func(sdk.Sink)) *conclusion {
	fold := outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{})
	col := tally.NewCollector(fold)
	report(col)
	return &conclusion{execution: &execution{plan: &Plan{}, first: &Batch{fold: fold, Col: col}}, tally: col.Tally}
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
