package outstanding

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Absences are outstanding tests missing from a complete listing made with the
// arguments and settings they were added with. Each has its heirs: the listed tests
// that have never reported anything before, one of which may be the same test under
// another name or in another suite. It leaves once all of them have.
type Absences map[api.Test][]api.Test

// RanWhole reports whether the run ran all tests of its suites.
func (f *Fold) RanWhole() bool { return f.scope.Tests == nil && !f.scope.SomeTests }

// FindUnprovenAlike returns the outstanding tests without a result in this run that were
// added with the same arguments and in the same environment.
func (f *Fold) FindUnprovenAlike() []Entry {
	var alike []Entry
	for _, e := range f.before.Entries {
		if e.Test != everything && f.seen[e.Test] == "" && e.Args == f.scope.Args && (e.Test.Test != "" || !f.hasRun(e.Suite)) {
			alike = append(alike, e)
		}
	}
	return alike
}

// hasRun reports whether a suite ran, or has nothing to run and never had.
func (f *Fold) hasRun(suite string) bool {
	return f.ran[suite] || f.suites[suite] == sdk.SuiteNoTests && f.before.hadNoTests(suite)
}

// Absent returns the entries missing from the inventory, which must be complete, with
// their heirs. isHeir reports whether a listed test has reported nothing since the
// entry was added.
func (inv Inventory) Absent(entries []Entry, isHeir func(api.Test, Entry) bool) Absences {
	absent := Absences{}
	if !inv.Complete {
		return absent
	}
	for _, e := range entries {
		if _, gone := inv.gone(e); !gone {
			continue
		}
		heirs := []api.Test{}
		for suite, tests := range inv.Tests {
			for _, name := range tests {
				heir := api.Test{Suite: suite, Test: name}
				if (suite == e.Suite || e.Test.Test == "" || name == e.listed()) && isHeir(heir, e) {
					heirs = append(heirs, heir)
				}
			}
		}
		absent[e.Test] = heirs
	}
	return absent
}

// Inherit adds the heirs of absent tests to the rerun, up to limit: beyond it, the
// absent test waits for a run of everything.
func (sel *Selection) Inherit(absent Absences, limit int) {
	asked, whole := map[api.Test]bool{}, map[string]bool{}
	for _, t := range sel.Targets {
		asked[t.Test] = true
		whole[t.Suite] = whole[t.Suite] || t.Test.Test == ""
	}
	added := 0
	for _, gone := range sel.Gone {
		heirs := absent[api.Test{Suite: gone.Suite, Test: gone.Test}]
		for _, heir := range sortedTests(heirs) {
			if asked[heir] || whole[heir.Suite] || whole[""] || added == limit {
				continue
			}
			added++
			asked[heir] = true
			t := Target{Test: heir, New: true}
			sel.Requested, sel.Targets = append(sel.Requested, t), append(sel.Targets, t)
		}
	}
}

func sortedTests(tests []api.Test) []api.Test {
	return slices.SortedFunc(slices.Values(tests), func(a, b api.Test) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
}
