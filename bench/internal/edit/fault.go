package edit

import (
	"fmt"
	"go/ast"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Fault is a wrong line of a source.
type Fault struct {
	// Kind is one of [FaultKinds].
	Kind string
	// File is relative to the module, slash-separated.
	File string
	// Line is the number of the wrong line, which is empty if a statement was deleted.
	Line int
	// Text is the wrong line, or the deleted one, without space around it.
	Text string
	// right is the file as it was.
	right []byte
}

// FaultKinds returns the kinds of faults: mistakes of one line, as people make them. A flaky
// one makes about half of all runs fail.
func FaultKinds() []string {
	var kinds []string
	for _, f := range faultKinds() {
		kinds = append(kinds, f.kind)
	}
	return kinds
}

// faultKind is a kind of fault, and how it is made.
type faultKind struct {
	kind string
	edit func(path string, r *rand.Rand) (done bool, err error)
}

func faultKinds() []faultKind {
	return []faultKind{
		{"operator", swapOperator},
		{"off by one", changeNumber},
		{"condition", negate},
		{"string", changeString},
		{"deleted statement", deleteStatement},
		{"early return", insertAtStart(true, "if len(\"x\") == 1 { return }")},
		{"nil", makeNil},
		{"panic", insertAtStart(false, "panic(\"not implemented\")")},
		{"build error", misspell},
		{"hang", insertAtStart(false, "select {}")},
		{"flaky", insertAtStart(false, "for k := range map[int]bool{1: true, 2: true} { if k == 1 { panic(\"bad luck\") }; break }")},
	}
}

// Fault makes a mistake of this kind in a random source; done is false if the source has no
// place for it.
func (m *Module) Fault(kind string, r *rand.Rand) (f Fault, done bool, err error) {
	if len(m.sources) == 0 {
		return f, false, fmt.Errorf("%s has no sources", m.dir)
	}
	f.Kind, f.File = kind, m.sources[r.IntN(len(m.sources))]
	path := filepath.Join(m.dir, f.File)
	if f.right, err = os.ReadFile(path); err != nil {
		return f, false, err
	}
	for _, known := range faultKinds() {
		if known.kind == kind {
			done, err = known.edit(path, r)
		}
	}
	if err != nil || !done {
		return f, false, err
	}
	wrong, err := os.ReadFile(path)
	if err != nil {
		return f, false, err
	}
	if !f.find(string(wrong)) {
		return f, false, f.Fix(m.dir) // more than one line differs
	}
	f.File = filepath.ToSlash(f.File)
	return f, true, nil
}

// Fix undoes the fault.
func (f Fault) Fix(dir string) error {
	return os.WriteFile(filepath.Join(dir, filepath.FromSlash(f.File)), f.right, 0o644)
}

// find finds the one line that differs, and reports whether there is just one.
func (f *Fault) find(wrong string) bool {
	was, is := strings.Split(string(f.right), "\n"), strings.Split(wrong, "\n")
	first := 0
	for first < min(len(was), len(is)) && was[first] == is[first] {
		first++
	}
	last := 0
	for last < min(len(was), len(is))-first && was[len(was)-1-last] == is[len(is)-1-last] {
		last++
	}
	f.Line = first + 1
	switch gone, came := len(was)-first-last, len(is)-first-last; {
	case came == 1 && gone <= 1:
		if f.Text = strings.TrimSpace(is[first]); f.Text == "" && gone == 1 {
			f.Text = strings.TrimSpace(was[first])
		}
	default:
		return false
	}
	return f.Text != ""
}

// insertAtStart makes a line the first one of a function, which must have no results if the
// line returns.
func insertAtStart(returns bool, line string) func(string, *rand.Rand) (bool, error) {
	return func(path string, r *rand.Rand) (bool, error) {
		return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
			if f, ok := n.(*ast.FuncDecl); ok && f.Body != nil && len(f.Body.List) > 0 && (!returns || f.Type.Results == nil) {
				found(f.Body.Lbrace+1, f.Body.Lbrace+1, "\n\t"+line)
			}
		})
	}
}

// makeNil puts nil in place of a new map or pointer.
func makeNil(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 && n.Tok == token.ASSIGN && isMade(n.Rhs[0]) {
				found(n.Rhs[0].Pos(), n.Rhs[0].End(), "nil")
			}
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				if u, ok := result.(*ast.UnaryExpr); ok && u.Op == token.AND {
					found(result.Pos(), result.End(), "nil")
				}
			}
		}
	})
}

// isMade reports whether an expression makes a map.
func isMade(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	f, ok := call.Fun.(*ast.Ident)
	_, isMap := call.Args[0].(*ast.MapType)
	return ok && f.Name == "make" && isMap
}

// misspell misspells the name of a field or a method where it is used.
func misspell(path string, r *rand.Rand) (bool, error) {
	return replace(path, r, func(n ast.Node, found func(token.Pos, token.Pos, string)) {
		if s, ok := n.(*ast.SelectorExpr); ok {
			found(s.Sel.Pos(), s.Sel.End(), same+"x")
		}
	})
}
