package outline

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/state"
	"github.com/proctorhq/proctor/sdk"
)

// MaxFile bounds a file, in bytes. Its syntax tree takes about ten times as much.
const MaxFile = 8 << 20

// File splits a file into its units, in source order. For a test file, used reports
// whether a name is mentioned anywhere in the tests of its directory other than where
// it is declared; otherwise it is nil. ok is false if src is not a complete Go file.
// Without the package of its directory, units do not describe state.
func File(src []byte, used func(name string) bool, of *state.Package) (units []sdk.SourceUnit, ok bool) {
	if len(src) > MaxFile {
		return nil, false
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", src, parser.ParseComments)
	if err != nil {
		return nil, false
	}
	f := &file{fset: fset, syntax: syntax, used: used, names: map[nameOf]int{}, pkg: of, places: placesOf(syntax), questions: questionsOf(syntax)}
	f.readDirectives()
	f.addHeader()
	for at, decl := range syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			f.addFunction(d, at)
		case *ast.GenDecl:
			f.addGeneral(d, at)
		}
	}
	return f.units, !f.failed
}

// file is a file being split.
type file struct {
	fset      *token.FileSet
	syntax    *ast.File
	used      func(string) bool
	pkg       *state.Package
	places    places
	questions questions

	// directives are those of each declaration, by its number; -1 is the file.
	directives map[int][]directive
	// lines reports whether there is a line directive.
	lines bool
	// dots reports whether there is a dot import.
	dots bool

	units []sdk.SourceUnit
	// names counts the units of each name.
	names map[nameOf]int
	// failed reports whether something could not be printed.
	failed bool
}

type nameOf struct {
	kind sdk.UnitKind
	name string
}

// add adds a unit.
func (f *file) add(kind sdk.UnitKind, name string, from, to token.Pos, d *digest, test string) {
	if f.lines {
		kind, test = sdk.UnitDeclaration, ""
	}
	key := nameOf{kind, name}
	if f.names[key]++; f.names[key] > 1 {
		name = fmt.Sprintf("%s#%d", name, f.names[key])
	}
	f.units = append(f.units, sdk.SourceUnit{
		Name: name, Kind: kind, StartLine: f.line(from), EndLine: f.line(to),
		Digest: d.sum(), State: d.state, Test: test, Positions: d.positions, Measuring: d.measuring,
	})
}

// line returns the line of a position in the file, whatever line directives say.
func (f *file) line(pos token.Pos) int { return f.fset.PositionFor(pos, false).Line }

// addHeader adds what belongs to no declaration, and the order of the initialized
// variables, as it determines that of the initialization.
func (f *file) addHeader() {
	var order []string
	for _, decl := range f.syntax.Decls {
		d, general := decl.(*ast.GenDecl)
		if !general {
			continue
		}
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ImportSpec:
				f.dots = f.dots || s.Name != nil && s.Name.Name == "."
			case *ast.ValueSpec:
				if d.Tok == token.VAR && len(s.Values) > 0 {
					order = append(order, namesOf(s))
				}
			}
		}
	}
	d := f.digest()
	d.text("package", f.syntax.Name.Name)
	d.directives(f.directives[-1])
	f.add(sdk.UnitDeclaration, "package", f.syntax.Package, f.syntax.Name.End(), d, "")
	if len(order) > 1 {
		d := f.digest()
		d.text(order...)
		f.add(sdk.UnitDeclaration, "order of variables", f.syntax.Package, f.syntax.Name.End(), d, "")
	}
}

func namesOf(s *ast.ValueSpec) string {
	names := make([]string, len(s.Names))
	for i, name := range s.Names {
		names[i] = name.Name
	}
	return strings.Join(names, ", ")
}
