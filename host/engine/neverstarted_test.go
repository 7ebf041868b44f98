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

// The report of a shard may name what the merge misses, and names only the first of many.
func TestAMergeNamesWhatIsMissingOnce(t *testing.T) {
	p, q, test, other := sdk.TestID{Suite: "p"}, sdk.TestID{Suite: "q"}, sdk.TestID{Suite: "p", Test: "T"}, sdk.TestID{Suite: "p", Test: "U"}
	for name, tc := range map[string]struct {
		said, missing []sdk.TestID
		more, count   int
		never, red    []sdk.TestID
	}{
		"the suite, twice":         {[]sdk.TestID{p}, []sdk.TestID{p}, 0, 1, []sdk.TestID{p}, []sdk.TestID{p}},
		"a test, and its suite":    {[]sdk.TestID{test}, []sdk.TestID{p}, 0, 1, []sdk.TestID{test}, []sdk.TestID{p, test}},
		"two tests, and the suite": {[]sdk.TestID{test, other}, []sdk.TestID{p}, 0, 2, []sdk.TestID{test, other}, []sdk.TestID{p, test, other}},
		"the suite, and a test":    {[]sdk.TestID{p}, []sdk.TestID{test}, 0, 2, []sdk.TestID{p, test}, []sdk.TestID{p}},
		"more than are named":      {[]sdk.TestID{test}, nil, 3, 4, []sdk.TestID{test}, []sdk.TestID{test}},
		"two suites":               {[]sdk.TestID{q}, []sdk.TestID{test, other}, 0, 3, []sdk.TestID{test, other, q}, []sdk.TestID{q, test, other}},
		"nothing":                  {nil, nil, 0, 0, nil, nil},
	} {
		m := &Merged{Merge: shard.Merge{Missing: tc.missing, Last: []shard.Report{{}, {Run: api.Run{Counts: api.Counts{NeverStarted: len(tc.said) + tc.more}, NeverStarted: tc.said}}}}}
		fold, seen := outstanding.NewFold("now", outstanding.Set{}, outstanding.Scope{}), tally.NewTally()
		m.addMissing(seen, fold)
		if !slices.Equal(seen.Never, tc.never) || seen.Counts.NeverStarted != tc.count {
			t.Errorf("%s: %d never started, named as %v", name, seen.Counts.NeverStarted, seen.Never)
		}
		for _, id := range []sdk.TestID{p, q, test, other} {
			if fold.IsRed(id) != slices.Contains(tc.red, id) {
				t.Errorf("%s: %v is outstanding: %t", name, id, fold.IsRed(id))
			}
		}
	}
}
