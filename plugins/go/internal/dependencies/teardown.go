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

// laterCall is a call made after a package's tests, by the name it has there.
type laterCall struct {
	// imported is the import path of the called package; empty for the package itself,
	// or if unknown.
	imported string
	name     string
}

// afterTests says what TestMain executes after the tests, if that can be code of the
// project, which excludes the standard library and the module cache; otherwise it is
// empty.
func (g *Graph) afterTests(n *node) string {
	for _, call := range n.after {
		if other := g.nodes[call.imported]; call.imported == "" || other == nil || other.part {
			return fmt.Sprintf("TestMain of %s calls %s with or after its tests, and what is executed then is not measured",
				strings.TrimSuffix(n.name, " [tests]"), call.name)
		}
	}
	return ""
}

// callsAfterTests finds what a package's TestMain calls after its tests, or passes them to.
// Package testing writes the coverage before TestMain continues, so no measurement
// shows that code. Declarations in test files are followed: they affect every test in
// any case.
func (g *Graph) callsAfterTests(p *Package) []laterCall {
	names := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
	if !slices.ContainsFunc(names, func(name string) bool { return g.mentions(p.Dir, name, "TestMain") }) {
		return nil
	}
	t := teardown{functions: map[string][]fileDecl{}, seen: map[*ast.FuncDecl]bool{}}
	for _, file := range g.parse(p.Dir, names) {
		imports := importsOf(file)
		for _, decl := range file.Decls {
			if fn, is := decl.(*ast.FuncDecl); is {
				t.functions[fn.Name.Name] = append(t.functions[fn.Name.Name], fileDecl{fn, imports})
			}
		}
	}
	for _, main := range t.functions["TestMain"] {
		t.examineRunner(main)
	}
	return t.calls
}

// mentions reports whether a file contains a word; an unreadable one does.
func (g *Graph) mentions(dir, name, word string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	src, err := g.cfg.Layout.Reader.Bytes(name, source.MaxFile)
	return err != nil || bytes.Contains(src, []byte(word))
}

// teardown looks for what is called after the tests.
type teardown struct {
	// functions are those of the test files, including methods, by name.
	functions map[string][]fileDecl
	seen      map[*ast.FuncDecl]bool
	calls     []laterCall
}

// examineRunner examines a function that has the *testing.M: what follows the call that runs the
// tests, and what it defers.
func (t *teardown) examineRunner(p fileDecl) {
	fn := p.decl.(*ast.FuncDecl)
	m := testingMName(fn)
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
					t.examineOnce(to, t.examineRunner)
				}
			} else {
				t.examineCall(p, call)
			}
		}
		return true
	})
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt:
			t.examineCalls(p, n)
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			// What precedes the call in it also runs after it.
			if n.Pos() < behind && behind <= n.End() {
				t.examineCalls(p, n)
			}
		case *ast.CallExpr:
			if n.End() > behind { // around the tests, or after them
				t.examineCall(p, n)
			}
		}
		return true
	})
}

// testingMName returns the name of a function's only *testing.M.
func testingMName(fn *ast.FuncDecl) string {
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

// examineOnce examines a function once.
func (t *teardown) examineOnce(p fileDecl, look func(fileDecl)) {
	if fn := p.decl.(*ast.FuncDecl); !t.seen[fn] {
		t.seen[fn] = true
		look(p)
	}
}

// examineCalls examines every call below a node.
func (t *teardown) examineCalls(p fileDecl, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			t.examineCall(p, call)
		}
		return true
	})
}

// examineCall examines what is called, and the functions passed along.
func (t *teardown) examineCall(p fileDecl, call *ast.CallExpr) {
	for _, arg := range call.Args {
		if name, plain := arg.(*ast.Ident); plain && t.functions[name.Name] != nil {
			t.examineNamed(name.Name)
		}
	}
	switch function := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		t.examineCalls(p, function.Body)
	case *ast.Ident:
		if !doc.IsPredeclared(function.Name) {
			t.examineNamed(function.Name)
		}
	case *ast.SelectorExpr:
		x, plain := function.X.(*ast.Ident)
		if plain && p.imports[x.Name] != "" {
			t.calls = append(t.calls, laterCall{p.imports[x.Name], x.Name + "." + function.Sel.Name})
			return
		}
		t.examineNamed(function.Sel.Name)
	default:
		t.calls = append(t.calls, laterCall{name: "a function"})
	}
}

// examineNamed examines the functions and methods of the test files with a name.
func (t *teardown) examineNamed(name string) {
	found := t.functions[name]
	if found == nil {
		t.calls = append(t.calls, laterCall{name: name})
	}
	for _, fn := range found {
		t.examineOnce(fn, func(p fileDecl) { t.examineCalls(p, p.decl) })
	}
}
