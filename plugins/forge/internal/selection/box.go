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
	// contracts holds the names of the contracts of a path.
	contracts map[string][]string
}

type suite struct{ signatures map[string]bool }

func newWorld(all, targets []Test) *world {
	w := &world{suites: map[string]map[string]*suite{}, contracts: map[string][]string{}}
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
			w.contracts[c.path] = append(w.contracts[c.path], c.contract)
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

// staysExact reports whether a box that is exact stays so with the cells of another. If
// that has no other signatures, it looks only at the suites that come in: the cost does not
// grow with the box.
func (w *world) staysExact(b, next *box) bool {
	for signature := range next.signatures {
		if !b.signatures[signature] {
			return w.keepsFirst(b, next) && w.keepsFirst(next, b) && w.isExact(b, next)
		}
	}
	count := 0
	for contract := range next.contracts {
		if b.contracts[contract] { // its suites in the paths of b are in already
			for path := range next.paths {
				if s := w.suites[contract][path]; s != nil {
					count += s.countNew(b, contract, path)
				}
			}
			continue
		}
		for path, s := range w.suites[contract] {
			if next.paths[path] || b.paths[path] {
				count += s.countNew(b, contract, path)
			}
		}
	}
	for path := range next.paths {
		if b.paths[path] {
			continue
		}
		for _, contract := range w.contracts[path] {
			if b.contracts[contract] && !next.contracts[contract] {
				count += w.suites[contract][path].countNew(b, contract, path)
			}
		}
	}
	return count == len(next.cells)
}

// countNew counts the tests that a box would select in a suite, unless it selects in the
// suite already.
func (s *suite) countNew(b *box, contract, path string) int {
	if b.contracts[contract] && b.paths[path] {
		return 0
	}
	return s.count([]*box{b})
}

// keepsFirst reports whether the signatures of another box select nothing more in the suite
// of a box's first cell. That rules most pairs out at once.
func (w *world) keepsFirst(b, other *box) bool {
	c := b.cells[0]
	if other.contracts[c.contract] && other.paths[c.path] {
		return true
	}
	s := w.suites[c.contract][c.path]
	return s.count([]*box{b, other}) == s.count([]*box{b})
}

// countSelected counts the tests that the boxes select in the suites with a contract's name.
func (w *world) countSelected(contract string, boxes []*box) int {
	suites := w.suites[contract]
	count := 0
	if len(boxes) == 1 && len(boxes[0].paths) < len(suites) {
		for path := range boxes[0].paths {
			if s := suites[path]; s != nil {
				count += s.count(boxes)
			}
		}
		return count
	}
	for path, s := range suites {
		if anyBox(boxes, func(b *box) bool { return b.paths[path] }) {
			count += s.count(boxes)
		}
	}
	return count
}

func anyBox(boxes []*box, holds func(*box) bool) bool { return slices.ContainsFunc(boxes, holds) }

// count counts the signatures of a suite that are in the boxes. A suite as a whole counts as
// one.
func (s *suite) count(boxes []*box) int {
	if boxes[0].isWhole() {
		return 1
	}
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
