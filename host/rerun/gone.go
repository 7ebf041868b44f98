package rerun

import (
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// Gone are the entries of a set that are not in the one after the run although
// nothing in this run tells what became of them: they do not exist any more.
func (f *Fold) Gone(before, after Set) []record.Test {
	left := after.index()
	var gone []record.Test
	for _, e := range before.Entries {
		if _, still := left[e.Test]; still || e.Test == everything {
			continue
		}
		if e.Test.Test == "" && !f.hasRun(e.Suite) || e.Test.Test != "" && !f.passed[e.Test] && !f.handsOver(e) && !f.neededNoRun(e) {
			gone = append(gone, e.Test)
		}
	}
	return gone
}

// Otherwise are the tests of a set that are not in the one after the run since they
// passed with other runner arguments than those with which they came in, by the latter.
// They may have been red because of these.
func (f *Fold) Otherwise(before, after Set) map[string][]record.Test {
	left := after.index()
	now, _, _ := strings.Cut(f.scope.Args, EnvMark)
	passed := map[string][]record.Test{}
	for _, e := range before.Entries {
		args, _, known := strings.Cut(e.Args, EnvMark)
		if _, still := left[e.Test]; !still && known && args != now && f.passed[e.Test] {
			passed[args] = append(passed[args], e.Test)
		}
	}
	return passed
}

// hasRun tells whether a suite ran, or has none to run and never had.
func (f *Fold) hasRun(suite string) bool {
	return f.ran[suite] || f.suites[suite] == SuiteEmpty && f.hadNoTests(suite)
}

// handsOver tells whether a test that had not come to its end now has, and failed only
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

// neededNoRun tells whether a test skipped itself of which nothing else is known than
// that a run once ended before it: it was never red itself, and would wait for ever for
// a pass. With other arguments, such as -short, that it skips itself says nothing of the
// run that ended before it.
func (f *Fold) neededNoRun(e Entry) bool {
	return e.isOnlyNeverStarted() && e.Args == f.scope.Args && f.seen[e.Test] == record.TestSkipped
}
