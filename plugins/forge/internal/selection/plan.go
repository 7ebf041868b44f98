package selection

import "strings"

// Test is a test, or a whole suite if its name is empty.
type Test struct{ Suite, Name string }

// Filter holds the filters of one command.
type Filter struct {
	// Path, Contract and Test are the values of --match-path, --match-contract and
	// --match-test. An empty Test is left out.
	Path, Contract, Test string
	// Tests are the targets that the filters select.
	Tests []Test
}

// Plan returns filters that together select exactly the targets, each of them once. all
// are the existing tests. If all is empty, it is unknown what else a box would select,
// so every suite gets its own filter. Targets need not be in all.
//
// The result is minimal for up to [maxExhaustive] targets. For more it is the better of
// two groupings, by suite and by signature. Suites whose name cannot be split are
// omitted.
func Plan(targets, all []Test) []Filter {
	whole, named := splitTargets(targets)
	p := &planner{world: newWorld(all, targets), closed: len(all) > 0}
	return append(toFilters(p.fewestBoxes(whole)), toFilters(p.fewestBoxes(named))...)
}

// splitTargets removes duplicates, including tests of a suite that runs as a whole. Both
// results keep the order.
func splitTargets(targets []Test) (whole, named []cell) {
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

// cell is a test as the filters see it. An empty signature means a whole suite.
type cell struct{ path, contract, signature string }

func newCell(t Test) (cell, bool) {
	path, contract, ok := Split(t.Suite)
	return cell{path, contract, t.Name}, ok
}

func (c cell) test() Test { return Test{Suite: c.path + ":" + c.contract, Name: c.signature} }

func toFilters(boxes []*box) []Filter {
	made := make([]Filter, len(boxes))
	for i, b := range boxes {
		made[i] = Filter{Path: Glob(keysOf(b.paths)), Contract: Expression(keysOf(b.contracts))}
		if !b.isWhole() {
			made[i].Test = Expression(keysOf(b.signatures))
		}
		for _, c := range b.cells {
			made[i].Tests = append(made[i].Tests, c.test())
		}
	}
	return made
}
