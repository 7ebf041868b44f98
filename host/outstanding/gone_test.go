package outstanding_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// A test or suite that leaves without having run is named.
func TestWhatIsRemovedWithoutHavingRunIsGone(t *testing.T) {
	t.Parallel()
	suite := entry("p", "", "", outstanding.ReasonSuite)
	neverStarted := entry("p", "A", "", outstanding.ReasonNeverStarted)
	neverStarted.LastRunID = neverStarted.RunID
	for name, tc := range map[string]struct {
		before outstanding.Set
		run    func(*outstanding.Fold)
		want   []sdk.TestID
	}{
		"a test that was removed": {set(entry("p", "A", "", outstanding.ReasonFailed)), func(f *outstanding.Fold) {
			f.Knows.Absent = outstanding.Absences{{Suite: "p", Test: "A"}: nil}
		}, []sdk.TestID{{Suite: "p", Test: "A"}}},
		"a suite that was removed": {set(suite), func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true}
		}, []sdk.TestID{{Suite: "p"}}},
		"a suite that lost its tests": {set(suite), func(f *outstanding.Fold) {
			f.Knows.Exists = &outstanding.Inventory{Complete: true, Tests: map[string][]string{"p": {}}}
			f.Listen(suiteEnded("p", sdk.SuiteNoTests))
		}, []sdk.TestID{{Suite: "p"}}},
		"a suite that ran": {set(suite), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, nil},
		"a suite that never had tests": {outstanding.Set{Entries: []outstanding.Entry{suite}, Known: map[string][]string{"p": {}}}, func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteNoTests))
		}, nil},
		"a test that never started, and skips itself": {set(neverStarted), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Skipped)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, nil},
		"everything": {set(entry("", "", "", outstanding.ReasonRun)), func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
			f.Listen(suiteEnded("p", sdk.SuitePassed))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := outstanding.NewFold("now", tc.before, outstanding.Scope{})
			tc.run(f)
			after := f.After(tc.before, outstanding.Green)
			if after.Len() > 0 {
				t.Fatalf("still outstanding: %q", names(after))
			}
			var got []sdk.TestID
			for _, e := range f.FindGone(tc.before, after) {
				got = append(got, e.TestID)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("gone are %q, want %q", got, tc.want)
			}
		})
	}
}

// A test that had no end and now fails only by what is inside of it hands over to that.
func TestATestThatEndedIsReplacedByWhatFailedInIt(t *testing.T) {
	t.Parallel()
	part := inside("p", "A", "A/x", sdk.Failed)
	derivedPart := container(inside("p", "A", "A/x", sdk.Failed), true)
	for name, tc := range map[string]struct {
		reason  outstanding.Reason
		scope   outstanding.Scope
		results []api.Result
		want    []string
	}{
		"a part did":                   {"part", outstanding.Scope{}, []api.Result{inside("p", "A", "A/x/y", sdk.Failed), derivedPart}, []string{"p A/x/y"}},
		"only what is beside it did":   {"part", outstanding.Scope{}, []api.Result{inside("p", "A", "A/z", sdk.Failed), derivedPart}, []string{"p A/x", "p A/z"}},
		"only what begins like it did": {"part", outstanding.Scope{}, []api.Result{inside("p", "A", "A/x2/y", sdk.Failed), derivedPart}, []string{"p A/x", "p A/x2/y"}},
		"it did": {outstanding.ReasonUnfinished, outstanding.Scope{},
			[]api.Result{part, container(result("p", "A", sdk.Failed), true)}, []string{"p A/x"}},
		"it never had started": {outstanding.ReasonNeverStarted, outstanding.Scope{},
			[]api.Result{part, container(result("p", "A", sdk.Failed), true)}, []string{"p A/x"}},
		"it failed itself before": {outstanding.ReasonFailed, outstanding.Scope{},
			[]api.Result{part, container(result("p", "A", sdk.Failed), true)}, []string{"p A", "p A/x"}},
		"it failed itself now": {outstanding.ReasonUnfinished, outstanding.Scope{},
			[]api.Result{part, container(result("p", "A", sdk.Failed), false)}, []string{"p A", "p A/x"}},
		"nothing inside is red": {outstanding.ReasonUnfinished, outstanding.Scope{},
			[]api.Result{container(result("p", "A", sdk.Failed), true)}, []string{"p A"}},
		"a part of another test is red": {outstanding.ReasonUnfinished, outstanding.Scope{},
			[]api.Result{inside("p", "B", "B/x", sdk.Failed), container(result("p", "A", sdk.Failed), true)}, []string{"p A", "p B/x"}},
		"a part of a test of that name in another suite is": {outstanding.ReasonUnfinished, outstanding.Scope{},
			[]api.Result{inside("q", "A", "A/x", sdk.Failed), container(result("p", "A", sdk.Failed), true)}, []string{"p A", "q A/x"}},
		"only a part of it ran": {outstanding.ReasonUnfinished, outstanding.Scope{InsideTests: true},
			[]api.Result{part, container(result("p", "A", sdk.Failed), true)}, []string{"p A", "p A/x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := set(entry("p", "A", "", tc.reason))
			if tc.reason == "part" {
				before = set(entry("p", "A/x", "A", outstanding.ReasonUnfinished))
			}
			f := outstanding.NewFold("now", before, tc.scope)
			for _, r := range tc.results {
				f.Listen(&api.TestEnded{Result: r})
			}
			after := f.After(before, outstanding.Ended)
			if got := names(after); !slices.Equal(got, tc.want) {
				t.Errorf("outstanding %q, want %q", got, tc.want)
			}
			if gone := f.FindGone(before, after); len(gone) > 0 {
				t.Errorf("gone are %v", gone)
			}
		})
	}
}

