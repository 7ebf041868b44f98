package outstanding

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// Absences are outstanding tests missing from a complete listing made with the arguments
// and settings they were added with. Each has heirs: listed tests without any earlier
// result, one of which may be the same test under another name or in another suite. The
// absent test leaves the set once all of its heirs have a result, and the absent part of a test
// once the part of its name passed, or none of them has a part that skipped itself.
type Absences map[sdk.TestID][]sdk.TestID

// RanWhole reports whether the run ran all tests of its suites.
func (f *Fold) RanWhole() bool { return f.scope.Tests == nil && !f.scope.SomeTests }

// FindUnprovenAlike returns the outstanding tests without a result in this run that were
// added with the same arguments and in the same environment.
func (f *Fold) FindUnprovenAlike() []Entry {
	var alike []Entry
	for _, e := range f.before.Entries {
		if e.TestID != everything && f.seen[e.TestID] == "" && e.Args == f.scope.Args && (e.Test != "" || !f.hasRun(e.Suite)) {
			alike = append(alike, e)
		}
	}
	return alike
}

// SkippedBeside returns the parts that skipped themselves beside an outstanding part of the
// same test that had no result. isAll reports whether there are no others.
func SkippedBeside(f *Fold, e Entry) (parts []sdk.TestID, isAll bool) {
	if e.Root == "" || f.seen[e.TestID] != "" {
		return nil, true
	}
	parts = f.skippedParts[sdk.TestID{Suite: e.Suite, Test: e.listed()}]
	return parts, len(parts) < MaxSkippedParts
}

// hasRun reports whether a suite ran, or has nothing to run and never had.
func (f *Fold) hasRun(suite string) bool {
	return f.ran[suite] || f.suites[suite] == sdk.SuiteNoTests && f.before.hadNoTests(suite)
}

// Absent returns the entries missing from the inventory, which must be complete, with
// their heirs. isHeir reports whether a listed test has had no result since the entry was
// added.
func (inv Inventory) Absent(entries []Entry, isHeir func(sdk.TestID, Entry) bool) Absences {
	absent := Absences{}
	if !inv.Complete {
		return absent
	}
	for _, e := range entries {
		if _, gone := inv.whyGone(e); !gone {
			continue
		}
		heirs := []sdk.TestID{}
		for suite, tests := range inv.Tests {
			for _, name := range tests {
				heir := sdk.TestID{Suite: suite, Test: name}
				if (suite == e.Suite || e.Test == "" || name == e.listed()) && isHeir(heir, e) {
					heirs = append(heirs, heir)
				}
			}
		}
		absent[e.TestID] = heirs
	}
	return absent
}

// Inherit adds the heirs of absent tests to the rerun, up to limit: beyond it, the
// absent test waits for a run of everything.
func (sel *Selection) Inherit(absent Absences, limit int) {
	asked, whole := map[sdk.TestID]bool{}, map[string]bool{}
	for _, t := range sel.Targets {
		asked[t.TestID] = true
		whole[t.Suite] = whole[t.Suite] || t.Test == ""
	}
	added := 0
	for _, gone := range sel.Gone {
		heirs := absent[gone.TestID]
		for _, heir := range sortedTests(heirs) {
			if asked[heir] || whole[heir.Suite] || whole[""] || added == limit {
				continue
			}
			added++
			asked[heir] = true
			t := Target{TestID: heir, New: true}
			sel.Requested, sel.Targets = append(sel.Requested, t), append(sel.Targets, t)
		}
	}
}

func sortedTests(tests []sdk.TestID) []sdk.TestID {
	return slices.SortedFunc(slices.Values(tests), func(a, b sdk.TestID) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
}
