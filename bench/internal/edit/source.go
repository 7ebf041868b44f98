package edit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// same stands for the old text within a new one.
const same = "\x00"

// replacement replaces a part of a source with another text.
type replacement struct {
	from, to int
	text     string
}

// replace applies a random one of the replacements that choose finds in a Go source.
func replace(path string, r *rand.Rand, choose func(ast.Node, func(from, to token.Pos, text string))) (bool, error) {
	old, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, path, old, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	var all []replacement
	ast.Inspect(parsed, func(n ast.Node) bool {
		if n != nil {
			choose(n, func(from, to token.Pos, text string) {
				all = append(all, replacement{set.PositionFor(from, false).Offset, set.PositionFor(to, false).Offset, text})
			})
		}
		// Nobody edits imports like this.
		_, imports := n.(*ast.ImportSpec)
		return !imports
	})
	if len(all) == 0 {
		return false, nil
	}
	one := all[r.IntN(len(all))]
	text := string(old[:one.from]) + strings.ReplaceAll(one.text, same, string(old[one.from:one.to])) + string(old[one.to:])
	return true, os.WriteFile(path, []byte(text), 0o644)
}

// other maps an operator to its replacement.
var other = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.LAND: token.LOR, token.LOR: token.LAND,
}

func swapOperator(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if b, ok := n.(*ast.BinaryExpr); ok && other[b.Op] != 0 && !(b.Op == token.ADD && (isText(b.X) || isText(b.Y))) {
			found(b.OpPos, b.OpPos+token.Pos(len(b.Op.String())), other[b.Op].String())
		}
	})
}

// isText reports whether the operand shows that a sum concatenates strings, for which
// there is no subtraction.
func isText(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isText(e.X) || isText(e.Y)
	}
	return false
}

func negate(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if i, ok := n.(*ast.IfStmt); ok {
			found(i.Cond.Pos(), i.Cond.End(), "!("+same+")")
		}
	})
}

func changeNumber(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.INT {
			if v, err := strconv.ParseInt(l.Value, 0, 32); err == nil {
				found(l.Pos(), l.End(), fmt.Sprint(v+1))
			}
		}
	})
}

func changeString(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if _, ok := n.(*ast.ImportSpec); ok {
			return
		}
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			found(l.End()-1, l.End()-1, "x")
		}
	})
}

func deleteStatement(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return
		}
		for _, s := range b.List {
			switch s := s.(type) {
			case *ast.ExprStmt, *ast.IncDecStmt, *ast.IfStmt:
				found(s.Pos(), s.End(), "")
			case *ast.AssignStmt:
				if s.Tok != token.DEFINE {
					found(s.Pos(), s.End(), "")
				}
			}
		}
	})
}

func insertPanic(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if f, ok := n.(*ast.FuncDecl); ok && f.Body != nil {
			found(f.Body.Lbrace+1, f.Body.Lbrace+1, "\n\tif true {\n\t\tpanic(\"edited\")\n\t}\n")
		}
	})
}

func insertReturn(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if f, ok := n.(*ast.FuncDecl); ok && f.Body != nil && f.Type.Results == nil {
			found(f.Body.Lbrace+1, f.Body.Lbrace+1, "\n\tif true {\n\t\treturn\n\t}\n")
		}
	})
}