func TestARunThatWasCutOffIsOutstandingUnlessAllItLeftHasAName(t *testing.T) {
	t.Parallel()
	for named, want := range map[bool][]string{true: {"p A"}, false: {" ", "p A"}} {
		f := outstanding.NewFold("now", set(), outstanding.Scope{})
		f.Listen(failed(sdk.TestID{}, sdk.KindTimeout))
		f.AddNeverStarted(sdk.TestID{Suite: "p", Test: "A"}, "")
		f.MarkCutOff(named)
		if got := names(f.After(set(), outstanding.Partial)); !slices.Equal(got, want) {
			t.Errorf("named %t: outstanding %q, want %q", named, got, want)
		}
	}
	other := outstanding.NewFold("now", set(), outstanding.Scope{})
	other.Listen(failed(sdk.TestID{}, sdk.KindBuild))
	other.MarkCutOff(true)
	if got := names(other.After(set(), outstanding.Partial)); !slices.Equal(got, []string{" "}) {
		t.Errorf("a run that did not build: %q", got)
	}
}

func TestAnEntryKnowsWhatBecameOfItsSuite(t *testing.T) {
	t.Parallel()
	suite := sdk.TestID{Suite: "p"}
	for want, run := range map[outstanding.Why]func(*outstanding.Fold){
		outstanding.WhyUnbuilt: func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuiteBuildFailed)) },
		outstanding.WhyOutside: func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuiteFailedOutsideTests)) },
		outstanding.WhySetup: func(f *outstanding.Fold) {
			f.Listen(failed(suite, sdk.KindSetup))
			f.Listen(suiteEnded("p", sdk.SuiteBuildFailed))
		},
		outstanding.WhyEarly: func(f *outstanding.Fold) {
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
			f.MarkTestsUnknown("p", outstanding.WhyEarly)
		},
		outstanding.WhyFixture: func(f *outstanding.Fold) {
			f.Listen(&api.TestEnded{Result: fixture("p", sdk.Failed)})
			f.Listen(suiteEnded("p", sdk.SuiteAborted))
		},
	} {
		f := outstanding.NewFold("now", set(), outstanding.Scope{})
		run(f)
		after := f.After(set(), outstanding.Partial)
		if after.Len() != 1 || after.Entries[0].TestID != suite || after.Entries[0].Why != want {
			t.Errorf("%+v, want %s", after.Entries, want)
		}
	}
}

func TestTestsThatDidNotGetTheirTurnComeLast(t *testing.T) {
	t.Parallel()
	late := entry("p", "Hangs", "", outstanding.ReasonUnfinished)
	late.Late = true
	before := set(late, entry("p", "Never", "", outstanding.ReasonNeverStarted), entry("p", "Failed", "", outstanding.ReasonFailed))
	sel := outstanding.Select(before, outstanding.Inventory{}, 2, "")
	var got []string
	for _, target := range sel.Requested {
		got = append(got, target.Test)
	}
	if want := []string{"Failed", "Never"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestAPassInAnotherWayIsReported(t *testing.T) {
	t.Parallel()
	race, plain := outstanding.WayOf([]string{"-race"}, nil), outstanding.WayOf(nil, nil)
	with := func(test string, way *outstanding.Way) outstanding.Entry {
		e := entry("p", test, "", outstanding.ReasonFailed)
		e.Way = way
		return e
	}
	before := set(with("Race", race), with("Plain", plain), with("Old", nil), with("Red", race))
	f := outstanding.NewFold("now", before, outstanding.Scope{Way: plain})
	for _, name := range []string{"Race", "Plain", "Old"} {
		f.Listen(&api.TestEnded{Result: result("p", name, sdk.Passed)})
	}
	f.Listen(&api.TestEnded{Result: result("p", "Red", sdk.Failed)})
	after := f.After(before, outstanding.Ended)
	if got := names(after); !slices.Equal(got, []string{"p Race", "p Red", "p Red"}) {
		t.Errorf("outstanding %q", got)
	}
	if got := f.FindPassedOtherwise(after); len(got) != 1 || got[0].Test != "Race" {
		t.Errorf("passed in another way: %+v", got)
	}
}
