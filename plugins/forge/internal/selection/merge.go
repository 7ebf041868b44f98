package selection

import (
	"runtime"
	"slices"
)

const (
	// maxExhaustive is the number of targets up to which all partitions are tried, which
	// takes half a million steps.
	maxExhaustive = 12
	// maxNeighbors is how many boxes are tried as partners for another one.
	maxNeighbors = 32
	// maxMergeable is the number of cells from which on a box is no longer merged: the cost
	// of merging boxes of several signatures grows with their size.
	maxMergeable = 2048
)

// maxArgument bounds a pattern in bytes. Linux limits an argument to 128 KiB, Windows
// all of them to 32,767 characters.
func maxArgument() int {
	if runtime.GOOS == "windows" {
		return 9 << 10
	}
	return 100 << 10
}

type planner struct {
	world *world
	// closed reports whether all existing tests are known, so that boxes can be checked.
	closed bool
}

// fewestBoxes returns the fewest boxes it can find for cells that are either all tests or all
// whole suites.
func (p *planner) fewestBoxes(cells []cell) []*box {
	best := p.join(groupBy(cells, bySuite))
	if !p.closed || len(best) < 2 {
		return best
	}
	if other := p.join(groupBy(cells, bySignature)); len(other) < len(best) {
		best = other
	}
	if len(cells) <= maxExhaustive && len(best) > 2 {
		return p.partition(cells)
	}
	return best
}

func bySuite(c cell) cell     { return cell{path: c.path, contract: c.contract} }
func bySignature(c cell) cell { return cell{signature: c.signature} }

// groupBy groups the cells by key, in order.
func groupBy(cells []cell, key func(cell) cell) [][]cell {
	var groups [][]cell
	index := map[cell]int{}
	for _, c := range cells {
		at, known := index[key(c)]
		if !known {
			at = len(groups)
			index[key(c)] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], c)
	}
	return groups
}

// join makes boxes of the groups and merges what it can.
func (p *planner) join(groups [][]cell) []*box {
	var parts []*box
	for _, group := range groups {
		parts = append(parts, p.splitGroup(group)...)
	}
	if !p.closed || len(parts) < 2 {
		return parts
	}
	everything := newBox(nil)
	for _, part := range parts {
		everything.absorb(part)
	}
	if fitsArgument(maxArgument(), everything) && p.world.isExact(everything) {
		return []*box{everything}
	}
	var merged []*box
	for _, part := range parts {
		merged = p.mergeInto(merged, part)
	}
	return merged
}

// splitGroup makes boxes of a group, usually one.
func (p *planner) splitGroup(group []cell) []*box {
	whole := newBox(group)
	if fitsArgument(maxArgument(), whole) && (!p.closed || p.world.isExact(whole)) {
		return []*box{whole}
	}
	suites := groupBy(group, bySuite)
	if len(suites) == 1 {
		return splitSuite(group)
	}
	var parts []*box
	for _, suite := range suites {
		parts = append(parts, p.splitGroup(suite)...)
	}
	return parts
}

// splitSuite splits the tests of a suite whose signatures are too long for one pattern. Each
// part is exact, since all of them select in the same suite.
func splitSuite(group []cell) []*box {
	parts := []*box{newBox(nil)}
	for _, c := range group {
		next := newBox([]cell{c})
		last := parts[len(parts)-1]
		if len(last.cells) > 0 && !fitsArgument(maxArgument(), last, next) {
			parts = append(parts, next)
			continue
		}
		last.absorb(next)
	}
	return parts
}

// mergeInto merges a box into the first of the latest ones that accepts it, or appends it.
func (p *planner) mergeInto(boxes []*box, next *box) []*box {
	for i, other := range slices.Backward(boxes) {
		if len(boxes)-i > maxNeighbors {
			break
		}
		if len(other.cells) <= maxMergeable && fitsArgument(maxArgument(), other, next) && p.world.staysExact(other, next) {
			other.absorb(next)
			return boxes
		}
	}
	return append(boxes, next)
}

// partition finds the fewest exact boxes for a few cells by solving every subset of
// them, smaller ones first.
func (p *planner) partition(cells []cell) []*box {
	sets := 1 << len(cells)
	type choice struct{ boxes, last int }
	best := make([]choice, sets)
	exact := make([]bool, sets)
	for set := 1; set < sets; set++ {
		exact[set] = p.world.isExact(newBox(chooseCells(cells, set)))
		best[set] = choice{boxes: len(cells) + 1}
		lowest := set & -set
		for part := set; part > 0; part = (part - 1) & set {
			if part&lowest == 0 || !exact[part] {
				continue
			}
			if n := best[set&^part].boxes + 1; n < best[set].boxes {
				best[set] = choice{n, part}
			}
		}
	}
	var boxes []*box
	for set := sets - 1; set > 0; set &^= best[set].last {
		boxes = append(boxes, newBox(chooseCells(cells, best[set].last)))
	}
	return boxes
}

func chooseCells(cells []cell, set int) []cell {
	var some []cell
	for i, c := range cells {
		if set&(1<<i) != 0 {
			some = append(some, c)
		}
	}
	return some
}
