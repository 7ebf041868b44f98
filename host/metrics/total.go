package metrics

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

type suiteName struct{ suite, name string }

// sum adds up what was compared.
type sum struct {
	before, after *big.Rat
	measures      int
}

func (s *sum) add(before, after *big.Rat) {
	s.before.Add(s.before, before)
	s.after.Add(s.after, after)
	s.measures++
}

func (c *comparer) addToSums(suite, name string, before, after *big.Rat) {
	at := suiteName{suite, name}
	if c.suites[at] == nil {
		c.suites[at] = newSum()
	}
	if c.totals[name] == nil {
		c.totals[name] = newSum()
	}
	c.suites[at].add(before, after)
	c.totals[name].add(before, after)
}

func newSum() *sum { return &sum{before: new(big.Rat), after: new(big.Rat)} }

// finish sorts what was found.
func (c *comparer) finish() {
	for at, s := range c.suites {
		c.Suites = append(c.Suites, Total{Suite: at.suite, Name: at.name, Measures: s.measures, Figures: newFigures(s.before, s.after)})
	}
	for name, s := range c.totals {
		c.Totals = append(c.Totals, Total{Name: name, Measures: s.measures, Figures: newFigures(s.before, s.after)})
	}
	c.Counts.Incomparable = len(c.Incomparable)
	for _, totals := range [][]Total{c.Suites, c.Totals} {
		slices.SortFunc(totals, func(a, b Total) int {
			return cmp.Or(larger(a.Figures, b.Figures), strings.Compare(a.Suite, b.Suite), strings.Compare(a.Name, b.Name))
		})
	}
	slices.SortFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(larger(a.Figures, b.Figures), strings.Compare(a.Suite, b.Suite), strings.Compare(a.Test, b.Test),
			strings.Compare(a.Name, b.Name), strings.Compare(a.Section, b.Section), strings.Compare(a.Kind, b.Kind))
	})
}

// larger sorts the larger difference first, whatever its sign.
func larger(a, b Figures) int { return size(b).Cmp(size(a)) }

func size(f Figures) *big.Rat {
	r, ok := new(big.Rat).SetString(string(f.Delta))
	if !ok {
		return new(big.Rat)
	}
	return r.Abs(r)
}
