package gotest

import (
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/sdk"
)

// findSharedExpr looks for one expression that selects exactly what is wanted in each suite.
func (c *composer) findSharedExpr(suites []*suite, kind testKind) (pieces []piece, ok bool) {
	declared := 0
	for _, s := range suites {
		if s.whole && kind == tests {
			return nil, false
		}
		declared += len(s.declared)
	}
	union, ok := c.union(suites, kind)
	if !ok {
		return nil, false
	}
	for _, s := range suites {
		if !c.isExact(union, s, kind) {
			return nil, false
		}
	}
	parts := pattern.Compose(union.names, pattern.Limits{Bytes: c.limits.argument, Declared: declared})
	if len(parts) != 1 || parts[0].Widened() {
		return nil, false
	}
	pieces = make([]piece, len(suites))
	for i, s := range suites {
		pieces[i] = piece{suite: s, expr: parts[0].Expr, targets: c.targets(s, kind), inside: parts[0].Inside()}
	}
	return pieces, true
}

// targets names what is run in a suite: what was requested, or the enclosing test if
// that runs instead.
func (c *composer) targets(s *suite, kind testKind) []sdk.TestID {
	targets := make([]sdk.TestID, 0, len(s.names[kind]))
	named := map[string]bool{}
	for _, name := range s.names[kind] {
		targets = append(targets, sdk.TestID{Suite: s.path, Test: name})
		if selected := c.selected(name); selected != name && !named[selected] {
			named[selected] = true
			targets = append(targets, sdk.TestID{Suite: s.path, Test: selected})
		}
	}
	return targets
}

// union is what is wanted in any suite.
type union struct {
	names []string
	// index numbers the names, tops the outermost tests.
	index, tops map[string]int
	// wanted counts the names of each outermost test.
	wanted []int
	// own is scratch space for the same count in one suite, lastSuite says in which
	// suite a name was last counted.
	own       []int
	lastSuite []*suite
}

// union collects the names of all suites, and gives up if they are too many for one
// expression.
func (c *composer) union(suites []*suite, kind testKind) (*union, bool) {
	all := &union{index: map[string]int{}, tops: map[string]int{}}
	bytes := 0
	for _, s := range suites {
		for _, name := range s.names[kind] {
			name = c.selected(name)
			if _, known := all.index[name]; known {
				continue
			}
			if bytes += len(name); bytes > c.limits.argument {
				return nil, false
			}
			all.add(name)
		}
	}
	all.own = make([]int, len(all.wanted))
	all.lastSuite = make([]*suite, len(all.names))
	return all, true
}

func (u *union) add(name string) {
	u.index[name] = len(u.names)
	u.names = append(u.names, name)
	top, known := u.tops[topLevelName(name)]
	if !known {
		top = len(u.wanted)
		u.tops[topLevelName(name)] = top
		u.wanted = append(u.wanted, 0)
	}
	u.wanted[top]++
}

// selected returns what is run for a name.
func (c *composer) selected(name string) string {
	if c.widen {
		return topLevelName(name)
	}
	return name
}

// isExact reports whether selecting the union in a suite selects only the suite's own
// names: of each outermost test in both, the suite wants all that the union wants.
func (c *composer) isExact(u *union, s *suite, kind testKind) bool {
	clear(u.own)
	different := 0
	for _, name := range s.names[kind] {
		name = c.selected(name)
		if at := u.index[name]; u.lastSuite[at] != s {
			u.lastSuite[at] = s
			u.own[u.tops[topLevelName(name)]]++
			different++
		}
	}
	if s.declared == nil {
		return different == len(u.names)
	}
	for name := range s.declared {
		if top, wanted := u.tops[name]; wanted && u.own[top] != u.wanted[top] {
			return false
		}
	}
	return true
}
