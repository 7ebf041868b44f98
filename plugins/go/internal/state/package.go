package state

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// Package is what is known about the Go files of a directory.
type Package struct {
	// scope represents the directory in names.
	scope string
	// ours reports whether an import path belongs to the workspace.
	ours func(importPath string) bool
	// declared are the top-level names of its files, and methods those of its methods.
	declared, methods map[string]bool
	// shared holds, for each variable, which ways of passing it on matter.
	shared map[string]ways
}

// ways are the ways in which something may be passed on such that it can be changed:
// its value, a part of it, or as the receiver of a method.
type ways struct{ value, part, receiver bool }

// New reads the declarations in the files of a directory, including tests and files
// excluded from the build. scope names the directory.
func New(scope string, fset *token.FileSet, files []*ast.File, ours func(importPath string) bool) *Package {
	p := &Package{scope: scope, ours: ours, declared: map[string]bool{}, methods: map[string]bool{}, shared: map[string]ways{}}
	byName := map[string][]*ast.File{}
	for _, f := range files {
		byName[f.Name.Name] = append(byName[f.Name.Name], f)
		for _, decl := range f.Decls {
			p.declare(decl)
		}
	}
	for name, files := range byName {
		p.variables(name, fset, files)
	}
	return p
}

func (p *Package) declare(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			p.methods[d.Name.Name] = true
		} else {
			p.declared[d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					p.declared[name.Name] = true
				}
			case *ast.TypeSpec:
				p.declared[s.Name.Name] = true
			}
		}
	}
}

// variables determines by types how the variables in the files of one package can be
// changed.
func (p *Package) variables(name string, fset *token.FileSet, files []*ast.File) {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: newLibrary(), Error: func(error) {}, IgnoreFuncBodies: true, FakeImportC: true}
	_, _ = config.Check(name, fset, files, info) // Few imports are known.
	for _, f := range files {
		for _, decl := range f.Decls {
			d, general := decl.(*ast.GenDecl)
			if !general || d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				s := spec.(*ast.ValueSpec) // of a var declaration
				for _, ident := range s.Names {
					// If files for different platforms declare the same variable, only one
					// counts.
					v, known := info.Defs[ident].(*types.Var)
					if !known || v.Type() == nil {
						continue
					}
					w := waysOf(v.Type(), isCallResult(s))
					was := p.shared[ident.Name]
					p.shared[ident.Name] = ways{was.value || w.value, was.part || w.part, was.receiver || w.receiver}
				}
			}
		}
	}
}

// isCallResult reports whether a variable's initial value is the result of a call: a function
// may share variables of its own.
func isCallResult(s *ast.ValueSpec) bool {
	found := false
	for _, value := range s.Values {
		ast.Inspect(value, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				found = true
			}
			return !found
		})
	}
	return found
}

// name returns the name of a top-level declaration of the package.
func (p *Package) name(ident string) string {
	if token.IsExported(ident) {
		return "." + ident
	}
	return p.scope + "." + ident
}

// member returns the name of methods and fields.
func (p *Package) member(ident string) string {
	if token.IsExported(ident) {
		return "()." + ident
	}
	return p.scope + "()." + ident
}

// hook returns the name of the methods of a type that other packages may call.
func (p *Package) hook(typeName string) string { return p.scope + "." + typeName + "()" }

// importsOf maps the names that imports have in a file to their paths, as far as known.
func importsOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil {
			imports[spec.Name.Name] = imported
			continue
		}
		for at := imported; at != "." && at != "/"; at = path.Dir(at) {
			last := path.Base(at)
			if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
				continue // a major version
			}
			name, _, _ := strings.Cut(last, ".")                          // gopkg.in/yaml.v3
			for _, part := range append(strings.Split(name, "-"), name) { // go-yaml
				if imports[part] == "" {
					imports[part] = imported
				}
			}
			break
		}
	}
	return imports
}

func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
