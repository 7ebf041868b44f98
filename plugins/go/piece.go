package gotest

import (
	"github.com/proctorhq/proctor/plugins/go/internal/pattern"
	"github.com/proctorhq/proctor/plugins/go/internal/testexec"
	"github.com/proctorhq/proctor/sdk"
)

// piece is what a command runs in one suite.
type piece struct {
	suite *suite
	// expr is the expression; empty runs everything.
	expr    string
	targets []sdk.TestID
	inside  bool
}

// waves splits the suites into pieces. A suite whose expression would be too long for
// one argument takes part in several waves, all others only in the first.
func (c *composer) waves(suites []*suite, kind testKind) [][]piece {
	var waves [][]piece
	add := func(at int, p piece) {
		for len(waves) <= at {
			waves = append(waves, nil)
		}
		waves[at] = append(waves[at], p)
	}
	for _, s := range suites {
		switch {
		case s.whole && kind == tests:
			add(0, wholePiece(s))
			continue
		case s.build:
			add(0, piece{suite: s, expr: testexec.Placeholder})
			continue
		}
		for at, part := range pattern.Compose(s.names[kind], pattern.Limits{Bytes: c.limits.argument, Declared: len(s.declared), Whole: c.widen}) {
			add(at, piece{suite: s, expr: part.Expr, targets: c.targetsOf(s, part), inside: part.Inside()})
		}
	}
	return waves
}

func wholePiece(s *suite) piece {
	targets := []sdk.TestID{{Suite: s.path}}
	for _, name := range s.names[tests] {
		targets = append(targets, sdk.TestID{Suite: s.path, Test: name})
	}
	return piece{suite: s, targets: targets}
}

// targetsOf names what a part of a suite runs: what was requested or, on demand, the
// enclosing test.
func (c *composer) targetsOf(s *suite, part pattern.Part) []sdk.TestID {
	targets := make([]sdk.TestID, 0, len(part.Tops))
	for _, top := range part.Tops {
		switch {
		case !top.Widened():
		case c.widen:
			targets = append(targets, sdk.TestID{Suite: s.path, Test: top.Name})
		default:
			c.widened = append(c.widened, sdk.TestID{Suite: s.path, Test: top.Name})
		}
		for _, name := range top.Requested {
			targets = append(targets, sdk.TestID{Suite: s.path, Test: name})
		}
	}
	return targets
}

// splitByExpr separates the pieces with the same expression as the first.
func splitByExpr(pieces []piece) (same, rest []piece) {
	for _, p := range pieces {
		if p.expr == pieces[0].expr {
			same = append(same, p)
		} else {
			rest = append(rest, p)
		}
	}
	return same, rest
}

func negate(is func(piece) bool) func(piece) bool {
	return func(p piece) bool { return !is(p) }
}

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
