package rerun_test

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

// Two proctors of one session run at the same time: "mine" began before "theirs"
// ended, and ends after it.
func TestWhatAnotherProcessFoundRedMeanwhileStays(t *testing.T) {
	failedA := entry("p", "A", "", rerun.ReasonFailed)
	brokenP := entry("p", "", "", rerun.ReasonSuite)
	allOfIt := entry("", "", "", rerun.ReasonRun)
	passes := func(f *rerun.Fold) {
		f.Result(result("p", "A", record.TestPassed))
		f.Suite("p", rerun.SuitePassed)
	}
	for _, tc := range []struct {
		name   string
		before rerun.Set
		theirs func(*rerun.Fold)
		want   []string
	}{
		{"a test that failed again", set(failedA), func(f *rerun.Fold) { f.Result(result("p", "A", record.TestFailed)) }, []string{"p A"}},
		{"a test that is new in the set", set(), func(f *rerun.Fold) { f.Result(result("p", "A", record.TestFailed)) }, []string{"p A"}},
		{"a suite that is new in the set", set(), func(f *rerun.Fold) { f.Suite("p", rerun.SuiteBroken) }, []string{"p "}},
		{"a suite that is broken still", set(brokenP), func(f *rerun.Fold) { f.Suite("p", rerun.SuiteBroken) }, []string{"p "}},
		{"a run that is unknown again", set(allOfIt), func(f *rerun.Fold) { f.RunUnknown("") }, []string{" "}},
		{"nothing", set(failedA, brokenP, allOfIt), func(*rerun.Fold) {}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			scope := rerun.Scope{Tests: []rerun.Target{{}}} // everything, by name
			mine, theirs := rerun.NewFold("mine", tc.before, scope), rerun.NewFold("theirs", tc.before, rerun.Scope{})
			passes(mine)
			tc.theirs(theirs)
			stored := theirs.After(tc.before, rerun.Partial)
			if got := names(mine.After(stored, rerun.Green)); !slices.Equal(got, tc.want) {
				t.Errorf("outstanding = %q, want %q", got, tc.want)
			}
		})
	}
}

// Both commands of a rerun are one run: what the second one passed leaves.
func TestTheFallbackOfTheSameRunClears(t *testing.T) {
	before := set(entry("p", "A/x", "A", rerun.ReasonFailed))
	part := []rerun.Target{{Test: record.Test{Suite: "p", Test: "A/x"}, Root: "A"}}
	first := rerun.NewFold("now", before, rerun.Scope{Tests: part})
	first.Result(inside("p", "A", "A/x", record.TestFailed))
	second := rerun.NewFold("now", before, rerun.Scope{Tests: part, Widened: true})
	second.Result(inside("p", "A", "A/x", record.TestPassed))
	after := second.After(first.After(before, rerun.Partial), rerun.Partial)
	if after.Len() != 0 {
		t.Errorf("outstanding = %q, want nothing", names(after))
	}
}

func TestAnEntryKnowsItsFirstAndItsLatestRun(t *testing.T) {
	current := set()
	for _, run := range []string{"one", "two", "three"} {
		f := rerun.NewFold(run, current, rerun.Scope{})
		if run != "three" {
			f.Result(result("p", "A", record.TestFailed))
		}
		current = f.After(current, rerun.Partial)
	}
	if e := current.Entries[0]; e.RunID != "one" || e.LastRunID != "two" {
		t.Errorf("entry = %+v, want first red in one and last in two", e)
	}
}
