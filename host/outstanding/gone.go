package outstanding

import (
	"cmp"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Absences are outstanding tests that a complete listing, made with the arguments and
// settings with which they came in, does not have any more. Each has its heirs: the
// listed tests that have never told anything before, of which one may be the same test
// by another name or in another suite. It leaves when all of them have.
type Absences map[api.Test][]api.Test

// Absent says which outstanding tests are not listed any more.
func (f *Fold) Absent(tests Absences) { f.absent = tests }

// isAbsent reports whether it is known that an outstanding test does not exist any more.
// What has a name is known by a listing. A part of a test is in none: it is gone when
// all of its test ran in the same setting, and passed without it.
func (f *Fold) isAbsent(e Entry) bool {
	if f.seen[e.Test] != "" {
		return false
	}
	root := api.Test{Suite: e.Suite, Test: e.listed()}
	if e.Root != "" && f.seen[root] != "" {
		return f.seen[root] == sdk.Passed && e.Args == f.scope.Args && f.proves(root, root.Test, true)
	}
	heirs, absent := f.absent[e.Test]
	for _, heir := range heirs {
		absent = absent && f.roots[heir.Suite][heir.Test] && !f.skipped[heir]
	}
	return absent
}

// RanWhole reports whether the run ran all tests of its suites.
func (f *Fold) RanWhole() bool { return f.scope.Tests == nil && !f.scope.SomeTests }

// UnprovenAlike are the outstanding tests that had no result in this run although they
// came in with the same arguments and in the same environment.
func (f *Fold) UnprovenAlike() []Entry {
	var alike []Entry
	for _, e := range f.before.Entries {
		if e.Test != everything && f.seen[e.Test] == "" && e.Args == f.scope.Args && (e.Test.Test != "" || !f.hasRun(e.Suite)) {
			alike = append(alike, e)
		}
	}
	return alike
}

// noteSkip notes the end of a listed test, or of a part of it. It is to be called before
// the test is known to have a result.
func (f *Fold) noteSkip(listed api.Test, status sdk.Status) {
	switch {
	case status != sdk.Skipped:
		delete(f.skipped, listed)
	case !f.roots[listed.Suite][listed.Test]:
		f.skipped[listed] = true
	}
}

// Absent are those of some entries that the inventory, which has to be complete, does
// not have, with their heirs. isHeir reports whether a listed test has told nothing since
// the entry came in.
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

// Inherit adds the heirs of absent tests to what is run again. At most so many are:
// where there are more, the absent test waits for a run of everything.
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

// Gone are the entries of a set that are not in the one after the run although
// nothing in this run tells what became of them: they do not exist any more.
func (f *Fold) Gone(before, after Set) []Entry {
	left := after.index()
	var gone []Entry
	for _, e := range before.Entries {
		if _, still := left[e.identity()]; still || e.Test == everything {
			continue
		}
		if e.Test.Test == "" && !f.hasRun(e.Suite) || e.Test.Test != "" && !f.passed[e.Test] && !f.handsOver(e) && !f.neededNoRun(e) {
			gone = append(gone, e)
		}
	}
	return gone
}

// hasRun reports whether a suite ran, or has none to run and never had.
func (f *Fold) hasRun(suite string) bool {
	return f.ran[suite] || f.suites[suite] == sdk.SuiteNoTests && f.hadNoTests(suite)
}

// handsOver reports whether a test that had not come to its end now has, and failed only
// by what is inside of it: that stands in the set instead.
func (f *Fold) handsOver(e Entry) bool {
	if !f.inner[e.Test] || e.Reason != ReasonUnfinished && e.Reason != ReasonNeverStarted {
		return false
	}
	for id, inner := range f.red {
		if id.Suite == e.Suite && id != e.Test && inner.Root != "" && inner.Root == e.listed() {
			return true
		}
	}
	return false
}

// neededNoRun reports whether a test skipped itself of which nothing else is known than
// that a run once ended before it: it was never red itself, and would wait for ever for
// a pass. With other arguments, such as -short, that it skips itself says nothing of the
// run that ended before it.
func (f *Fold) neededNoRun(e Entry) bool {
	return e.wasOnlyCutShort() && e.Args == f.scope.Args && f.seen[e.Test] == sdk.Skipped
}
