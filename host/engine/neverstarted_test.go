package engine

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/shard"
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
		u := unstarted{conclusion: c, aborted: c.tally.Aborted()}
		if got := u.mayLackTests("p"); got != tc.lacks {
			t.Errorf("%s: may lack tests: %v", tc.name, got)
			continue
		}
		if tc.lacks {
			u.markMissing("p", []string{"A", "B"})
		}
		after := c.first.fold.After(outstanding.Set{}, outstanding.Partial)
		if after.Len() != tc.entries || c.tally.Counts.NeverStarted != tc.unlisted {
			t.Errorf("%s: %d outstanding, %d never started, want %d, %d", tc.name, after.Len(), c.tally.Counts.NeverStarted, tc.entries, tc.unlisted)
		}
	}
}

func TestWhatDidNotStartIsOutstandingByNameWhereAListingHasTheNames(t *testing.T) {
	failed := sdk.Exit{Code: 1}
	interrupted := sdk.Exit{Code: -1, Cancelled: true}
	aborted := func(s sdk.Sink) {
		s.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Passed})
		s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteAborted})
	}
	tests := func(complete bool) outstanding.Inventory {
		return outstanding.Inventory{Tests: map[string][]string{"p": {"A", "B"}}, Complete: complete}
	}
	for _, tc := range []struct {
		name   string
		report func(sdk.Sink)
		exit   sdk.Exit
		inv    outstanding.Inventory
		want   []string
	}{
		{"an aborted suite", aborted, failed, tests(true), []string{"p/B: never_started "}},
		{"an aborted suite of an incomplete listing", aborted, failed, tests(false), []string{"p/B: never_started "}},
		{"an aborted suite that is not listed", aborted, failed, outstanding.Inventory{Complete: true}, []string{"p/: suite ended_early"}},
		{"a suite that was not reported", func(sdk.Sink) {}, failed, tests(true), []string{"p/A: never_started ", "p/B: never_started "}},
		{"a run killed before it reported anything", func(sdk.Sink) {}, sdk.Exit{Code: -1, Signal: "SIGKILL"}, tests(true), []string{"p/A: never_started no_result", "p/B: never_started no_result"}},
		{"a run killed and not listed whole", func(sdk.Sink) {}, sdk.Exit{Code: -1, Signal: "SIGKILL"}, outstanding.Inventory{}, []string{"/: run cut_off"}},
		{"an interrupted suite", aborted, interrupted, tests(true), []string{"p/B: never_started "}},
		{"a suite that the interrupt ended", func(s sdk.Sink) {
			s.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "p", Test: "A"}, Status: sdk.Passed})
			s.Suite(sdk.SuiteResult{Suite: "p", Outcome: sdk.SuiteUnfinished})
		}, interrupted, tests(true), nil},
	} {
		c := concludes(tc.report)
		c.exit, c.first.Done = tc.exit, []endedCommand{{exit: tc.exit}}
		c.findUnstarted().mark(tc.inv, true)
		var got []string
		for _, e := range c.first.fold.After(outstanding.Set{}, outstanding.Partial).Entries {
			got = append(got, e.Suite+"/"+e.Test+": "+string(e.Reason)+" "+string(e.Why))
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: outstanding are %q, want %q", tc.name, got, tc.want)
		}
	}
}

// The report of a shard may name what the merge misses.
func TestAMergeNamesWhatIsMissingOnce(t *testing.T) {
	whole, test := sdk.TestID{Suite: "p"}, sdk.TestID{Suite: "p", Test: "T"}
	for _, said := range []sdk.TestID{whole, test} {
		m := &Merged{Merge: shard.Merge{Missing: []sdk.TestID{whole}, Last: []shard.Report{{Run: api.Run{Counts: api.Counts{NeverStarted: 1}, NeverStarted: []sdk.TestID{said}}}}}}
		fold, seen := outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{}), tally.NewTally()
		m.addMissing(seen, fold)
		if len(seen.Never) != 1 || seen.Never[0] != said || seen.Counts.NeverStarted != 1 {
			t.Errorf("%v is named as %v", said, seen.Never)
		}
		if !fold.IsRed(whole) {
			t.Errorf("%v: the suite is not outstanding as a whole", said)
		}
	}
}
