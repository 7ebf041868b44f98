package dependencies

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// laterCall is a call that is made after the tests of a package, by the name that it
// has there.
type laterCall struct {
	// imported is the import path of the package of which it is; empty where it is of
	// the package itself, or of something of which that cannot be told.
	imported string
	name     string
}

// afterTests says what TestMain executes after the tests, where that can be code of
// the project; empty where it cannot. Functions of the standard library and of
// packages of the module cache are none.
func (g *Graph) afterTests(n *node) string {
	for _, call := range n.after {
		if other := g.nodes[call.imported]; call.imported == "" || other == nil || other.part {
			return fmt.Sprintf("TestMain of %s calls %s with or after its tests, and what is executed then is not measured",
				strings.TrimSuffix(n.name, " [tests]"), call.name)
		}
	}
	return ""
}

// goesOn finds what the TestMain of a package calls after its tests, or hands them to.
// Package testing writes the coverage before TestMain goes on, so no measurement shows
// that code. What is declared in test files is followed: it counts for every test in
// any case.
func (g *Graph) goesOn(p *Package) []laterCall {
	names := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
	if !slices.ContainsFunc(names, func(name string) bool { return g.mentions(p.Dir, name, "TestMain") }) {
		return nil
	}
	t := teardown{functions: map[string][]part{}, seen: map[*ast.FuncDecl]bool{}}
	for _, file := range g.parse(p.Dir, names) {
		imports := importsOf(file)
		for _, decl := range file.Decls {
			if fn, is := decl.(*ast.FuncDecl); is {
				t.functions[fn.Name.Name] = append(t.functions[fn.Name.Name], part{fn, imports})
			}
		}
	}
	for _, main := range t.functions["TestMain"] {
		t.runs(main)
	}
	return t.calls
}

// mentions reports whether a word stands in a file; a file that cannot be read has it.
func (g *Graph) mentions(dir, name, word string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	src, err := g.cfg.Layout.Reader.Bytes(name, source.MaxFile)
	return err != nil || bytes.Contains(src, []byte(word))
}

// teardown looks for what is called after the tests.
type teardown struct {
	// functions are those of the test files, methods too, by name.
	functions map[string][]part
	seen      map[*ast.FuncDecl]bool
	calls     []laterCall
}

// runs looks at a function that has the *testing.M: what it does behind the call that
// runs the tests, and what it defers.
func (t *teardown) runs(p part) {
	fn := p.decl.(*ast.FuncDecl)
	m := parameter(fn)
	if fn.Body == nil || m == "" {
		return
	}
	behind := fn.Body.End()
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return true
		}
		s, selector := call.Fun.(*ast.SelectorExpr)
		if selector && isNamed(s.X, m) && s.Sel.Name == "Run" {
			behind = min(behind, call.End())
		}
		if slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return isNamed(arg, m) }) {
			behind = min(behind, call.End())
			name, plain := call.Fun.(*ast.Ident)
			if plain && t.functions[name.Name] != nil {
				for _, to := range t.functions[name.Name] {
					t.once(to, t.runs)
				}
			} else {
				t.call(p, call)
			}
		}
		return true
	})
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			t.all(p, n)
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			// What is before the call in it runs after it as well.
			if n.Pos() < behind && behind <= n.End() {
				t.all(p, n)
			}
		case *ast.CallExpr:
			if n.End() > behind { // around the tests, or behind them
				t.call(p, n)
			}
		}
		return true
	})
}

// parameter is the name of a function's only *testing.M.
func parameter(fn *ast.FuncDecl) string {
	for _, field := range fn.Type.Params.List {
		star, pointer := field.Type.(*ast.StarExpr)
		if !pointer || len(field.Names) != 1 {
			continue
		}
		if s, selector := star.X.(*ast.SelectorExpr); selector && s.Sel.Name == "M" || isNamed(star.X, "M") {
			return field.Names[0].Name
		}
	}
	return ""
}

func isNamed(x ast.Expr, name string) bool {
	ident, plain := x.(*ast.Ident)
	return plain && ident.Name == name
}

// once looks at a function that has not been looked at.
func (t *teardown) once(p part, look func(part)) {
	if fn := p.decl.(*ast.FuncDecl); !t.seen[fn] {
		t.seen[fn] = true
		look(p)
	}
}

// all looks at every call below a node.
func (t *teardown) all(p part, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			t.call(p, call)
		}
		return true
	})
}

// call looks at what is called, and at the functions that are handed on.
func (t *teardown) call(p part, call *ast.CallExpr) {
	for _, arg := range call.Args {
		if name, plain := arg.(*ast.Ident); plain && t.functions[name.Name] != nil {
			t.named(name.Name)
		}
	}
	switch function := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		t.all(p, function.Body)
	case *ast.Ident:
		if !doc.IsPredeclared(function.Name) {
			t.named(function.Name)
		}
	case *ast.SelectorExpr:
		x, plain := function.X.(*ast.Ident)
		if plain && p.imports[x.Name] != "" {
			t.calls = append(t.calls, laterCall{p.imports[x.Name], x.Name + "." + function.Sel.Name})
			return
		}
		t.named(function.Sel.Name)
	default:
		t.calls = append(t.calls, laterCall{name: "a function"})
	}
}

// named looks at the functions and methods of the test files that have a name.
func (t *teardown) named(name string) {
	found := t.functions[name]
	if found == nil {
		t.calls = append(t.calls, laterCall{name: name})
	}
	for _, fn := range found {
		t.once(fn, func(p part) { t.all(p, p.decl) })
	}
}
