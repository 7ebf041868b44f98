package mcp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// typeOf are the types of Go that take a parameter of a kind.
var typeOf = map[string][]string{
	"string": {"string", "*string"}, "number": {"number", "*number"}, "boolean": {"bool", "*bool"},
	"array": {"[]string"}, "object": {"map[string]string"},
}

// What a handler decodes its arguments into is out of the definition's sight: a
// parameter that only one of them knows would be ignored in silence.
func TestEachHandlerTakesTheParametersOfItsDefinition(t *testing.T) {
	t.Parallel()
	source := readSource(t)
	for _, tool := range tools() {
		want := map[string]string{}
		for _, p := range tool.params {
			want[p.name] = p.kind
		}
		fields, ok := source.taken(tool.name)
		if !ok {
			t.Errorf("%s: no struct with its arguments was found", tool.name)
			continue
		}
		for name, kind := range want {
			if !slices.Contains(typeOf[kind], fields[name]) {
				t.Errorf("%s: the parameter %s is a %s, and its handler takes %q", tool.name, name, kind, fields[name])
			}
		}
		for name := range fields {
			if want[name] == "" {
				t.Errorf("%s: its handler takes %s, which its definition does not name", tool.name, name)
			}
		}
	}
}

// source is this package's, without its tests.
type source struct {
	structs map[string]*ast.StructType
	funcs   map[string]*ast.FuncDecl
}

func readSource(t *testing.T) source {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	s := source{map[string]*ast.StructType{}, map[string]*ast.FuncDecl{}}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				s.funcs[d.Name.Name] = d
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						if st, ok := typ.Type.(*ast.StructType); ok {
							s.structs[typ.Name.Name] = st
						}
					}
				}
			}
		}
	}
	return s
}

// taken are the fields of the struct that the handler of a tool takes, by their
// JSON names, with their types: the function that has the tool's name in it calls
// take with a function whose last parameter is that struct.
func (s source) taken(tool string) (fields map[string]string, ok bool) {
	for _, f := range s.funcs {
		if f.Body == nil || !mentions(f.Body, tool) {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is || len(call.Args) != 1 || ok {
				return true
			}
			if name, is := call.Fun.(*ast.Ident); !is || name.Name != "take" {
				return true
			}
			var typ *ast.FuncType
			switch arg := call.Args[0].(type) {
			case *ast.FuncLit:
				typ = arg.Type
			case *ast.Ident:
				if f := s.funcs[arg.Name]; f != nil {
					typ = f.Type
				}
			}
			if typ == nil {
				return true
			}
			params := typ.Params.List
			if name, is := params[len(params)-1].Type.(*ast.Ident); is && s.structs[name.Name] != nil {
				fields, ok = s.fields(s.structs[name.Name]), true
			}
			return true
		})
	}
	return fields, ok
}

func mentions(body ast.Node, text string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, isName := kv.Key.(*ast.Ident)
		value, isText := kv.Value.(*ast.BasicLit)
		found = found || isName && isText && key.Name == "name" && value.Value == `"`+text+`"`
		return true
	})
	return found
}

// fields are those of a struct and of the structs within it.
func (s source) fields(st *ast.StructType) map[string]string {
	all := map[string]string{}
	for _, f := range st.Fields.List {
		if name, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 && s.structs[name.Name] != nil {
			for name, typ := range s.fields(s.structs[name.Name]) {
				all[name] = typ
			}
			continue
		}
		if f.Tag == nil {
			all["without a tag"] = ""
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		all[name] = typeText(f.Type)
	}
	return all
}

func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	case *ast.MapType:
		return "map[" + typeText(e.Key) + "]" + typeText(e.Value)
	}
	return "another"
}
