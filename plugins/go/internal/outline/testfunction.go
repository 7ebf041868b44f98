package outline

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/proctorhq/proctor/internal/lazyregexp"
	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// addTestFunction adds the units of a function of a test file. Coverage does not cover
// these files.
func (f *file) addTestFunction(fn *ast.FuncDecl, name string, at int) {
	kind := source.Kind(0)
	if fn.Recv == nil && fn.Body != nil && !f.used(name) {
		kind = source.KindOf(name)
	}
	switch {
	case kind == source.Test && takesOnly(fn, "T"), kind == source.Fuzz && takesOnly(fn, "F"):
		f.addWhole(fn, sdk.UnitTest, name, at, name)
	case kind == source.Example && takesOnly(fn, "") && f.exampleOutput(fn) != nil:
		f.addWhole(fn, sdk.UnitTest, name, at, name)
	case kind == source.Example && takesOnly(fn, ""), kind == source.Benchmark && takesOnly(fn, "B"):
		// It does not run, and nothing uses it.
		if f.lines || len(f.directives[at]) > 0 {
			f.addWhole(fn, sdk.UnitDeclaration, name, at, "")
		}
	default:
		f.addWhole(fn, sdk.UnitDeclaration, name, at, "")
	}
}

// takesOnly reports whether a function has one parameter, a pointer to a package's type
// with that name, or none if the name is empty.
func takesOnly(fn *ast.FuncDecl, name string) bool {
	if fn.Type.TypeParams != nil || fn.Type.Results.NumFields() > 0 {
		return false
	}
	if params := fn.Type.Params; name == "" || params.NumFields() != 1 {
		return name == "" && params.NumFields() == 0
	}
	pointer, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == name
}

// expected matches the beginning of the comment with an example's output; see go/doc.
var expected = lazyregexp.New(`(?i)^[[:space:]]*(unordered )?output:`)

// exampleOutput returns the comment with an example's output, line by line without
// indentation; nil if there is none. It is the last comment of the function.
func (f *file) exampleOutput(fn *ast.FuncDecl) []string {
	var last *ast.CommentGroup
	for _, group := range f.syntax.Comments {
		if group.Pos() > fn.Body.Lbrace && group.End() <= fn.Body.Rbrace {
			last = group
		}
	}
	if last == nil || source.KindOf(fn.Name.Name) != source.Example || !expected.MatchString(last.Text()) {
		return nil
	}
	return strings.Split(last.Text(), "\n")
}

// Uses are the names of tests that test files mention other than where they are
// declared.
type Uses map[string]bool

// Add reads a file, which need not be complete.
func (u Uses) Add(src []byte) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	before := token.ILLEGAL
	for {
		_, tok, name := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.IDENT && before != token.FUNC && source.KindOf(name) != 0 {
			u[name] = true
		}
		before = tok
	}
}
