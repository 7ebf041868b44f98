package outline

import (
	"go/ast"
	"go/token"
	"strconv"

	"github.com/proctorhq/proctor/sdk"
)

// addGeneral adds the units of an import, const, type or var declaration, one for each
// spec. Constants are one unit if one of them depends on its position or repeats
// another.
func (f *file) addGeneral(decl *ast.GenDecl, at int) {
	if decl.Tok == token.CONST && dependsOnPosition(decl) {
		d := f.digest()
		d.node(decl)
		d.directives(f.directives[at])
		for _, spec := range decl.Specs {
			f.addSpecState(decl.Tok, spec, d)
		}
		f.add(sdk.UnitDeclaration, specName(decl.Specs[0]), decl.Pos(), lastOf(decl), d, "")
		return
	}
	from, after := decl.Pos(), token.Pos(0)
	for i, spec := range decl.Specs {
		to := lastOf(spec)
		if i == len(decl.Specs)-1 {
			to = lastOf(decl)
		}
		end := to + 1
		d := f.digest()
		d.text(decl.Tok.String())
		kind, name := sdk.UnitDeclaration, specName(spec)
		if s, imports := spec.(*ast.ImportSpec); imports {
			kind, name = f.digestImport(decl, s, d)
		} else {
			d.node(spec)
			f.addSpecState(decl.Tok, spec, d)
		}
		d.directives(f.directivesBetween(at, after, end))
		f.add(kind, name, from, to, d, "")
		from, after = end, end
		if i+1 < len(decl.Specs) {
			from = decl.Specs[i+1].Pos()
		}
	}
}

// addSpecState adds how a spec uses state to a unit.
func (f *file) addSpecState(tok token.Token, spec ast.Spec, d *digest) {
	if f.pkg == nil {
		return
	}
	s := f.pkg.StateOf(f.syntax, spec)
	f.pkg.AddSpec(tok, spec, &s)
	for to, more := range map[*[]string][]string{
		&d.state.Defines: s.Defines, &d.state.Mentions: s.Mentions, &d.state.Writes: s.Writes, &d.state.Lends: s.Lends,
		&d.state.Shared: s.Shared, &d.state.Leaves: s.Leaves,
	} {
		*to = append(*to, more...)
	}
}

// digestImport adds an import to a digest, and returns the kind and name of its unit.
func (f *file) digestImport(decl *ast.GenDecl, s *ast.ImportSpec, d *digest) (sdk.UnitKind, string) {
	path, err := strconv.Unquote(s.Path.Value)
	if err != nil {
		path = s.Path.Value
	}
	d.text(path)
	if s.Name != nil {
		d.text(s.Name.Name)
		return sdk.UnitDeclaration, "import " + s.Name.Name + " " + path
	}
	if path == "C" {
		d.text(cgoPreamble(decl, s))
	}
	if inert[path] {
		return sdk.UnitName, "import " + path
	}
	return sdk.UnitDeclaration, "import " + path
}

// specName returns the name of what is declared.
func specName(spec ast.Spec) string {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		return namesOf(s)
	case *ast.TypeSpec:
		return s.Name.Name
	}
	return "?"
}

// dependsOnPosition reports whether a constant of a declaration depends on its position.
func dependsOnPosition(decl *ast.GenDecl) bool {
	counts := false
	for _, spec := range decl.Specs {
		s, value := spec.(*ast.ValueSpec)
		if !value || len(s.Values) == 0 {
			return true
		}
		ast.Inspect(s, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && name.Name == "iota" {
				counts = true
			}
			return !counts
		})
	}
	return counts
}

// inert are standard library packages whose import alone changes nothing that another
// package could notice. It excludes those that register something, such as image
// formats, hashes, or handlers of net/http.
var inert = map[string]bool{
	"bufio": true, "bytes": true, "cmp": true, "container/heap": true, "container/list": true, "container/ring": true,
	"context": true, "encoding": true, "encoding/base32": true, "encoding/base64": true, "encoding/binary": true,
	"encoding/csv": true, "encoding/hex": true, "encoding/json": true, "encoding/xml": true, "errors": true, "fmt": true,
	"go/ast": true, "go/format": true, "go/parser": true, "go/scanner": true, "go/token": true,
	"hash": true, "hash/crc32": true, "hash/crc64": true, "hash/fnv": true, "hash/maphash": true, "html": true,
	"html/template": true, "io": true, "io/fs": true, "io/ioutil": true, "iter": true, "log": true, "log/slog": true,
	"maps": true, "math": true, "math/big": true, "math/bits": true, "math/cmplx": true, "math/rand": true,
	"math/rand/v2": true, "mime": true, "net/netip": true, "net/url": true, "os": true, "os/exec": true, "os/signal": true,
	"path": true, "path/filepath": true, "reflect": true, "regexp": true, "regexp/syntax": true, "runtime": true,
	"runtime/debug": true, "slices": true, "sort": true, "strconv": true, "strings": true, "sync": true,
	"sync/atomic": true, "syscall": true, "testing": true, "testing/fstest": true, "testing/iotest": true,
	"testing/quick": true, "text/scanner": true, "text/tabwriter": true, "text/template": true, "time": true,
	"unicode": true, "unicode/utf16": true, "unicode/utf8": true, "unique": true, "unsafe": true, "weak": true,
}
