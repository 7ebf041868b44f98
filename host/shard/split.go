package shard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Suite is a suite that a run would run.
type Suite struct {
	Name string
	// Tests are those that the run would run, as listed.
	Tests []string
	// Whole reports whether it must not be cut: not all of its tests are known, or they
	// cannot run one by one.
	Whole bool
}

// Piece is a suite, or some tests of one, in a part of a plan.
type Piece struct {
	Suite string `json:"suite"`
	// Tests are those that run there; nil means all of the suite.
	Tests []string `json:"tests,omitempty"`
}

// tolerance is how much longer than the mean the longest part may be before a suite in
// it is cut. Each piece of a suite is built and started anew, which costs more than a
// better balance gains.
const tolerance = 1.10

// maxCuts bounds how many pieces are added to reach that. Each costs a division of
// everything.
const maxCuts = 200

// Split divides suites into parts of about equal length: the longest first, each to the
// part with the least work so far; then the longest part gives away or exchanges what makes
// it shorter. A suite is cut only if the part that it is in would
// otherwise be too long, as one that is longer than its share of the whole is. The result depends on
// nothing but the arguments, whatever the order of suites.
//
// One more piece may gain nothing by itself, where two more do: so the division goes on,
// and the best one seen counts.
func Split(suites []Suite, of int, timings Timings) [][]Piece {
	weights := newWeights(suites, timings)
	share := weights.total / float64(of)
	cuts := make([]int, len(weights.suites))
	for i := range cuts {
		cuts[i] = 1
	}
	now := weights.divide(cuts, of)
	best, least := now, now.longest()
	for range maxCuts {
		if share == 0 || least <= tolerance*share {
			break
		}
		i := weights.mostUseful(now, cuts, of)
		if i < 0 {
			break
		}
		cuts[i]++
		now = weights.divide(cuts, of)
		if longest := now.longest(); longest < least*(1-minGain) {
			best, least = now, longest
		}
	}
	return best.pieces(weights)
}

// minGain is how much shorter the longest part must become for more pieces to be worth
// it.
const minGain = 0.02

// weighted is a suite with what it costs.
type weighted struct {
	Suite
	tests  []float64 // of each of Tests
	fixed  float64   // once for each piece
	weight float64
}

// mostPieces returns into how many pieces a suite can be cut. There may be more than
// parts, as those of one part are one piece in the end: with halves alone two suites
// cannot be divided into parts of two thirds.
func (w weighted) mostPieces(of int) int {
	if w.Whole {
		return 1
	}
	return max(min(len(w.Tests), finest*of), 1)
}

// finest is how many pieces of a suite there are for each part at most.
const finest = 3

// weights are suites by name, and what all of them cost.
type weights struct {
	suites []weighted
	total  float64
}

func newWeights(suites []Suite, t Timings) weights {
	var w weights
	for _, s := range suites {
		s.Tests = slices.Clone(s.Tests)
		slices.Sort(s.Tests)
		s.Tests = slices.Compact(s.Tests)
		w.suites = append(w.suites, t.weigh(s))
	}
	slices.SortFunc(w.suites, func(a, b weighted) int { return strings.Compare(a.Name, b.Name) })
	w.suites = slices.CompactFunc(w.suites, func(a, b weighted) bool { return a.Name == b.Name })
	t.fillUnknown(w.suites)
	for _, s := range w.suites {
		w.total += s.weight
	}
	return w
}

// item is one piece of a suite.
type item struct {
	suite, piece int
	tests        []int // of the suite; nil is the whole
	weight       float64
}

// division is a plan in the making.
type division struct {
	parts [][]item
	loads []float64
}

// divide assigns the pieces, longest first. Ties go by name.
func (w weights) divide(cuts []int, of int) division {
	var items []item
	for i, s := range w.suites {
		items = append(items, s.cut(i, cuts[i])...)
	}
	slices.SortFunc(items, func(a, b item) int {
		return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.suite, b.suite), cmp.Compare(a.piece, b.piece))
	})
	d := division{parts: make([][]item, of), loads: make([]float64, of)}
	for _, it := range items {
		at := 0
		for i := range d.parts {
			// What costs nothing is spread by its number.
			if c := cmp.Or(cmp.Compare(d.loads[i], d.loads[at]), cmp.Compare(len(d.parts[i]), len(d.parts[at]))); c < 0 {
				at = i
			}
		}
		d.parts[at] = append(d.parts[at], it)
		d.loads[at] += it.weight
	}
	if len(items) <= maxRefined {
		for range maxSteps {
			if !d.refine() {
				break
			}
		}
	}
	return d
}

// maxRefined bounds the pieces of a division that is refined, as each step compares all of
// them, and maxSteps how often. Among more, the longest first come out even.
const (
	maxRefined = 300
	maxSteps   = 50
)

