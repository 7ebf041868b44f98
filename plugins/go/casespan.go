package gotest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/sdk"
)

// openCase matches a line with a case that must continue below. Most files have none,
// and are not parsed.
var openCase = lazyregexp.New(`(?m)^[ \t]*case\b.*[,(\[{|&=<>+*/-][ \t]*(?://.*)?\r?$`)

// point is a line and a column.
type point struct{ line, column int }

// widenCases makes the block of each case begin at its keyword. In a profile it begins
// after the colon, so that all but the last line of a multi-line list would count as
// lines without code.
func widenCases(src []byte, blocks []sdk.Block) []sdk.Block {
	if !openCase.Match(src) {
		return blocks
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", src, parser.SkipObjectResolution)
	if err != nil {
		return blocks // built, and changed since
	}
	at := func(pos token.Pos) point {
		p := files.PositionFor(pos, false)
		return point{p.Line, p.Column}
	}
	keywords := map[point]point{}
	ast.Inspect(file, func(n ast.Node) bool {
		var keyword, colon token.Pos
		switch clause := n.(type) {
		case *ast.CaseClause:
			keyword, colon = clause.Case, clause.Colon
		case *ast.CommClause:
			keyword, colon = clause.Case, clause.Colon
		default:
			return true
		}
		// A function within the list has blocks of its own.
		if from, behind := at(keyword), at(colon+1); from.line < behind.line && !beginsBetween(blocks, from, behind) {
			keywords[behind] = from
		}
		return true
	})
	widened := slices.Clone(blocks)
	for i, b := range widened {
		if from, found := keywords[point{b.StartLine, b.StartColumn}]; found {
			widened[i].StartLine, widened[i].StartColumn = from.line, from.column
		}
	}
	return widened
}

// beginsBetween reports whether a block begins after one point and before another.
func beginsBetween(blocks []sdk.Block, from, to point) bool {
	return slices.ContainsFunc(blocks, func(b sdk.Block) bool {
		begin := point{b.StartLine, b.StartColumn}
		return begin.isBehind(from) && to.isBehind(begin)
	})
}

func (p point) isBehind(other point) bool {
	return p.line > other.line || p.line == other.line && p.column > other.column
}
