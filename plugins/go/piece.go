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
