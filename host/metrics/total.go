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

func (w *worker) sum(suite, name string, before, after *big.Rat) {
	at := suiteName{suite, name}
	if w.suites[at] == nil {
		w.suites[at] = newSum()
	}
	if w.totals[name] == nil {
		w.totals[name] = newSum()
	}
	w.suites[at].add(before, after)
	w.totals[name].add(before, after)
}

func newSum() *sum { return &sum{before: new(big.Rat), after: new(big.Rat)} }

// finish sorts what was found.
func (w *worker) finish() {
	for at, s := range w.suites {
		w.Suites = append(w.Suites, Total{Suite: at.suite, Name: at.name, Measures: s.measures, Figures: figures(s.before, s.after)})
	}
	for name, s := range w.totals {
		w.Totals = append(w.Totals, Total{Name: name, Measures: s.measures, Figures: figures(s.before, s.after)})
	}
	w.Counts.Incomparable = len(w.Incomparable)
	for _, totals := range [][]Total{w.Suites, w.Totals} {
		slices.SortFunc(totals, func(a, b Total) int {
			return cmp.Or(larger(a.Figures, b.Figures), strings.Compare(a.Suite, b.Suite), strings.Compare(a.Name, b.Name))
		})
	}
	slices.SortFunc(w.Changes, func(a, b Change) int {
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
