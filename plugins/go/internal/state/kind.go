package state

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// immutableSources are excerpts of some packages whose types variables often have, and whose
// values never change once they exist.
var immutableSources = map[string]string{
	"errors":  "func New(string) error; func Join(...error) error; func Unwrap(error) error",
	"fmt":     "func Errorf(string, ...any) error; func Sprintf(string, ...any) string; func Sprint(...any) string",
	"reflect": "type Type interface{ x() }; type Kind uint; func TypeOf(any) Type; func TypeFor[T any]() Type",
	"regexp":  "type Regexp struct{}; func MustCompile(string) *Regexp; func MustCompilePOSIX(string) *Regexp",
	"strings": "type Replacer struct{}; func NewReplacer(...string) *Replacer; func Repeat(string, int) string; func Join([]string, string) string; func ToLower(string) string; func ToUpper(string) string; func TrimSpace(string) string",
	"time": "type Duration int64; type Month int; type Weekday int; type Time struct{}; type Location struct{}; var UTC, Local *Location; func Now() Time; func Date(int, Month, int, int, int, int, int, *Location) Time; func Unix(int64, int64) Time; " +
		"const ( Nanosecond, Microsecond, Millisecond, Second, Minute, Hour Duration = 1, 1, 1, 1, 1, 1 ); const ( January, February, March, April, May, June, July, August, September, October, November, December Month = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 )",
	"unicode":  "type RangeTable struct{}; type Range16 struct{}; type Range32 struct{}",
	"math":     "const MaxInt, MaxInt8, MaxInt16, MaxInt32, MaxInt64, MaxUint8, MaxUint16, MaxUint32, Pi = 1, 1, 1, 1, 1, 1, 1, 1, 1.5",
	"os":       "type FileMode uint32; func Getenv(string) string",
	"go/token": "type Token int; type Pos int",
}

// isImmutable reports whether a type is one of them.
func isImmutable(t *types.Named) bool {
	pkg := t.Obj().Pkg()
	return pkg == nil && t.Obj().Name() == "error" || pkg != nil && immutableSources[pkg.Path()] != ""
}

// library imports [immutableSources], and nothing from other packages.
type library map[string]*types.Package

func newLibrary() library { return library{} }

// Import implements [types.Importer].
func (l library) Import(path string) (*types.Package, error) {
	if known := l[path]; known != nil {
		return known, nil
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", "package p; "+immutableSources[path], parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{Error: func(error) {}, IgnoreFuncBodies: true}
	pkg, _ := config.Check(path, fset, []*ast.File{file}, nil) // What is left out is unknown.
	pkg.SetName(packageName(path))
	pkg.MarkComplete()
	l[path] = pkg
	return pkg, nil
}

func packageName(path string) string {
	for name := range importsOf(&ast.File{Imports: []*ast.ImportSpec{{Path: &ast.BasicLit{Value: `"` + path + `"`}}}}) {
		return name
	}
	return "p"
}

// waysOf returns how a variable of a type can be changed without its name. made reports
// that its value is the result of a call.
func waysOf(t types.Type, made bool) ways {
	w := ways{value: !isPlain(t, 0), part: !hasPlainParts(t, 0), receiver: !isHarmless(t, 0)}
	if _, function := t.Underlying().(*types.Signature); function {
		w = ways{receiver: made}
	}
	return w
}

// maxDepth bounds how far types are followed; beyond it anything is possible.
const maxDepth = 8

// isPlain reports whether a copy of a value shares nothing with it.
func isPlain(t types.Type, depth int) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && isImmutable(named) {
		return true
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		named, ok := types.Unalias(p.Elem()).(*types.Named)
		return ok && isImmutable(named)
	}
	if depth > maxDepth {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer && u.Kind() != types.Invalid
	case *types.Signature:
		return true
	case *types.Array:
		return isPlain(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if !isPlain(f.Type(), depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// hasPlainParts reports whether the elements, fields or pointed-to values are plain.
func hasPlainParts(t types.Type, depth int) bool {
	if isPlain(t, depth) {
		return true
	}
	if depth > maxDepth {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return isPlain(u.Elem(), depth+1) && isPlain(u.Key(), depth+1)
	case *types.Slice:
		return isPlain(u.Elem(), depth+1)
	case *types.Array:
		return isPlain(u.Elem(), depth+1)
	case *types.Pointer:
		return isPlain(u.Elem(), depth+1)
	}
	return false
}

// isHarmless reports whether no method of a value, or of a part of it, can change
// anything.
func isHarmless(t types.Type, depth int) bool {
	if depth > maxDepth {
		return false
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if isImmutable(named) {
			return true
		}
		for m := range named.Methods() {
			signature, ok := m.Type().(*types.Signature)
			if !ok || signature.Recv() == nil {
				return false
			}
			if _, pointer := signature.Recv().Type().(*types.Pointer); pointer || !isPlain(t, 0) {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid && u.Kind() != types.UnsafePointer
	case *types.Signature:
		return true
	case *types.Map:
		return isHarmless(u.Elem(), depth+1)
	case *types.Slice:
		return isHarmless(u.Elem(), depth+1)
	case *types.Array:
		return isHarmless(u.Elem(), depth+1)
	case *types.Pointer:
		return isHarmless(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if !isHarmless(f.Type(), depth+1) {
				return false
			}
		}
		return true
	}
	return false
}
