package dependencies

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/outline"
)

// readingWithoutOS are libraries that read files without package os, which records the files that
// a test reads, and without cgo: C code translated to Go, and loaded foreign code.
var readingWithoutOS = [...]string{"modernc.org/libc", "github.com/ebitengine/purego", "github.com/tetratelabs/wazero"}

// explainUnseen says what a package does unseen; empty if nothing. The standard library's own
// cgo reads nothing of a project.
func explainUnseen(p *Package) string {
	if p.Standard {
		return ""
	}
	path := p.path()
	switch {
	case len(p.CgoFiles) > 0, len(p.SwigFiles) > 0, len(p.SwigCXXFiles) > 0:
		return path + " uses cgo, and what C code reads is unknown"
	case slices.Contains(p.Imports, "plugin"), p.IsSuite() && (slices.Contains(p.TestImports, "plugin") || slices.Contains(p.XTestImports, "plugin")):
		return path + " loads plugins, and what these read is unknown"
	case slices.Contains(readingWithoutOS[:], path):
		return path + " reads files without package os, and which ones is unknown"
	}
	return ""
}

// checkAsking checks whether a package of the module cache asks if it is being measured. For
// those that are parts, coverage shows which tests execute what asks.
func (g *Graph) checkAsking(n *node, p *Package) {
	may := func(path string) bool { return path == "testing" || path == "flag" || path == "runtime/coverage" }
	if p.Standard || n.inspected || n.opaque != "" || !slices.ContainsFunc(p.Imports, may) {
		return
	}
	n.inspected = true
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		if src, err := g.cfg.Layout.Reader.Bytes(name, maxInspected); err == nil && outline.Asks(src) {
			n.opaque = p.path() + " checks whether it is being measured, and what it does otherwise is unknown"
			return
		}
	}
}

// Opaque says why the test binary of a package may depend on more than its parts; empty
// if it does not.
func (g *Graph) Opaque(importPath string) string {
	if g.cfg.Opaque != "" {
		return g.cfg.Opaque
	}
	for _, name := range []string{importPath, testsPart(importPath)} {
		if n := g.nodes[name]; n != nil {
			if why := g.opaque(n); why != "" {
				return why
			}
		}
	}
	return ""
}

// opaque resolves each node once. What it cannot follow is opaque.
func (g *Graph) opaque(n *node) string {
	if n.resolved || n.opaque != "" {
		return n.opaque
	}
	n.resolved = true // an import cycle is an error of one of its packages
	if n.opaque = g.afterTests(n); n.opaque != "" {
		return n.opaque
	}
	for _, path := range n.imports {
		other := g.nodes[path]
		if other == nil {
			if path != "C" && path != "unsafe" {
				n.opaque = fmt.Sprintf("%s imports %s, about which nothing is known", strings.TrimSuffix(n.name, " [tests]"), path)
			}
		} else if why := g.opaque(other); why != "" {
			n.opaque = why
		}
		if n.opaque != "" {
			break
		}
	}
	n.opaque = cmp.Or(n.opaque, n.depError)
	return n.opaque
}
