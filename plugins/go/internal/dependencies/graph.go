package dependencies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
	"github.com/proctorhq/proctor/sdk"
)

// maxKept bounds a graph, in bytes of names. The 3,000 packages of a large project take
// 10 MiB.
const maxKept = 256 << 20

// Config is what a graph needs to know about the workspace.
type Config struct {
	Layout *source.Layout
	// ModFile is the value of -modfile, an absolute path; empty without one.
	ModFile string
	// Beside are further parts that all suites are built with, by absolute paths.
	Beside []sdk.ListedPart
	// Opaque says why all suites are opaque, whatever they are built from.
	Opaque string
	// Early reports whether measured tests log what they look at from the start of their program on.
	Early bool
}

// Graph is made of all packages of a listing.
type Graph struct {
	cfg   Config
	nodes map[string]*node
	// modules are the directories of modules, goRoot that of the toolchain.
	modules map[string]bool
	goRoot  string
	kept    int
	// needsCache caches the parts that a package of the module cache leads to.
	needsCache map[*node][]string
}

// node is a package, or the tests of one.
type node struct {
	name string
	// part reports whether its files can change.
	part            bool
	files, patterns []string
	imports         []string
	// opaque says why what is built with it is opaque; resolved, whether this includes
	// its imports.
	opaque   string
	resolved bool
	// after is what TestMain calls after the tests.
	after []laterCall
	// inspected reports whether its sources were examined.
	inspected bool
	// depError is an error of a package that it is built with, if that package does not
	// report it.
	depError string
}

// New returns a graph without packages.
func New(cfg Config) *Graph {
	return &Graph{cfg: cfg, nodes: map[string]*node{}, modules: map[string]bool{}, needsCache: map[*node][]string{}}
}

// testsPart returns the name of the part for a package's tests. No package has it, as
// import paths have no spaces.
func testsPart(path string) string { return path + " [tests]" }

// Add adds what the go command says about a package. Add all before the first query.
func (g *Graph) Add(p *Package) error {
	if p.IsTestMain() {
		return nil
	}
	if p.Standard && g.goRoot == "" {
		g.goRoot = p.Root
	}
	switch {
	case p.isExternalTests(), p.ForTest != "" && p.ForTest == p.path():
		// The package itself has named its files; only its imports are resolved here.
		t := g.node(testsPart(p.ForTest))
		g.addImports(t, p.Imports)
		t.recordErrors(p)
	default:
		g.addPackage(p)
	}
	if g.kept > maxKept {
		return fmt.Errorf("names of packages and files take more than %d bytes", maxKept)
	}
	return nil
}

// addImports adds imports.
func (g *Graph) addImports(n *node, imports []string) {
	for _, path := range imports {
		path = withoutVariant(path)
		n.imports = append(n.imports, path)
		g.kept += len(path)
	}
}

// recordErrors records what prevents a package from being loaded.
func (n *node) recordErrors(p *Package) {
	if p.Error != nil {
		n.opaque = cmp.Or(n.opaque, fmt.Sprintf("%s cannot be loaded: %s", p.path(), oneLine(p.Error.Err)))
	}
	if len(p.DepsErrors) > 0 && p.DepsErrors[0] != nil {
		n.depError = cmp.Or(n.depError, fmt.Sprintf("%s cannot be loaded: %s", p.path(), oneLine(p.DepsErrors[0].Err)))
	}
}

// maxError bounds the go command's message within a reason.
const maxError = 300

func oneLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.ToValidUTF8(line[:min(len(line), maxError)], "")
}

func (g *Graph) addPackage(p *Package) {
	n := g.node(p.path())
	g.addImports(n, p.Imports)
	if p.ForTest != "" {
		g.node(testsPart(p.ForTest)).recordErrors(p) // it concerns only these tests
	} else {
		n.recordErrors(p)
	}
	n.opaque = cmp.Or(n.opaque, explainUnseen(p))
	n.part = n.part || g.canChange(p)
	if !n.part {
		g.checkAsking(n, p)
		return
	}
	if p.Module != nil && p.Module.Dir != "" {
		g.modules[p.Module.Dir] = true
	}
	g.addFiles(n, p)
	if !p.IsSuite() {
		g.inspect(n, nil, p)
		return
	}
	t := g.node(testsPart(p.path()))
	t.part = true
	g.addImports(t, p.TestImports)
	g.addImports(t, p.XTestImports)
	g.addTestFiles(t, p)
	g.inspect(n, t, p)
}

// canChange reports whether the files of a package can change.
func (g *Graph) canChange(p *Package) bool {
	if p.Dir == "" {
		return false // not found
	}
	if !p.Standard {
		return !p.IsCached()
	}
	for _, module := range g.cfg.Layout.Main { // of the standard library itself
		if isWithin(module.Dir, p.Dir) {
			return true
		}
	}
	return false
}

func (g *Graph) node(name string) *node {
	n := g.nodes[name]
	if n == nil {
		n = &node{name: name}
		g.nodes[name] = n
		g.kept += len(name)
	}
	return n
}

// Needs returns the parts that the test binary of a package is built from.
func (g *Graph) Needs(importPath string) []string {
	var needs []string
	for _, name := range []string{importPath, testsPart(importPath)} {
		if n := g.nodes[name]; n != nil && n.part {
			needs = append(needs, name)
		}
	}
	needs = append(needs, moduleFiles)
	if g.goRoot != "" {
		needs = append(needs, toolchain)
	}
	for _, part := range g.cfg.Beside {
		needs = append(needs, part.Name)
	}
	return needs
}

// Parts reports all parts, sorted by name.
func (g *Graph) Parts(report func(sdk.ListedPart)) {
	names := make([]string, 0, len(g.nodes))
	for name, n := range g.nodes {
		if n.part {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		n := g.nodes[name]
		report(sdk.ListedPart{Name: name, Files: sortUnique(n.files), Patterns: sortUnique(n.patterns), Needs: g.needs(n)})
	}
	report(g.moduleFiles())
	if part, known := g.toolchain(); known {
		report(part)
	}
	for _, part := range g.cfg.Beside {
		var files []string
		for _, name := range part.Files {
			files = append(files, g.protocolPath(name))
		}
		report(sdk.ListedPart{Name: part.Name, Files: sortUnique(files), Patterns: sortUnique(slices.Clone(files)), Tools: part.Tools})
	}
}

// needs returns the parts that a node imports, also through the module cache: a module
// may import packages of the one that requires it.
func (g *Graph) needs(n *node) []string {
	if known, ok := g.needsCache[n]; ok {
		return known
	}
	g.needsCache[n] = nil // in an import cycle, which is an error, it adds nothing
	var needs []string
	for _, path := range n.imports {
		switch other := g.nodes[path]; {
		case other == nil || other == n:
		case other.part:
			needs = append(needs, other.name)
		default:
			needs = append(needs, g.needs(other)...)
		}
	}
	g.needsCache[n] = sortUnique(needs)
	return g.needsCache[n]
}

func sortUnique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
