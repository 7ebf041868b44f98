package rerun_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

// What leaves without having run is named, be it a test or a suite.
func TestWhatLeavesWithoutHavingRunIsGone(t *testing.T) {
	t.Parallel()
	suite := entry("p", "", "", rerun.ReasonSuite)
	neverStarted := entry("p", "A", "", rerun.ReasonNeverStarted)
	neverStarted.LastRunID = neverStarted.RunID
	for name, tc := range map[string]struct {
		before rerun.Set
		run    func(*rerun.Fold)
		want   []record.Test
	}{
		"a test that was removed": {set(entry("p", "A", "", rerun.ReasonFailed)), func(f *rerun.Fold) {
			f.Absent(rerun.Absences{{Suite: "p", Test: "A"}: nil})
		}, []record.Test{{Suite: "p", Test: "A"}}},
		"a suite that was removed": {set(suite), func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true})
		}, []record.Test{{Suite: "p"}}},
		"a suite that lost its tests": {set(suite), func(f *rerun.Fold) {
			f.Exists(rerun.Inventory{Complete: true, Tests: map[string][]string{"p": {}}})
			f.Suite("p", rerun.SuiteEmpty)
		}, []record.Test{{Suite: "p"}}},
		"a suite that ran": {set(suite), func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, nil},
		"a suite that never had tests": {rerun.Set{Entries: []rerun.Entry{suite}, Known: map[string][]string{"p": {}}}, func(f *rerun.Fold) {
			f.Suite("p", rerun.SuiteEmpty)
		}, nil},
		"a test that never started, and skips itself": {set(neverStarted), func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestSkipped))
			f.Suite("p", rerun.SuitePassed)
		}, nil},
		"everything": {set(entry("", "", "", rerun.ReasonRun)), func(f *rerun.Fold) {
			f.Result(result("p", "A", record.TestPassed))
			f.Suite("p", rerun.SuitePassed)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := rerun.NewFold("now", tc.before, rerun.Scope{})
			tc.run(f)
			after := f.After(tc.before, rerun.Green)
			if after.Len() > 0 {
				t.Fatalf("still outstanding: %q", names(after))
			}
			var got []record.Test
			for _, e := range f.Gone(tc.before, after) {
				got = append(got, e.Test)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("gone are %q, want %q", got, tc.want)
			}
		})
	}
}

// A test that had no end and now fails only by what is inside of it hands over to that.
func TestATestThatCameToItsEndHandsOverToWhatFailedInside(t *testing.T) {
	t.Parallel()
	part := inside("p", "A", "A/x", record.TestFailed)
	for name, tc := range map[string]struct {
		reason  rerun.Reason
		scope   rerun.Scope
		results []record.Result
		want    []string
	}{
		"it did": {rerun.ReasonUnfinished, rerun.Scope{},
			[]record.Result{part, container(result("p", "A", record.TestFailed), true)}, []string{"p A/x"}},
		"it never had started": {rerun.ReasonNeverStarted, rerun.Scope{},
			[]record.Result{part, container(result("p", "A", record.TestFailed), true)}, []string{"p A/x"}},
		"it failed itself before": {rerun.ReasonFailed, rerun.Scope{},
			[]record.Result{part, container(result("p", "A", record.TestFailed), true)}, []string{"p A", "p A/x"}},
		"it failed itself now": {rerun.ReasonUnfinished, rerun.Scope{},
			[]record.Result{part, container(result("p", "A", record.TestFailed), false)}, []string{"p A", "p A/x"}},
		"nothing inside is red": {rerun.ReasonUnfinished, rerun.Scope{},
			[]record.Result{container(result("p", "A", record.TestFailed), true)}, []string{"p A"}},
		"only a part of it ran": {rerun.ReasonUnfinished, rerun.Scope{InsideTests: true},
			[]record.Result{part, container(result("p", "A", record.TestFailed), true)}, []string{"p A", "p A/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := set(entry("p", "A", "", tc.reason))
			f := rerun.NewFold("now", before, tc.scope)
			for _, r := range tc.results {
				f.Result(r)
			}
			after := f.After(before, rerun.Ended)
			if got := names(after); !slices.Equal(got, tc.want) {
				t.Errorf("outstanding %q, want %q", got, tc.want)
			}
			if gone := f.Gone(before, after); len(gone) > 0 {
				t.Errorf("gone are %v", gone)
			}
		})
	}
}

