package rerun_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

func targets(list []rerun.Target) []string {
	names := []string{}
	for _, t := range list {
		names = append(names, t.Suite+" "+t.Test.Test)
	}
	return names
}

// left counts the outstanding tests that a selection says nothing about.
func left(s rerun.Set, sel rerun.Selection) int {
	told := map[record.Test]bool{}
	for _, t := range sel.Requested {
		told[t.Test] = true
	}
	for _, g := range sel.Gone {
		told[record.Test{Suite: g.Suite, Test: g.Test}] = true
	}
	n := 0
	for _, e := range s.Entries {
		if !told[e.Test] {
			n++
		}
	}
	return n
}

func TestSelect(t *testing.T) {
	all := rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A", "B", "C"}, "q": {"D"}}}
	for _, tc := range []struct {
		name          string
		set           rerun.Set
		inventory     rerun.Inventory
		limit         int
		want          []string // targets
		wantRequested []string // nil: the same
		wantGone      int
		wantLeft      int
	}{
		{"everything outstanding", set(entry("p", "A", "", rerun.ReasonFailed), entry("q", "D", "", rerun.ReasonFailed)),
			all, 50, []string{"p A", "q D"}, nil, 0, 0},
		{"the limit leaves the rest", set(entry("p", "A", "", rerun.ReasonFailed), entry("p", "B", "", rerun.ReasonFailed), entry("q", "D", "", rerun.ReasonFailed)),
			all, 1, []string{"p A"}, nil, 0, 2},
		{"a test and its parts are one name", set(entry("p", "A/x", "A", rerun.ReasonFailed), entry("p", "A/y", "A", rerun.ReasonFailed), entry("p", "B", "", rerun.ReasonFailed)),
			all, 1, []string{"p A/x", "p A/y"}, nil, 0, 1},
		{"what never started comes last", set(entry("p", "A", "", rerun.ReasonNeverStarted), entry("p", "B", "", rerun.ReasonFailed), entry("q", "D", "", rerun.ReasonUnfinished)),
			all, 2, []string{"p B", "q D"}, nil, 0, 1},
		{"a test that is gone is not run", set(entry("p", "Z", "", rerun.ReasonFailed)),
			all, 50, []string{}, nil, 1, 0},
		{"nor a part of one", set(entry("p", "Z/x", "Z", rerun.ReasonFailed)),
			all, 50, []string{}, nil, 1, 0},
		{"a part of an existing one is", set(entry("p", "A/x", "A", rerun.ReasonFailed)),
			all, 50, []string{"p A/x"}, nil, 0, 0},
		{"a test that only runs on request exists", set(entry("p", "Bench", "", rerun.ReasonFailed)),
			rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A"}}, OnRequest: map[string][]string{"p": {"Bench"}}}, 50, []string{"p Bench"}, nil, 0, 0},
		{"a suite that is gone", set(entry("r", "", "", rerun.ReasonSuite)),
			all, 50, []string{}, nil, 1, 0},
		{"an incomplete inventory proves no absence", set(entry("r", "", "", rerun.ReasonSuite)),
			rerun.Inventory{}, 50, []string{"r "}, nil, 0, 0},
		{"gone tests do not use up the limit", set(entry("p", "Z", "", rerun.ReasonFailed), entry("p", "A", "", rerun.ReasonFailed)),
			all, 1, []string{"p A"}, nil, 1, 0},
		{"everything covers all", set(entry("p", "A", "", rerun.ReasonFailed), entry("", "", "", rerun.ReasonRun)),
			all, 50, []string{" "}, []string{"p A", " "}, 0, 0},
		{"a whole suite covers its tests", set(entry("p", "A", "", rerun.ReasonFailed), entry("p", "", "", rerun.ReasonSuite)),
			all, 50, []string{"p "}, []string{"p A", "p "}, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := rerun.Select(tc.set, tc.inventory, tc.limit)
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
				if g.Outcome != record.OutcomeDidNotRun || g.Why == "" {
					t.Errorf("gone test %+v is not reported as did_not_run with a reason", g)
				}
			}
		})
	}
}

