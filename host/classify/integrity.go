package classify

import (
	"cmp"
	"iter"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// Integrity returns the tests that had a conclusive result in the run since and no longer
// exist, or are skipped now; nil if there are none. It takes the changes between two runs
// of everything, and the known new names of tests: a renamed test has not vanished.
//
// It omits parts of a test that itself vanished, was skipped, or did not pass, since they
// had no chance to run, and tests of a suite that is broken now.
func Integrity(since string, changes iter.Seq[history.Change], names map[sdk.TestID]sdk.TestID) *api.Integrity {
	i := &api.Integrity{Since: since}
	var vanished, skipped []history.Change
	// told are tests whose own change explains those of their parts.
	told, broken := map[sdk.TestID]bool{}, map[string]bool{}
	for c := range changes {
		if c.Test.Test == "" {
			if c.InNow && c.Now.Bad() {
				broken[c.Suite] = true
			}
			continue
		}
		if !c.InNow || c.Now != history.Passed {
			told[c.Test.TestID] = true
		}
		if !c.InBefore || !c.Before.Conclusive() {
			continue
		}
		to, renamed := names[c.Test.TestID]
		switch {
		case renamed && !c.InNow:
			i.Renamed = append(i.Renamed, api.Renamed{TestID: c.Test.TestID, To: to})
		case !c.InNow:
			vanished = append(vanished, c)
		case c.Now == history.Skipped:
			skipped = append(skipped, c)
		}
	}
	excused := func(c history.Change) bool {
		return broken[c.Suite] || broken[""] || c.Root != "" && told[sdk.TestID{Suite: c.Suite, Test: c.Root}]
	}
	slices.SortFunc(i.Renamed, func(a, b api.Renamed) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	i.RenamedTotal = len(i.Renamed)
	i.Renamed = i.Renamed[:min(len(i.Renamed), api.MaxNames)]
	i.Vanished, i.VanishedTotal = listTests(vanished, excused)
	i.NewlySkipped, i.NewlySkippedTotal = listTests(skipped, excused)
	if i.VanishedTotal+i.NewlySkippedTotal+i.RenamedTotal == 0 {
		return nil
	}
	return i
}

// listTests returns the tests of changes in order, as many as an object carries, and their
// total.
func listTests(changes []history.Change, excused func(history.Change) bool) ([]sdk.TestID, int) {
	var tests []sdk.TestID
	for _, c := range changes {
		if !excused(c) {
			tests = append(tests, c.Test.TestID)
		}
	}
	slices.SortFunc(tests, func(a, b sdk.TestID) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	return tests[:min(len(tests), api.MaxNames)], len(tests)
}
