package selection

import (
	"maps"
	"regexp"
	"slices"
)

// box is a set of cells, with the values it is made of.
type box struct {
	cells                        []cell
	paths, contracts, signatures map[string]bool
	// Lengths of the patterns in bytes.
	pathBytes, contractBytes, testBytes int
}

func newBox(cells []cell) *box {
	b := &box{paths: map[string]bool{}, contracts: map[string]bool{}, signatures: map[string]bool{}}
	for _, c := range cells {
		b.add(c)
	}
	return b
}

func (b *box) add(c cell) {
	b.cells = append(b.cells, c)
	if !b.paths[c.path] {
		b.paths[c.path] = true
		b.pathBytes += len(escapeGlob(c.path)) + len(",")
	}
	if !b.contracts[c.contract] {
		b.contracts[c.contract] = true
		b.contractBytes += len(regexp.QuoteMeta(c.contract)) + len("|")
	}
	if !b.signatures[c.signature] {
		b.signatures[c.signature] = true
		b.testBytes += len(regexp.QuoteMeta(c.signature)) + len("|")
	}
}

// absorb adds the cells of another box.
func (b *box) absorb(other *box) {
	for _, c := range other.cells {
		b.add(c)
	}
}

// isWhole reports whether it consists of whole suites.
func (b *box) isWhole() bool { return b.signatures[""] }

// fitsArgument reports whether each pattern of the combined boxes fits into an argument.
func fitsArgument(limit int, boxes ...*box) bool {
	path, contract, test := 0, 0, 0
	for _, b := range boxes {
		path, contract, test = path+b.pathBytes, contract+b.contractBytes, test+b.testBytes
	}
	return max(path, contract, test) <= limit
}

func keysOf(set map[string]bool) []string { return slices.Collect(maps.Keys(set)) }

// world is all tests that exist, the targets among them.
type world struct {
	// suites holds the suites with a contract's name, by path.
	suites map[string]map[string]*suite
}

type suite struct{ signatures map[string]bool }

func newWorld(all, targets []Test) *world {
	w := &world{suites: map[string]map[string]*suite{}}
	for _, t := range slices.Concat(all, targets) {
		c, ok := newCell(t)
		if !ok {
			continue
		}
		paths := w.suites[c.contract]
		if paths == nil {
			paths = map[string]*suite{}
			w.suites[c.contract] = paths
		}
		s := paths[c.path]
		if s == nil {
			s = &suite{signatures: map[string]bool{}}
			paths[c.path] = s
		}
		if c.signature != "" {
			s.signatures[c.signature] = true
		}
	}
	return w
}

// isExact reports whether boxes combined select their cells and nothing else.
func (w *world) isExact(boxes ...*box) bool {
	cells := 0
	for _, b := range boxes {
		cells += len(b.cells)
	}
	count := 0
	for i, b := range boxes {
		for contract := range b.contracts {
			if !anyBox(boxes[:i], func(other *box) bool { return other.contracts[contract] }) {
				count += w.countSelected(contract, boxes)
			}
			if count > cells {
				return false
			}
		}
	}
	return count == cells
}

// countSelected counts the tests that the boxes select in the suites with a contract's name.
func (w *world) countSelected(contract string, boxes []*box) int {
	count := 0
	for path, s := range w.suites[contract] {
		switch {
		case !anyBox(boxes, func(b *box) bool { return b.paths[path] }):
		case boxes[0].isWhole():
			count++
		default:
			count += s.count(boxes)
		}
	}
	return count
}

func anyBox(boxes []*box, holds func(*box) bool) bool { return slices.ContainsFunc(boxes, holds) }

// count counts the signatures of a suite that are in the boxes.
func (s *suite) count(boxes []*box) int {
	wanted := 0
	for _, b := range boxes {
		wanted += len(b.signatures)
	}
	n := 0
	if len(s.signatures) <= wanted {
		for signature := range s.signatures {
			if anyBox(boxes, func(b *box) bool { return b.signatures[signature] }) {
				n++
			}
		}
		return n
	}
	for i, b := range boxes {
		for signature := range b.signatures {
			if s.signatures[signature] && !anyBox(boxes[:i], func(other *box) bool { return other.signatures[signature] }) {
				n++
			}
		}
	}
	return n
}
