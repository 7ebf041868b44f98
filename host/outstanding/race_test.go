package outstanding_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// Two proctors of one session run at the same time: "mine" began before "theirs"
// ended, and ends after it.
func TestWhatAnotherProcessFoundRedMeanwhileStays(t *testing.T) {
	failedA := entry("p", "A", "", outstanding.ReasonFailed)
	brokenP := entry("p", "", "", outstanding.ReasonSuite)
	allOfIt := entry("", "", "", outstanding.ReasonRun)
	passes := func(f *outstanding.Fold) {
		f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Passed)})
		f.Listen(suiteEnded("p", sdk.SuitePassed))
	}
	for _, tc := range []struct {
		name   string
		before outstanding.Set
		theirs func(*outstanding.Fold)
		want   []string
	}{
		{"a test that failed again", set(failedA), func(f *outstanding.Fold) { f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)}) }, []string{"p A"}},
		{"a test that is new in the set", set(), func(f *outstanding.Fold) { f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)}) }, []string{"p A"}},
		{"a suite that is new in the set", set(), func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuiteBuildFailed)) }, []string{"p "}},
		{"a suite that is broken still", set(brokenP), func(f *outstanding.Fold) { f.Listen(suiteEnded("p", sdk.SuiteBuildFailed)) }, []string{"p "}},
		{"a run that is unknown again", set(allOfIt), func(f *outstanding.Fold) { f.MarkRunUnknown("") }, []string{" "}},
		{"nothing", set(failedA, brokenP, allOfIt), func(*outstanding.Fold) {}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			scope := outstanding.Scope{Tests: []outstanding.Target{{}}} // everything, by name
			mine, theirs := outstanding.NewFold("mine", tc.before, scope), outstanding.NewFold("theirs", tc.before, outstanding.Scope{})
			passes(mine)
			tc.theirs(theirs)
			stored := theirs.After(tc.before, outstanding.Partial)
			if got := names(mine.After(stored, outstanding.Green)); !slices.Equal(got, tc.want) {
				t.Errorf("outstanding = %q, want %q", got, tc.want)
			}
		})
	}
}

// Both commands of a rerun are one run: what the second one passed leaves.
func TestTheFallbackOfTheSameRunClears(t *testing.T) {
	before := set(entry("p", "A/x", "A", outstanding.ReasonFailed))
	part := []outstanding.Target{{TestID: sdk.TestID{Suite: "p", Test: "A/x"}, Root: "A"}}
	first := outstanding.NewFold("now", before, outstanding.Scope{Tests: part})
	first.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Failed)})
	second := outstanding.NewFold("now", before, outstanding.Scope{Tests: part, Widened: true})
	second.Listen(&api.TestEnded{Result: inside("p", "A", "A/x", sdk.Passed)})
	after := second.After(first.After(before, outstanding.Partial), outstanding.Partial)
	if after.Len() != 0 {
		t.Errorf("outstanding = %q, want nothing", names(after))
	}
}

func TestAnEntryKnowsItsFirstAndItsLatestRun(t *testing.T) {
	current := set()
	for _, run := range []string{"one", "two", "three"} {
		f := outstanding.NewFold(run, current, outstanding.Scope{})
		if run != "three" {
			f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
		}
		current = f.After(current, outstanding.Partial)
	}
	if e := current.Entries[0]; e.RunID != "one" || e.LastRunID != "two" {
		t.Errorf("entry = %+v, want first red in one and last in two", e)
	}
}

// A race that a retry does not show is there all the same.
func TestADataRaceIsKnownToTheFold(t *testing.T) {
	a := sdk.TestID{Suite: "p", Test: "A"}
	for _, kinds := range [][]string{{sdk.KindAssertion}, {sdk.KindRace}, {sdk.KindAssertion, sdk.KindRace}} {
		f := outstanding.NewFold("run", outstanding.Set{}, outstanding.Scope{})
		f.Listen(&api.TestEnded{Result: result("p", "A", sdk.Failed)})
		for _, kind := range kinds {
			f.Listen(failed(a, kind))
		}
		f.Listen(suiteEnded("p", sdk.SuiteFailed))
		if raced := slices.Contains(kinds, sdk.KindRace); outstanding.HasRaced(f, a) != raced || outstanding.HasRace(f) != raced {
			t.Errorf("%v: %v, want %v", kinds, !raced, raced)
		}
	}
}

// The whole of a test that raced in a part does not run again: it might pass by luck.
func TestARaceInAPartIsJudgedAsItIs(t *testing.T) {
	part := outstanding.Target{TestID: sdk.TestID{Suite: "p", Test: "A/x"}, Root: "A"}
	for _, kind := range []string{sdk.KindAssertion, sdk.KindRace} {
		f := outstanding.NewFold("run", outstanding.Set{}, outstanding.Scope{Tests: []outstanding.Target{part}})
		r := result("p", "A/x", sdk.Failed)
		r.Root = "A"
		f.Listen(&api.TestEnded{Result: r})
		f.Listen(failed(part.TestID, kind))
		f.Listen(suiteEnded("p", sdk.SuiteFailed))
		if again := len(outstanding.Judge(f).Fallback) > 0; again != (kind != sdk.KindRace) {
			t.Errorf("%s: run again: %v", kind, again)
		}
	}
}
