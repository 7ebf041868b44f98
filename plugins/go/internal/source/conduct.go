package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Conduct is what a function does that affects which subtests exist.
type Conduct struct {
	// Name is the function's name; Receiver, for a method, that of its type.
	Name, Receiver string
	// ChecksOutcome reports whether it uses the result of a call of Run, or asks whether a test
	// has failed, so that a failure may keep subtests from starting.
	ChecksOutcome bool
	// Mentions are the names in it.
	Mentions map[string]bool
}

// Conducts reads what the functions of a Go file do. A file that does not parse, or is
// too large for a syntax tree, has none.
func Conducts(src []byte) []Conduct {
	if len(src) > maxSyntax {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var all []Conduct
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		c := Conduct{Name: f.Name.Name, Receiver: receiverName(f), ChecksOutcome: checksOutcome(f.Body), Mentions: map[string]bool{}}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				c.Mentions[id.Name] = true
			}
			return true
		})
		all = append(all, c)
	}
	return all
}

// receiverName returns the name of a method's type.
func receiverName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// checksOutcome reports whether a body uses the result of a call Run(name, f) or calls
// Failed(). What is deferred or a cleanup follows all subtests, so asking there keeps
// none from starting, unless it starts some itself.
func checksOutcome(body ast.Node) bool {
	found := false
	unused := map[ast.Node]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			unused[n.X] = true
		case *ast.GoStmt:
			unused[n.Call] = true
		case *ast.DeferStmt:
			unused[n.Call] = true
			return !startsNoTests(n.Call.Fun)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name == "_" && len(n.Lhs) == len(n.Rhs) {
					unused[n.Rhs[i]] = true
				}
			}
		case *ast.CallExpr:
			switch name := calledMethod(n); {
			case name == "Cleanup" && len(n.Args) == 1 && startsNoTests(n.Args[0]):
				return false
			case name == "Run" && len(n.Args) == 2 && !isContext(n.Args[0]) && !unused[n], name == "Failed" && len(n.Args) == 0:
				found = true
			}
		}
		return !found
	})
	return found
}

// isContext reports whether an expression is a context, judging by its usual names. What
// runs with one is no subtest.
func isContext(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "ctx"
	case *ast.CallExpr:
		return slices.Contains([]string{"Background", "TODO", "Context"}, calledMethod(e))
	}
	return false
}

// startsNoTests reports whether an expression is a function that runs no tests.
func startsNoTests(f ast.Expr) bool {
	literal, ok := f.(*ast.FuncLit)
	if !ok {
		return false
	}
	last := true
	ast.Inspect(literal, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && calledMethod(call) == "Run" {
			last = false
		}
		return last
	})
	return last
}

// calledMethod returns the name after the dot of a call; empty if there is none.
func calledMethod(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