// A failing test that was renamed must not slip out of the rerun: what is new
// in its suite runs.
func TestSelectIncludesNewTestsOfAffectedSuites(t *testing.T) {
	s := set(entry("p", "Old", "", rerun.ReasonFailed))
	s.Known = map[string][]string{"p": {"Old", "B"}}
	inventory := rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"B", "New"}, "q": {"E"}}}
	got := rerun.Select(s, inventory, 50)
	if !slices.Equal(targets(got.Targets), []string{"p New"}) || !got.Targets[0].New {
		t.Errorf("targets = %+v, want the new test of p alone", got.Targets)
	}
	if len(got.Gone) != 1 {
		t.Errorf("gone = %+v, want the old name", got.Gone)
	}
}

// Without knowing what a suite had, nothing in it is known to be new.
func TestSelectDoesNotGuessWhatIsNew(t *testing.T) {
	s := set(entry("p", "A", "", rerun.ReasonFailed))
	inventory := rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {"A", "B"}}}
	if got := rerun.Select(s, inventory, 50); !slices.Equal(targets(got.Targets), []string{"p A"}) {
		t.Errorf("targets = %q, want only the outstanding test", targets(got.Targets))
	}
}

func TestJudge(t *testing.T) {
	ask := func(test, root string) rerun.Target {
		return rerun.Target{Test: record.Test{Suite: "p", Test: test}, Root: root}
	}
	for _, tc := range []struct {
		name         string
		target       rerun.Target
		widened      bool
		run          func(*rerun.Fold)
		want         record.Outcome
		wantFallback bool
	}{
		{"passed", ask("A", ""), false, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, record.OutcomePassed, false},
		{"failed", ask("A", ""), false, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestFailed))
			f.Suite("p", rerun.SuiteFailed)
		}, record.OutcomeFailed, false},
		{"skipped", ask("A", ""), false, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, record.OutcomeSkipped, false},
		{"did not finish", ask("A", ""), false, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestUnfinished))
			f.Suite("p", rerun.SuiteAborted)
		}, record.OutcomeFailed, false},
		{"a part that failed alone is run with its whole", ask("A/x", "A"), false, func(f *rerun.Fold) {
			f.Result(inside("p", "A", "A/x", record.TestFailed))
			f.Suite("p", rerun.SuiteFailed)
		}, record.OutcomeFailed, true},
		{"a part that vanished is looked for in its whole", ask("A/x", "A"), false, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, record.OutcomeDidNotRun, true},
		{"once is enough", ask("A/x", "A"), true, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, record.OutcomeDidNotRun, false},
		{"the suite does not build", ask("A/x", "A"), false, func(f *rerun.Fold) {
			f.Suite("p", rerun.SuiteBroken)
		}, record.OutcomeDidNotRun, false},
		{"the suite ended early", ask("A", ""), false, func(f *rerun.Fold) {
			f.Suite("p", rerun.SuiteAborted)
		}, record.OutcomeDidNotRun, false},
		{"nobody reported on the suite", ask("A", ""), false, func(*rerun.Fold) {}, record.OutcomeDidNotRun, false},
		{"a whole suite passed", ask("", ""), false, func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, record.OutcomePassed, false},
		{"a whole suite was skipped", ask("", ""), false, func(f *rerun.Fold) { f.Suite("p", rerun.SuitePassed) }, record.OutcomeSkipped, false},
		{"a whole suite failed", ask("", ""), false, func(f *rerun.Fold) { f.Suite("p", rerun.SuiteFailed) }, record.OutcomeFailed, false},
		{"a whole suite lost its tests", ask("", ""), false, func(f *rerun.Fold) { f.Suite("p", rerun.SuiteEmpty) }, record.OutcomeDidNotRun, false},
		{"a whole suite was not run", ask("", ""), false, func(*rerun.Fold) {}, record.OutcomeDidNotRun, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := rerun.NewFold("now", set(), rerun.Scope{Tests: []rerun.Target{tc.target}, Widened: tc.widened})
			tc.run(f)
			got := rerun.Judge(f)
			if len(got.Requested) != 1 || got.Requested[0].Outcome != tc.want {
				t.Errorf("requested = %+v, want %s", got.Requested, tc.want)
			}
			if (len(got.Fallback) > 0) != tc.wantFallback {
				t.Errorf("fallback = %+v, want one: %t", got.Fallback, tc.wantFallback)
			}
			if r := got.Requested[0]; r.Outcome == record.OutcomeDidNotRun && r.Why == "" {
				t.Error("did_not_run without a reason")
			}
		})
	}
}
