package metrics

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Request says what to compare.
type Request struct {
	Before, Now Set
	// Names are the measures to compare; empty means all.
	Names []string
	// ThresholdPercent hides changes up to this size.
	ThresholdPercent float64
}

// Compare compares what the tests of two runs measured.
func Compare(req Request) Comparison {
	before, now := req.Before.Only(req.Names), req.Now.Only(req.Names)
	was, is := SourceOf(before), SourceOf(now)
	c := Nothing(req.Now.Run.Language, req.Names, &is, "")
	c.Before, c.ThresholdPercent = &was, req.ThresholdPercent
	c.Conditions = conditions(before.Run.Conditions, now.Run.Conditions)
	w := &worker{Comparison: c, threshold: percentage(req.ThresholdPercent), suites: map[suiteName]*sum{}, totals: map[string]*sum{}}
	old, current := index(before), index(now)
	tests := maps.Clone(old)
	maps.Copy(tests, current)
	for _, t := range slices.SortedFunc(maps.Keys(tests), compareTests) {
		w.test(t, old[t], current[t])
	}
	w.finish()
	w.Message = w.sentence()
	return w.Comparison
}

// worker makes one comparison.
type worker struct {
	Comparison
	threshold *big.Rat
	suites    map[suiteName]*sum
	totals    map[string]*sum
}

// test compares what two runs say about a test; nil is nothing.
func (w *worker) test(t sdk.TestID, before, now *entry) {
	switch reason := w.whole(before, now); {
	case reason == Gone && !w.Now.Whole:
		w.Counts.NotRun++
	case reason != "":
		w.skip(t, key{}, reason, "")
	case before.measured() && now.measured():
		w.measures(t, before, now)
	}
}

// whole returns why nothing of a test can be compared; empty if something could, or if
// nobody would expect it.
func (w *worker) whole(before, now *entry) Reason {
	switch {
	case now == nil && before.measured():
		return Gone
	case now == nil:
		return ""
	case isBad(now.status) && (before == nil || before.status != sdk.Passed || before.measured()),
		now.status == sdk.Skipped && before.measured():
		return Reason(now.status + "_now")
	case !now.measured() && before.measured():
		return NotMeasuredNow
	case !now.measured():
		return ""
	case before == nil && w.Before.Whole:
		return New
	case before == nil:
		return NotRunBefore
	case before.status != sdk.Passed:
		return Reason(before.status + "_before")
	case !before.measured():
		return NotMeasuredBefore
	case len(w.Conditions) > 0:
		return OtherConditions
	}
	return ""
}

func isBad(s sdk.Status) bool { return s == sdk.Failed || s == sdk.Unfinished }

// measures compares the measures of a test that passed in both runs.
func (w *worker) measures(t sdk.TestID, before, now *entry) {
	type group struct{ name, section string }
	groups := map[group]bool{}
	for _, e := range []*entry{before, now} {
		for k := range e.measures {
			groups[group{k.name, k.section}] = true
		}
	}
	compared := w.Counts.Measures
	for _, g := range slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.section, b.section))
	}) {
		w.group(t, key{name: g.name, section: g.section}, before, now)
	}
	if w.Counts.Measures > compared {
		w.Counts.Tests++
	}
}

func (w *worker) skip(t sdk.TestID, k key, reason Reason, detail string) {
	w.Incomparable = append(w.Incomparable, Incomparable{
		Suite: t.Suite, Test: t.Test, Name: k.name, Section: k.section, Reason: reason, Detail: detail,
	})
}

func compareTests(a, b sdk.TestID) int {
	return cmp.Or(strings.Compare(a.Suite, b.Suite), strings.Compare(a.Test, b.Test))
}
