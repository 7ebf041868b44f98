package outstanding_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func targets(list []outstanding.Target) []string {
	names := []string{}
	for _, t := range list {
		names = append(names, t.Suite+" "+t.Test)
	}
	return names
}

// left counts the outstanding tests that a selection says nothing about.
func left(s outstanding.Set, sel outstanding.Selection) int {
	told := map[sdk.TestID]bool{}
	for _, t := range sel.Requested {
		told[t.TestID] = true
	}
	for _, g := range sel.Gone {
		told[g.TestID] = true
	}
	n := 0
	for _, e := range s.Entries {
		if !told[e.TestID] {
			n++
		}
	}
	return n
}

// entryOf returns a failed test that a run added and that was red last in another.
func entryOf(suite, test, added, last string) outstanding.Entry {
	e := entry(suite, test, "", outstanding.ReasonFailed)
	e.RunID, e.LastRunID = added, last
	return e
}

func TestSelect(t *testing.T) {
	all := outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A", "B", "C"}, "q": {"D"}}}
	for _, tc := range []struct {
		name          string
		set           outstanding.Set
		inventory     outstanding.Inventory
		limit         int
		want          []string // targets
		wantRequested []string // nil: the same
		wantGone      int
		wantLeft      int
	}{
		{"everything outstanding", set(entry("p", "A", "", outstanding.ReasonFailed), entry("q", "D", "", outstanding.ReasonFailed)),
			all, 50, []string{"p A", "q D"}, nil, 0, 0},
		{"the limit leaves the rest", set(entry("p", "A", "", outstanding.ReasonFailed), entry("p", "B", "", outstanding.ReasonFailed), entry("q", "D", "", outstanding.ReasonFailed)),
			all, 1, []string{"p A"}, nil, 0, 2},
		{"a test and its parts are one name", set(entry("p", "A/x", "A", outstanding.ReasonFailed), entry("p", "A/y", "A", outstanding.ReasonFailed), entry("p", "B", "", outstanding.ReasonFailed)),
			all, 1, []string{"p A/x", "p A/y"}, nil, 0, 1},
		{"what never started comes last", set(entry("p", "A", "", outstanding.ReasonNeverStarted), entry("p", "B", "", outstanding.ReasonFailed), entry("q", "D", "", outstanding.ReasonUnfinished)),
			all, 2, []string{"p B", "q D"}, nil, 0, 1},
		{"what was red last comes first, then what was added last", set(entryOf("p", "A", "r1", "r1"), entryOf("p", "B", "r1", "r3"), entryOf("p", "C", "r2", "r2"), entryOf("q", "D", "r1", "r1")),
			all, 2, []string{"p B", "p C"}, nil, 0, 2},
		{"a test that is gone is not run", set(entry("p", "Z", "", outstanding.ReasonFailed)),
			all, 50, []string{}, nil, 1, 0},
		{"nor a part of one", set(entry("p", "Z/x", "Z", outstanding.ReasonFailed)),
			all, 50, []string{}, nil, 1, 0},
		{"a part of an existing one is", set(entry("p", "A/x", "A", outstanding.ReasonFailed)),
			all, 50, []string{"p A/x"}, nil, 0, 0},
		{"a test that only runs on request exists", set(entry("p", "Bench", "", outstanding.ReasonFailed)),
			outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}, OnRequest: map[string][]string{"p": {"Bench"}}}, 50, []string{"p Bench"}, nil, 0, 0},
		{"a suite that is gone", set(entry("r", "", "", outstanding.ReasonSuite)),
			all, 50, []string{}, nil, 1, 0},
		{"an incomplete inventory proves no absence", set(entry("r", "", "", outstanding.ReasonSuite)),
			outstanding.Inventory{}, 50, []string{"r "}, nil, 0, 0},
		{"gone tests do not use up the limit", set(entry("p", "Z", "", outstanding.ReasonFailed), entry("p", "A", "", outstanding.ReasonFailed)),
			all, 1, []string{"p A"}, nil, 1, 0},
		{"everything covers all", set(entry("p", "A", "", outstanding.ReasonFailed), entry("", "", "", outstanding.ReasonRun)),
			all, 50, []string{" "}, []string{"p A", " "}, 0, 0},
		{"a whole suite covers its tests", set(entry("p", "A", "", outstanding.ReasonFailed), entry("p", "", "", outstanding.ReasonSuite)),
			all, 50, []string{"p "}, []string{"p A", "p "}, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := outstanding.Select(tc.set, tc.inventory, tc.limit, "r3")
			if !slices.Equal(targets(got.Targets), tc.want) {
				t.Errorf("targets = %q, want %q", targets(got.Targets), tc.want)
			}
			if tc.wantRequested == nil {
				tc.wantRequested = tc.want
			}
			if !slices.Equal(targets(got.Requested), tc.wantRequested) {
				t.Errorf("requested = %q, want %q", targets(got.Requested), tc.wantRequested)
			}
			if len(got.Gone) != tc.wantGone || left(tc.set, got) != tc.wantLeft {
				t.Errorf("gone %d, left %d; want %d, %d", len(got.Gone), left(tc.set, got), tc.wantGone, tc.wantLeft)
			}
			for _, g := range got.Gone {
				if g.Outcome != api.OutcomeDidNotRun || g.Why == "" {
					t.Errorf("gone test %+v is not reported as did_not_run with a reason", g)
				}
			}
		})
	}
}

