package outline

import (
	"go/ast"
	"go/doc"
	"go/token"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// addFunction adds the units of a function or method.
func (f *file) addFunction(fn *ast.FuncDecl, at int) {
	name := functionName(fn)
	if f.used != nil {
		f.addTestFunction(fn, name, at)
		return
	}
	if !isMeasurable(fn) {
		f.addWhole(fn, sdk.UnitDeclaration, name, at, "")
		return
	}
	kind := sdk.UnitName
	if fn.Recv != nil || fn.Name.Name == "main" || doc.IsPredeclared(fn.Name.Name) || f.dots {
		kind = sdk.UnitDeclaration
	}
	signature := *fn
	signature.Body = nil
	d := f.digest()
	d.node(&signature)
	d.directives(f.directivesBetween(at, 0, fn.Body.Lbrace))
	f.add(kind, name, fn.Pos(), fn.Body.Lbrace, d, "")

	d = f.digest()
	d.node(fn.Body)
	d.directives(f.directivesBetween(at, fn.Body.Lbrace, fn.End()))
	f.addState(fn, d)
	f.add(sdk.UnitBody, name, fn.Body.Lbrace, fn.Body.Rbrace, d, "")
}

// isMeasurable reports whether coverage shows where a body is executed. That of init is
// executed before every test.
func isMeasurable(fn *ast.FuncDecl) bool {
	return fn.Body != nil && len(fn.Body.List) > 0 && fn.Name.Name != "_" && (fn.Name.Name != "init" || fn.Recv != nil)
}

// addWhole adds a function as one unit.
func (f *file) addWhole(fn *ast.FuncDecl, kind sdk.UnitKind, name string, at int, test string) {
	d := f.digest()
	d.node(fn)
	d.directives(f.directives[at])
	f.addState(fn, d)
	if kind == sdk.UnitTest {
		d.text(f.exampleOutput(fn)...)
	}
	f.add(kind, name, fn.Pos(), fn.End()-1, d, test)
}

// addState adds how a function uses state to a unit.
func (f *file) addState(fn *ast.FuncDecl, d *digest) {
	if f.pkg == nil {
		return
	}
	inner := *fn
	inner.Recv = nil // the caller has a value of that type
	d.state = f.pkg.StateOf(f.syntax, &inner)
	receiver, _, _ := strings.Cut(strings.TrimPrefix(functionName(fn), "("), ")")
	d.state.Defines = f.pkg.FunctionNames(fn, receiver)
}

// functionName returns the name for users: F, or (T).M for a method of T or *T.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
		case *ast.ParenExpr:
			receiver = t.X
		case *ast.IndexExpr:
			receiver = t.X
		case *ast.IndexListExpr:
			receiver = t.X
		case *ast.Ident:
			return "(" + t.Name + ")." + fn.Name.Name
		default:
			return "()." + fn.Name.Name
		}
	}
}

// lastOf returns the last position of a node that does not exceed a line.
func lastOf(n ast.Node) token.Pos { return max(n.End()-1, n.Pos()) }
