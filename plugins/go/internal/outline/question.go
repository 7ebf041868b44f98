package outline

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// askingFunctions are the functions by which a program asks whether it is being measured, by
// package; "*" means any.
var askingFunctions = map[string][]string{
	"testing":          {"CoverMode", "Coverage", "RegisterCover"},
	"runtime/coverage": {"*"},
}

// measuringSettings are parts of texts that name what measuring sets: flags of package testing
// and a variable.
var measuringSettings = [...]string{"test.cover", "test.gocoverdir", "test.run", "test.testlogfile", "GOCOVERDIR"}

// questions recognizes code that asks whether it is being measured.
type questions struct {
	// names maps the names under which packages are imported to the functions to look
	// for; "." is for dot imports.
	names map[string][]string
}

func questionsOf(f *ast.File) questions {
	q := questions{names: map[string][]string{}}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if askingFunctions[imported] == nil {
			continue
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		q.names[name] = append(q.names[name], askingFunctions[imported]...)
	}
	return q
}

// Asks reports whether a Go file asks whether it is being measured. An incomplete Go
// file does not.
func Asks(src []byte) bool {
	words := slices.Concat([]string{"CoverMode", "Coverage", "runtime/coverage"}, measuringSettings[:])
	if !slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(src, []byte(word)) }) {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	return err == nil && questionsOf(file).in(file)
}

// in reports whether a syntax tree has such code.
func (q questions) in(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || slices.Contains(q.names["."], n.Name)
		case *ast.SelectorExpr:
			x, plain := n.X.(*ast.Ident)
			found = found || plain && (slices.Contains(q.names[x.Name], n.Sel.Name) || slices.Contains(q.names[x.Name], "*"))
		case *ast.BasicLit:
			found = found || n.Kind == token.STRING && slices.ContainsFunc(measuringSettings[:], func(part string) bool { return strings.Contains(n.Value, part) })
		}
		return !found
	})
	return found
}