// A failing test that was renamed must not slip out of the rerun: what is new
// in its suite runs.
func TestSelectIncludesNewTestsOfAffectedSuites(t *testing.T) {
	s := set(entry("p", "Old", "", outstanding.ReasonFailed))
	s.Known = map[string][]string{"p": {"Old", "B"}}
	inventory := outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"B", "New"}, "q": {"E"}}}
	got := outstanding.Select(s, inventory, 50, "")
	if !slices.Equal(targets(got.Targets), []string{"p New"}) || !got.Targets[0].New {
		t.Errorf("targets = %+v, want the new test of p alone", got.Targets)
	}
	if len(got.Gone) != 1 {
		t.Errorf("gone = %+v, want the old name", got.Gone)
	}
}

// Without knowing what a suite had, nothing in it is known to be new.
func TestSelectDoesNotGuessWhatIsNew(t *testing.T) {
	s := set(entry("p", "A", "", outstanding.ReasonFailed))
	inventory := outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {"A", "B"}}}
	if got := outstanding.Select(s, inventory, 50, ""); !slices.Equal(targets(got.Targets), []string{"p A"}) {
		t.Errorf("targets = %q, want only the outstanding test", targets(got.Targets))
	}
}

func TestJudge(t *testing.T) {
	ask := func(test, root string) outstanding.Target {
		return outstanding.Target{TestID: sdk.TestID{Suite: "p", Test: test}, Root: root}
	}
	for _, tc := range []struct {
		name         string
		target       outstanding.Target
		widened      bool
		run          func(*outstanding.Fold)
		want         api.Outcome
		wantFallback bool
	}{
		{"passed", ask("A", ""), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, api.OutcomePassed, false},
		{"failed", ask("A", ""), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
			f.Listen(suiteEnded("p", sdk.SuiteFailed))
		}, api.OutcomeFailed, false},
		{"skipped", ask("A", ""), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, api.OutcomeSkipped, false},
		{"did not finish", ask("A", ""), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Unfinished)})
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
		}, api.OutcomeFailed, false},
		{"a part that failed alone is run with its whole", ask("A/x", "A"), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Failed)})
			f.Listen(suiteEnded("p", sdk.SuiteFailed))
		}, api.OutcomeFailed, true},
		{"a part that vanished is looked for in its whole", ask("A/x", "A"), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, api.OutcomeDidNotRun, true},
		{"once is enough", ask("A/x", "A"), true, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, api.OutcomeDidNotRun, false},
		{"the suite does not build", ask("A/x", "A"), false, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteBuildFailed))
		}, api.OutcomeDidNotRun, false},
		{"the suite ended early", ask("A", ""), false, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
		}, api.OutcomeDidNotRun, false},
		{"the run was stopped", ask("A", ""), false, func(f *outstanding.Fold) { f.Knows.Stopped = true }, api.OutcomeDidNotRun, false},
		{"nobody reported on the suite", ask("A", ""), false, func(*outstanding.Fold) {}, api.OutcomeDidNotRun, false},
		{"a whole suite passed", ask("", ""), false, func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, api.OutcomePassed, false},
		{"a whole suite was skipped", ask("", ""), false, func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuitePassed)) }, api.OutcomeSkipped, false},
		{"a whole suite failed", ask("", ""), false, func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuiteFailed)) }, api.OutcomeFailed, false},
		{"a whole suite lost its tests", ask("", ""), false, func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuiteNoTests)) }, api.OutcomeDidNotRun, false},
		{"a whole suite was not run", ask("", ""), false, func(*outstanding.Fold) {}, api.OutcomeDidNotRun, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := outstanding.NewFold("now", set(), outstanding.Scope{Tests: []outstanding.Target{tc.target}, Widened: tc.widened})
			tc.run(f)
			got := outstanding.Judge(f)
			if len(got.Requested) != 1 || got.Requested[0].Outcome != tc.want {
				t.Errorf("requested = %+v, want %s", got.Requested, tc.want)
			}
			if (len(got.Fallback) > 0) != tc.wantFallback {
				t.Errorf("fallback = %+v, want one: %t", got.Fallback, tc.wantFallback)
			}
			if r := got.Requested[0]; r.Outcome == api.OutcomeDidNotRun && r.Why == "" {
				t.Error("did_not_run without a reason")
			}
			if says, isStop := strings.Contains(got.Requested[0].Why, "stopped"), tc.name == "the run was stopped"; says != isStop {
				t.Errorf("the reason is %q", got.Requested[0].Why)
			}
		})
	}
}
