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
	answer := Nothing(req.Now.Run.Language, req.Names, &is, "")
	answer.Before, answer.ThresholdPercent = &was, req.ThresholdPercent
	answer.Conditions = compareConditions(before.Run.Conditions, now.Run.Conditions)
	c := &comparer{Comparison: answer, threshold: parseThreshold(req.ThresholdPercent), suites: map[suiteName]*sum{}, totals: map[string]*sum{}}
	old, current := indexTests(before), indexTests(now)
	tests := maps.Clone(old)
	maps.Copy(tests, current)
	for _, t := range slices.SortedFunc(maps.Keys(tests), orderTests) {
		c.compareTest(t, old[t], current[t])
	}
	c.finish()
	c.Message = c.composeMessage()
	return c.Comparison
}

// comparer makes one comparison.
type comparer struct {
	Comparison
	threshold *big.Rat
	suites    map[suiteName]*sum
	totals    map[string]*sum
}

// compareTest compares what two runs say about a test; nil is nothing.
func (c *comparer) compareTest(t sdk.TestID, before, now *entry) {
	switch reason := c.whyIncomparable(before, now); {
	case reason == Gone && !c.Now.Whole:
		c.Counts.NotRun++
	case reason != "":
		c.skip(t, key{}, reason, "")
	case before.isMeasured() && now.isMeasured():
		c.compareMeasures(t, before, now)
	}
}

// whyIncomparable returns why nothing of a test can be compared; empty if something could, or if
// nobody would expect it.
func (c *comparer) whyIncomparable(before, now *entry) Reason {
	switch {
	case now == nil && before.isMeasured():
		return Gone
	case now == nil:
		return ""
	case isBad(now.status) && (before == nil || before.status != sdk.Passed || before.isMeasured()),
		now.status == sdk.Skipped && before.isMeasured():
		return Reason(now.status + "_now")
	case !now.isMeasured() && before.isMeasured():
		return NotMeasuredNow
	case !now.isMeasured():
		return ""
	case before == nil && c.Before.Whole:
		return New
	case before == nil:
		return NotRunBefore
	case before.status != sdk.Passed:
		return Reason(before.status + "_before")
	case !before.isMeasured():
		return NotMeasuredBefore
	case len(c.Conditions) > 0:
		return OtherConditions
	}
	return ""
}

func isBad(s sdk.Status) bool { return s == sdk.Failed || s == sdk.Unfinished }

// compareMeasures compares the measures of a test that passed in both runs.
func (c *comparer) compareMeasures(t sdk.TestID, before, now *entry) {
	type group struct{ name, section string }
	groups := map[group]bool{}
	for _, e := range []*entry{before, now} {
		for k := range e.measures {
			groups[group{k.name, k.section}] = true
		}
	}
	compared := c.Counts.Measures
	for _, g := range slices.SortedFunc(maps.Keys(groups), func(a, b group) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.section, b.section))
	}) {
		c.compareKinds(t, key{name: g.name, section: g.section}, before, now)
	}
	if c.Counts.Measures > compared {
		c.Counts.Tests++
	}
}

func (c *comparer) skip(t sdk.TestID, k key, reason Reason, detail string) {
	c.Incomparable = append(c.Incomparable, Incomparable{
		Suite: t.Suite, Test: t.Test, Name: k.name, Section: k.section, Reason: reason, Detail: detail,
	})
}

func orderTests(a, b sdk.TestID) int {
	return cmp.Or(strings.Compare(a.Suite, b.Suite), strings.Compare(a.Test, b.Test))
}
