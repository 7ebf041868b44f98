package state

import (
	"go/ast"
	"go/doc"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// StateOf says how a part of a file uses state: a declaration, or a part of one. The file
// was parsed with its objects resolved. What it defines is not included.
func (p *Package) StateOf(f *ast.File, node ast.Node) sdk.UnitState {
	u := &unit{
		Package: p, file: f, imports: importsOf(f), mentions: map[string]bool{}, writes: map[string]bool{}, lends: map[string]bool{},
		leaves: map[string]bool{}, quiet: map[ast.Node]bool{}, types: map[ast.Expr]bool{}, callees: map[ast.Expr]bool{},
	}
	ast.Inspect(node, u.visit)
	return sdk.UnitState{Mentions: sortedKeys(u.mentions), Writes: sortedKeys(u.writes), Lends: sortedKeys(u.lends), Leaves: sortedKeys(u.leaves)}
}

// FunctionNames returns the names of a function or method.
func (p *Package) FunctionNames(fn *ast.FuncDecl, receiver string) []string {
	switch {
	case fn.Recv != nil && slices.Contains(calledBack, fn.Name.Name):
		return []string{p.member(fn.Name.Name), p.hook(receiver)}
	case fn.Recv != nil:
		return []string{p.member(fn.Name.Name)}
	case fn.Name.Name == "init" || fn.Name.Name == "_":
		return nil // nothing mentions it
	}
	return []string{p.name(fn.Name.Name)}
}

// calledBack are methods that foreign packages call through their own interfaces. All
// others are called where their names occur.
var calledBack = strings.Fields(`String GoString Format Error Unwrap Is As Timeout Temporary MarshalJSON UnmarshalJSON MarshalText UnmarshalText AppendText
	MarshalBinary UnmarshalBinary AppendBinary MarshalXML UnmarshalXML MarshalXMLAttr UnmarshalXMLAttr GobEncode GobDecode MarshalYAML UnmarshalYAML
	MarshalTOML UnmarshalTOML Scan Value Read Write ReadAt WriteAt ReadFrom WriteTo ReadByte WriteByte ReadRune UnreadRune WriteString Close Seek Len Less Swap
	Push Pop ServeHTTP RoundTrip Header WriteHeader Flush Hijack Set Get Type IsBoolFlag Lock Unlock Enabled Handle WithAttrs WithGroup LogValue Open Stat
	ReadDir ReadFile Glob Sub Name Size Mode ModTime IsDir Sys Info Done Err Deadline Int63 Uint64 Seed Sum Reset BlockSize Accept Addr Dial Generate`)

// AddSpec adds what a part of a declaration declares.
func (p *Package) AddSpec(tok token.Token, spec ast.Spec, s *sdk.UnitState) {
	switch d := spec.(type) {
	case *ast.ValueSpec:
		for _, ident := range d.Names {
			if ident.Name == "_" {
				continue
			}
			name := p.name(ident.Name)
			s.Defines = append(s.Defines, name)
			if tok != token.VAR {
				continue
			}
			s.Defines = append(s.Defines, name+"[]", name+"()")
			w, known := p.shared[ident.Name]
			for suffix, is := range map[string]bool{"": w.value, "[]": w.part, "()": w.receiver} {
				if is || !known {
					s.Shared = append(s.Shared, name+suffix)
				}
			}
		}
		slices.Sort(s.Shared)
	case *ast.TypeSpec:
		s.Defines = append(s.Defines, p.name(d.Name.Name))
		s.Mentions = append(s.Mentions, p.hook(d.Name.Name))
	}
}

func sortedKeys(m map[string]bool) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// unit is a part of a file being examined.
type unit struct {
	*Package
	file                            *ast.File
	imports                         map[string]string
	mentions, writes, lends, leaves map[string]bool
	// quiet are nodes that were examined with their surroundings.
	quiet map[ast.Node]bool
	// types are selectors that name a type.
	types map[ast.Expr]bool
	// callees are what is called.
	callees map[ast.Expr]bool
}

func (u *unit) visit(n ast.Node) bool {
	u.markTypes(n)
	switch n := n.(type) {
	case *ast.Ident:
		u.mention(n)
	case *ast.SelectorExpr:
		u.selector(n)
	case *ast.AssignStmt:
		for _, to := range n.Lhs {
			if n.Tok != token.DEFINE {
				u.write(to)
			}
		}
		u.lendAll(n.Rhs)
	case *ast.ValueSpec:
		u.lendAll(n.Values)
	case *ast.IncDecStmt:
		u.write(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND || n.Op == token.ARROW {
			u.write(n.X)
		}
	case *ast.SendStmt:
		u.write(n.Chan)
		u.lend(n.Value, "")
	case *ast.ReturnStmt:
		u.lendAll(n.Results)
	case *ast.CompositeLit:
		u.lendAll(n.Elts)
	case *ast.KeyValueExpr:
		u.lend(n.Key, "")
		u.lend(n.Value, "")
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			u.write(n.Key)
			u.write(n.Value)
		}
		u.lend(n.X, "[]")
	case *ast.CallExpr:
		u.call(n)
	}
	return true
}

// markTypes records the expressions of a node that are types.
func (u *unit) markTypes(n ast.Node) {
	mark := func(x ast.Expr) {
		for x != nil {
			switch t := x.(type) {
			case *ast.StarExpr:
				x = t.X
				continue
			case *ast.ParenExpr:
				x = t.X
				continue
			case *ast.Ellipsis:
				x = t.Elt
				continue
			case *ast.IndexExpr:
				x = t.X
				continue
			case *ast.SelectorExpr:
				u.types[t] = true
			}
			return
		}
	}
	switch n := n.(type) {
	case *ast.Field:
		mark(n.Type)
	case *ast.ValueSpec:
		mark(n.Type)
	case *ast.TypeSpec:
		mark(n.Type)
	case *ast.CompositeLit:
		mark(n.Type)
	case *ast.TypeAssertExpr:
		mark(n.Type)
	case *ast.ArrayType:
		mark(n.Elt)
	case *ast.MapType:
		mark(n.Key)
		mark(n.Value)
	case *ast.ChanType:
		mark(n.Value)
	case *ast.CallExpr:
		if fun, plain := n.Fun.(*ast.Ident); plain && (fun.Name == "new" || fun.Name == "make") && len(n.Args) > 0 {
			mark(n.Args[0])
		}
	}
}

// isTopLevel reports whether a name is a top-level name of the package, or may be by a dot
// import.
func (u *unit) isTopLevel(ident *ast.Ident) bool {
	if ident.Obj != nil {
		return u.file.Scope != nil && u.file.Scope.Lookup(ident.Name) == ident.Obj
	}
	return u.declared[ident.Name] || u.imports["."] != "" && ident.IsExported()
}

func (u *unit) mention(ident *ast.Ident) {
	if !u.quiet[ident] && ident.Name != "_" && u.isTopLevel(ident) {
		u.mentions[u.name(ident.Name)] = true
	}
}

// imported returns the import path that a name stands for, if it does.
func (u *unit) imported(x ast.Expr) (importPath string, is bool) {
	ident, plain := ast.Unparen(x).(*ast.Ident)
	if !plain || ident.Obj != nil || u.declared[ident.Name] || doc.IsPredeclared(ident.Name) {
		return "", false
	}
	return u.imports[ident.Name], true
}

func (u *unit) selector(s *ast.SelectorExpr) {
	u.quiet[s.Sel] = true
	importPath, is := u.imported(s.X)
	if !is {
		u.mentions[u.member(s.Sel.Name)] = true
		return
	}
	if importPath == "" || !isStandard(importPath) || u.ours(importPath) {
		u.mentions["."+s.Sel.Name] = true
	}
	if importPath != "" && !u.ours(importPath) && !u.types[s] {
		u.foreign(importPath, s.Sel.Name, u.callees[s])
	}
}

// eachBase calls do for each name that an expression may begin with, and reports whether it
// is the whole expression. Names of foreign packages count if foreign is set.
func (u *unit) eachBase(x ast.Expr, whole, foreign bool, do func(name string, whole bool)) {
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name != "_" && u.isTopLevel(x) {
			do(u.name(x.Name), whole)
		}
	case *ast.ParenExpr:
		u.eachBase(x.X, whole, foreign, do)
	case *ast.StarExpr:
		u.eachBase(x.X, false, foreign, do)
	case *ast.IndexExpr:
		u.eachBase(x.X, false, foreign, do)
	case *ast.SliceExpr:
		u.eachBase(x.X, whole, foreign, do)
	case *ast.TypeAssertExpr:
		u.eachBase(x.X, whole, foreign, do)
	case *ast.SelectorExpr:
		importPath, is := u.imported(x.X)
		switch {
		case !is:
			u.eachBase(x.X, false, foreign, do)
		case importPath == "" || u.ours(importPath) || !isStandard(importPath):
			do("."+x.Sel.Name, whole)
		}
		if foreign && is && importPath != "" && !u.ours(importPath) {
			do(variableOf(importPath, x.Sel.Name), whole)
		}
	}
}

// write records that something reached by an expression is changed.
func (u *unit) write(x ast.Expr) {
	if x != nil {
		u.eachBase(x, true, true, func(name string, _ bool) {
			u.mentions[name], u.writes[name] = true, true
		})
	}
}

// lend records that a value is passed on. The suffix is the least that is passed on.
func (u *unit) lend(x ast.Expr, suffix string) {
	if x == nil {
		return
	}
	method := false
	if s, selector := ast.Unparen(x).(*ast.SelectorExpr); selector {
		method = u.methods[s.Sel.Name] // as a value, bound to its receiver
	}
	u.eachBase(x, suffix == "", false, func(name string, whole bool) {
		switch {
		case suffix != "":
			u.lends[name+suffix] = true
		case whole:
			u.lends[name] = true
		default:
			u.lends[name+"[]"] = true
		}
		if method {
			u.lends[name+"()"] = true
		}
	})
}

func (u *unit) lendAll(all []ast.Expr) {
	for _, x := range all {
		u.lend(x, "")
	}
}