// refine moves a piece out of the longest part, or exchanges it for a shorter one, whatever
// makes the longer of the two parts shortest. It reports whether that gained anything.
func (d division) refine() bool {
	from := slices.Index(d.loads, d.longest())
	best := d.loads[from] * (1 - leastStep)
	type place struct{ part, give, take int }
	var found *place
	for to, items := range d.parts {
		if to == from {
			continue
		}
		for give, it := range d.parts[from] {
			for take := -1; take < len(items); take++ { // -1 is nothing
				less := it.weight
				if take >= 0 {
					less -= items[take].weight
				}
				if longer := max(d.loads[from]-less, d.loads[to]+less); less > 0 && longer < best {
					best, found = longer, &place{to, give, take}
				}
			}
		}
	}
	if found == nil {
		return false
	}
	a, b := d.parts[from], d.parts[found.part]
	given := a[found.give]
	if found.take < 0 {
		d.parts[from], d.parts[found.part] = slices.Delete(a, found.give, found.give+1), append(b, given)
	} else {
		a[found.give], b[found.take] = b[found.take], given
	}
	for _, part := range []int{from, found.part} {
		d.loads[part] = 0
		for _, it := range d.parts[part] {
			d.loads[part] += it.weight
		}
	}
	return true
}

// leastStep is what a step must gain: sums of fractions differ by their order.
const leastStep = 1e-6

// cut cuts a suite into pieces of about equal length.
func (w weighted) cut(index, into int) []item {
	if into <= 1 {
		return []item{{suite: index, weight: w.weight}}
	}
	order := make([]int, len(w.Tests))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(-cmp.Compare(w.tests[a], w.tests[b]), cmp.Compare(w.Tests[a], w.Tests[b]))
	})
	pieces := make([]item, into)
	for i := range pieces {
		pieces[i] = item{suite: index, piece: i, weight: w.fixed}
	}
	for _, t := range order {
		at := 0
		for i := range pieces {
			if c := cmp.Or(cmp.Compare(pieces[i].weight, pieces[at].weight), cmp.Compare(len(pieces[i].tests), len(pieces[at].tests))); c < 0 {
				at = i
			}
		}
		pieces[at].tests = append(pieces[at].tests, t)
		pieces[at].weight += w.tests[t]
	}
	return pieces
}

// mostUseful returns the suite in the longest part whose tests take longest there and that
// can be cut further; -1 if there is none.
func (w weights) mostUseful(d division, cuts []int, of int) int {
	found, weight := -1, 0.0
	for _, it := range d.parts[slices.Index(d.loads, d.longest())] {
		s := w.suites[it.suite]
		if tests := it.weight - s.fixed; cuts[it.suite] < s.mostPieces(of) && tests > weight {
			found, weight = it.suite, tests
		}
	}
	return found
}

func (d division) longest() float64 { return slices.Max(d.loads) }

// pieces names what each part has, by suite. Pieces of one suite that came to the same
// part are one.
func (d division) pieces(w weights) [][]Piece {
	parts := make([][]Piece, len(d.parts))
	for i, part := range d.parts {
		by := map[int][]int{}
		whole := map[int]bool{}
		for _, it := range part {
			whole[it.suite] = it.tests == nil
			by[it.suite] = append(by[it.suite], it.tests...)
		}
		parts[i] = []Piece{}
		for at, s := range w.suites {
			tests, here := by[at]
			switch {
			case !here:
			case whole[at] || len(tests) == len(s.Tests):
				parts[i] = append(parts[i], Piece{Suite: s.Name})
			default:
				slices.Sort(tests)
				p := Piece{Suite: s.Name}
				for _, t := range tests {
					p.Tests = append(p.Tests, s.Tests[t])
				}
				parts[i] = append(parts[i], p)
			}
		}
	}
	return parts
}

// Loads returns how long the parts of a plan take by some timings: what [Split] balances.
func Loads(parts [][]Piece, suites []Suite, timings Timings) []float64 {
	w := newWeights(suites, timings)
	loads := make([]float64, len(parts))
	for i, part := range parts {
		for _, p := range part {
			at, _ := slices.BinarySearchFunc(w.suites, p.Suite, func(s weighted, name string) int { return strings.Compare(s.Name, name) })
			s := w.suites[at]
			if p.Tests == nil {
				loads[i] += s.weight
				continue
			}
			loads[i] += s.fixed
			for _, t := range p.Tests {
				if at, ok := slices.BinarySearch(s.Tests, t); ok {
					loads[i] += s.tests[at]
				}
			}
		}
	}
	return loads
}

// asTest returns the name of a test of a piece.
func (p Piece) asTest(name string) sdk.TestID { return sdk.TestID{Suite: p.Suite, Test: name} }
