package selection

import "strings"

// Test is a test, or with an empty name a whole suite.
type Test struct{ Suite, Name string }

// Filter is the filters of one command.
type Filter struct {
	// Path, Contract and Test are the values of --match-path, --match-contract
	// and --match-test. An empty Test is not given.
	Path, Contract, Test string
	// Tests are the targets that it selects.
	Tests []Test
}

// Plan returns filters that together select exactly the targets, each of them
// once. all are the tests that exist. Without them it is not known what a box
// holds, and every suite gets a filter of its own; targets need not be among
// them.
//
// The filters are the fewest for up to [exhaustive] targets; for more, they are
// the better of two groupings, by suite and by signature. Suites whose name
// cannot be taken apart are in no filter.
func Plan(targets, all []Test) []Filter {
	whole, named := sorted(targets)
	p := &planner{world: newWorld(all, targets), closed: len(all) > 0}
	return append(filters(p.best(whole)), filters(p.best(named))...)
}

// sorted removes what is there twice: tests of a suite that runs as a whole,
// too. Both parts keep the order.
func sorted(targets []Test) (whole, named []cell) {
	suites := map[string]bool{}
	for _, t := range targets {
		if c, ok := newCell(t); ok && t.Name == "" && !suites[t.Suite] {
			suites[t.Suite] = true
			whole = append(whole, c)
		}
	}
	seen := map[Test]bool{}
	for _, t := range targets {
		c, ok := newCell(t)
		if !ok || suites[t.Suite] || seen[t] || strings.IndexByte(t.Name, 0) >= 0 {
			continue
		}
		seen[t] = true
		named = append(named, c)
	}
	return whole, named
}

// cell is a test as filters see it. An empty signature is a whole suite.
type cell struct{ path, contract, signature string }

func newCell(t Test) (cell, bool) {
	path, contract, ok := Split(t.Suite)
	return cell{path, contract, t.Name}, ok
}

func (c cell) test() Test { return Test{Suite: c.path + ":" + c.contract, Name: c.signature} }

func filters(boxes []*box) []Filter {
	made := make([]Filter, len(boxes))
	for i, b := range boxes {
		made[i] = Filter{Path: Glob(keys(b.paths)), Contract: Expression(keys(b.contracts))}
		if !b.whole() {
			made[i].Test = Expression(keys(b.signatures))
		}
		for _, c := range b.cells {
			made[i].Tests = append(made[i].Tests, c.test())
		}
	}
	return made
}
