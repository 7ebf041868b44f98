package metrics

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Set is a run with the results of its tests.
type Set struct {
	Run     api.Run
	Results []api.Result
	// Baseline reports whether the run was set as the baseline.
	Baseline bool
}

// Only returns the set with just the named measures, or all if no name is given.
func (s Set) Only(names []string) Set {
	kept := Set{Run: s.Run, Baseline: s.Baseline, Results: make([]api.Result, 0, len(s.Results))}
	for _, r := range s.Results {
		kept.Results = append(kept.Results, Bare(r, names))
	}
	return kept
}

// Bare returns a result without what a comparison does not use. The measures of a test
// that did not pass mean nothing.
func Bare(r api.Result, names []string) api.Result {
	bare := api.Result{TestResult: sdk.TestResult{TestID: r.TestID, Status: r.Status, Fixture: r.Fixture}}
	if r.Status != sdk.Passed {
		return bare
	}
	for _, m := range r.Measures {
		if len(names) == 0 || slices.Contains(names, m.Name) {
			bare.Measures = append(bare.Measures, m)
		}
	}
	return bare
}

// CountMeasured counts the tests that passed and have measures; others counts those
// that did not pass.
func (s Set) CountMeasured() (measured, others int) {
	for _, e := range indexTests(s) {
		switch {
		case e.status != sdk.Passed:
			others++
		case e.isMeasured():
			measured++
		}
	}
	return measured, others
}

// CountShared counts the tests with measures in both sets.
func (s Set) CountShared(other Set) int {
	mine := indexTests(s)
	n := 0
	for test, e := range indexTests(other) {
		if e.isMeasured() && mine[test].isMeasured() {
			n++
		}
	}
	return n
}

// IsWhole reports whether every test was asked for and ended: only then does a missing
// test no longer exist. Only the runner knows what runner arguments leave out.
func IsWhole(run api.Run) bool {
	c := run.Counts
	return (run.Kind == api.KindRun || run.Kind == api.KindMerge) && (run.Verdict == api.Passed || run.Verdict == api.Failed) &&
		!run.Selection.Narrows() && len(run.Selection.RunnerArgs) == 0 &&
		c.Unfinished == 0 && c.NeverStarted == 0 && c.BuildFailed == 0
}

// key names a measure within a test.
type key struct{ name, section, kind string }

// value is a measure as one run has it.
type value struct {
	sdk.Measure
	// ambiguous reports whether the run has several values for it.
	ambiguous bool
}

// entry is what a run says about a test.
type entry struct {
	status   sdk.Status
	measures map[key]value
}

// rank orders the statuses of a test that a run reports more than once: a pass must not
// hide a failure.
var rank = []sdk.Status{sdk.Skipped, sdk.Passed, sdk.Unfinished, sdk.Failed}

// isMeasured reports whether the test passed and has measures. It is false for nil.
func (e *entry) isMeasured() bool {
	return e != nil && e.status == sdk.Passed && len(e.measures) > 0
}

// indexTests maps tests to what a run says about them, without fixtures.
func indexTests(s Set) map[sdk.TestID]*entry {
	all := make(map[sdk.TestID]*entry, len(s.Results))
	for _, r := range s.Results {
		if r.Fixture {
			continue
		}
		r = Bare(r, nil)
		test := r.TestID
		e := all[test]
		if e == nil {
			e = &entry{status: r.Status, measures: map[key]value{}}
			all[test] = e
		}
		if slices.Index(rank, r.Status) > slices.Index(rank, e.status) {
			e.status = r.Status
		}
		for _, m := range r.Measures {
			k := key{m.Name, m.Section, m.Kind}
			old, twice := e.measures[k]
			e.measures[k] = value{m, twice && (old.ambiguous || old.Measure != m)}
		}
	}
	return all
}