func TestARunThatWasCutOffIsOutstandingUnlessAllItLeftHasAName(t *testing.T) {
	t.Parallel()
	for named, want := range map[bool][]string{true: {"p A"}, false: {" ", "p A"}} {
		f := rerun.NewFold("now", set(), rerun.Scope{})
		f.Failure(record.Test{}, rerun.WhyCut)
		f.NeverStarted(record.Test{Suite: "p", Test: "A"}, "")
		f.CutOff(named)
		if got := names(f.After(set(), rerun.Partial)); !slices.Equal(got, want) {
			t.Errorf("named %t: outstanding %q, want %q", named, got, want)
		}
	}
	other := rerun.NewFold("now", set(), rerun.Scope{})
	other.Failure(record.Test{}, rerun.WhyUnbuilt)
	other.CutOff(true)
	if got := names(other.After(set(), rerun.Partial)); !slices.Equal(got, []string{" "}) {
		t.Errorf("a run that did not build: %q", got)
	}
}

func TestAnEntryKnowsWhatBecameOfItsSuite(t *testing.T) {
	t.Parallel()
	suite := record.Test{Suite: "p"}
	for want, run := range map[rerun.Why]func(*rerun.Fold){
		rerun.WhyUnbuilt: func(f *rerun.Fold) { f.Suite("p", rerun.SuiteBroken) },
		rerun.WhyOutside: func(f *rerun.Fold) { f.Suite("p", rerun.SuiteOutside) },
		rerun.WhySetup:   func(f *rerun.Fold) { f.Failure(suite, rerun.WhySetup); f.Suite("p", rerun.SuiteBroken) },
		rerun.WhyEarly:   func(f *rerun.Fold) { f.Suite("p", rerun.SuiteAborted); f.TestsUnknown("p", rerun.WhyEarly) },
		rerun.WhyFixture: func(f *rerun.Fold) { f.Result(fixture("p", record.TestFailed)); f.Suite("p", rerun.SuiteAborted) },
	} {
		f := rerun.NewFold("now", set(), rerun.Scope{})
		run(f)
		after := f.After(set(), rerun.Partial)
		if after.Len() != 1 || after.Entries[0].Test != suite || after.Entries[0].Why != want {
			t.Errorf("%+v, want %s", after.Entries, want)
		}
	}
}

func TestWhatWasAskedForInVainComesLast(t *testing.T) {
	t.Parallel()
	late := entry("p", "Hangs", "", rerun.ReasonUnfinished)
	late.Late = true
	before := set(late, entry("p", "Never", "", rerun.ReasonNeverStarted), entry("p", "Failed", "", rerun.ReasonFailed))
	sel := rerun.Select(before, rerun.Inventory{}, 2)
	var got []string
	for _, target := range sel.Requested {
		got = append(got, target.Test.Test)
	}
	if want := []string{"Failed", "Never"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestAPassInAnotherWayIsTold(t *testing.T) {
	t.Parallel()
	race, plain := rerun.WayOf([]string{"-race"}, nil), rerun.WayOf(nil, nil)
	with := func(test string, way *rerun.Way) rerun.Entry {
		e := entry("p", test, "", rerun.ReasonFailed)
		e.Way = way
		return e
	}
	before := set(with("Race", race), with("Plain", plain), with("Old", nil), with("Red", race))
	f := rerun.NewFold("now", before, rerun.Scope{Way: plain})
	for _, name := range []string{"Race", "Plain", "Old"} {
		f.Result(result("p", name, record.TestPassed))
	}
	f.Result(result("p", "Red", record.TestFailed))
	after := f.After(before, rerun.Ended)
	if got := names(after); !slices.Equal(got, []string{"p Race", "p Red", "p Red"}) {
		t.Errorf("outstanding %q", got)
	}
	if got := f.Elsewise(after); len(got) != 1 || got[0].Test.Test != "Race" {
		t.Errorf("passed in another way: %+v", got)
	}
}
