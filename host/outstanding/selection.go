package outstanding

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Declaration is where a test is declared, and a digest of its body.
type Declaration struct {
	File string
	Line int
	Body string
}

// Inventory is what exists now. A suite whose listing failed is absent from Tests while
// Complete is false.
type Inventory struct {
	// Tests holds the listed tests of each suite that an ordinary run runs.
	Tests map[string][]string
	// OnRequest holds the other existing tests, such as benchmarks.
	OnRequest map[string][]string
	// Declared is what is known of their declarations.
	Declared map[sdk.TestID]Declaration
	// Complete reports whether every requested suite was listed, so that an absent
	// suite does not exist.
	Complete bool
}

// Target is one thing to rerun.
type Target struct {
	sdk.TestID
	// Root is as in [Entry].
	Root string
	// New reports whether it was never seen before and its suite is affected.
	New bool
}

// Selection is what to rerun.
type Selection struct {
	// Targets should run. A suite target covers all tests of its suite, and an empty
	// one everything.
	Targets []Target
	// Everything reports whether the targets cover everything.
	Everything bool
	// Requested are the outstanding tests that the targets cover, in order, and the new
	// tests.
	Requested []Target
	// Names is how many names of the limit they use up.
	Names int
	// Gone are outstanding tests that no longer exist.
	Gone []api.Requested
}

// Select chooses what to rerun: the outstanding tests of the first limit names, where a
// test's name covers everything inside it. It leaves out those that no longer exist, and
// adds tests that are new in their suites. The limit is used up by what somebody works on:
// what was red in the run last, then what was added by later runs.
func Select(set Set, inventory Inventory, limit int, last string) Selection {
	sel := Selection{Requested: []Target{}} // never nil: nil is a run, see [Scope]
	whole := map[string]bool{}              // suites that run whole
	affected := map[string]bool{}
	names := map[sdk.TestID]bool{} // what limit counts: a test with everything inside it is one
	for _, e := range byUrgency(set.Entries, last) {
		if why, gone := inventory.whyGone(e); gone {
			sel.Gone = append(sel.Gone, api.Requested{TestID: e.TestID, Outcome: api.OutcomeDidNotRun, Why: why})
			continue
		}
		name := sdk.TestID{Suite: e.Suite, Test: e.listed()}
		if !names[name] && len(names) == limit {
			continue // a rerun takes it once others have passed
		}
		names[name] = true
		t := Target{TestID: e.TestID, Root: e.Root}
		sel.Requested = append(sel.Requested, t)
		affected[e.Suite] = true
		if e.Test == "" {
			whole[e.Suite] = true
		}
	}
	sel.Names = len(names)
	if whole[""] {
		sel.Everything = true
		sel.Targets = []Target{{}}
		return sel
	}
	for _, t := range sel.Requested {
		if t.Test == "" || !whole[t.Suite] {
			sel.Targets = append(sel.Targets, t)
		}
	}
	sel.addNew(set, inventory, affected, whole)
	return sel
}

// byUrgency orders entries for a rerun. Those that never started come late, since a panic
// leaves hundreds of them, and the test that panicked is the one to see first; those that the
// last rerun did not get a result of come last: a test that hangs must not hold up all others.
func byUrgency(entries []Entry, last string) []Entry {
	turn := func(e Entry) int {
		switch {
		case e.Late:
			return 3
		case e.Reason == ReasonNeverStarted:
			return 2
		case e.LastRunID != last:
			return 1
		}
		return 0
	}
	added := map[string]int{} // runs, the oldest first
	for _, e := range entries {
		if _, ok := added[e.RunID]; !ok {
			added[e.RunID] = len(added)
		}
	}
	ordered := slices.Clone(entries)
	slices.SortStableFunc(ordered, func(a, b Entry) int {
		return cmp.Or(turn(a)-turn(b), added[b.RunID]-added[a.RunID])
	})
	return ordered
}

// addNew adds tests that appeared in affected suites since these last ran whole: the
// rerun must not miss a failing test that was renamed. The suites of gone tests are
// affected, too, since the new name may be there.
func (sel *Selection) addNew(set Set, inventory Inventory, affected, whole map[string]bool) {
	for _, g := range sel.Gone {
		affected[g.Suite] = true
	}
	seen := map[string]bool{}
	for _, e := range set.Entries {
		suite := e.Suite
		if seen[suite] || !affected[suite] || whole[suite] || set.Known[suite] == nil {
			continue
		}
		seen[suite] = true
		known := toSet(set.Known[suite])
		for _, name := range inventory.Tests[suite] {
			if !known[name] {
				t := Target{TestID: sdk.TestID{Suite: suite, Test: name}, New: true}
				sel.Requested = append(sel.Requested, t)
				sel.Targets = append(sel.Targets, t)
			}
		}
	}
}

// whyGone reports whether an outstanding test no longer exists, and how we know.
func (inv Inventory) whyGone(e Entry) (string, bool) {
	if e.TestID == everything {
		return "", false
	}
	tests, listed := inv.Tests[e.Suite]
	if !listed {
		return "the suite no longer exists", inv.Complete
	}
	if e.Test == "" {
		return "", false
	}
	exists := hasName(tests, e.listed()) || hasName(inv.OnRequest[e.Suite], e.listed())
	return "no such test any more: renamed, removed, or left out by a setting?", !exists
}

func hasName(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func toSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}
