package dependencies

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/go/internal/source"
)

// packagePatterns are patterns for files that belong to a package by being in its directory,
// without those of tests: see go/build and cmd/go/internal/imports. As patterns have no
// "not", Go files that do not end in "_test.go" take several. The last ones are the
// extensions of C, C++, Objective-C, Fortran, assembly, SWIG and objects, and some rare
// ones.
var packagePatterns = [...]string{
	"*[^t].go", "*[^s]t.go", "*[^e]st.go", "*[^t]est.go", "*[^_]test.go", "t.go", "st.go", "est.go", "test.go",
	"*.[cmhfFsS]", "*.[ch][cphx]*", "*.f[o9]*", "*.s[wyx]*",
}

// addFiles adds what a package is built from. A file excluded by build constraints
// counts: an edit may include it.
func (g *Graph) addFiles(n *node, p *Package) {
	for _, names := range [][]string{
		p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles, p.SwigFiles, p.SwigCXXFiles,
		p.SysoFiles, p.IgnoredGoFiles, p.IgnoredOtherFiles, p.InvalidGoFiles,
	} {
		g.appendFiles(&n.files, p.Dir, names, func(name string) bool { return !isTestFile(name) })
	}
	g.appendFiles(&n.files, p.Dir, p.EmbedFiles, nil)
	if len(n.patterns) > 0 {
		return // recompiled
	}
	for _, pattern := range packagePatterns {
		g.addPattern(n, p.Dir, pattern)
	}
	if p.Name == "main" { // see go help build, -pgo
		g.addPattern(n, p.Dir, "default.pgo")
		if file := filepath.Join(p.Dir, "default.pgo"); g.cfg.Layout.Reader.IsFile(file) {
			g.appendFiles(&n.files, p.Dir, []string{"default.pgo"}, nil)
		}
	}
	g.addEmbeds(n, p.Dir, p.EmbedPatterns)
	if p.Module != nil && isWithin(p.Module.Dir, p.Dir) {
		// A nested module in a directory above takes the package away.
		for dir := filepath.Clean(p.Dir); dir != filepath.Clean(p.Module.Dir); dir = filepath.Dir(dir) {
			g.addPattern(n, dir, "go.mod")
		}
	}
}

// addTestFiles adds what the tests of a package are built from.
func (g *Graph) addTestFiles(n *node, p *Package) {
	for _, names := range [][]string{p.TestGoFiles, p.XTestGoFiles, p.IgnoredGoFiles, p.InvalidGoFiles} {
		g.appendFiles(&n.files, p.Dir, names, isTestFile)
	}
	g.appendFiles(&n.files, p.Dir, p.TestEmbedFiles, nil)
	g.appendFiles(&n.files, p.Dir, p.XTestEmbedFiles, nil)
	g.addPattern(n, p.Dir, "*_test.go")
	g.addEmbeds(n, p.Dir, p.TestEmbedPatterns)
	g.addEmbeds(n, p.Dir, p.XTestEmbedPatterns)
}

// appendFiles adds the files of a directory that keep accepts.
func (g *Graph) appendFiles(files *[]string, dir string, names []string, keep func(string) bool) {
	for _, name := range names {
		if keep != nil && !keep(name) {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		name = g.protocolPath(name)
		g.kept += len(name)
		*files = append(*files, name)
	}
}

// addPattern adds a pattern below a directory whose name is literal.
func (g *Graph) addPattern(n *node, dir, pattern string) {
	pattern = path.Join(g.protocolPath(dir), pattern)
	g.kept += len(pattern)
	n.patterns = append(n.patterns, pattern)
}

// protocolPath returns a path in the form of the protocol: slash-separated and relative to the
// root, or absolute outside of it.
func (g *Graph) protocolPath(name string) string {
	if rel, below := source.RelativeTo(g.cfg.Layout.Root, name); below {
		name = rel
	}
	return filepath.ToSlash(name)
}

// isWithin reports whether a path is a directory or below it.
func isWithin(dir, name string) bool {
	_, below := source.RelativeTo(dir, name)
	return below
}

// addEmbeds adds where a new file would be embedded. A pattern that names a directory
// embeds what is below it, and so may one with a "*", unless it has an extension:
// "*.sql" is taken for files.
func (g *Graph) addEmbeds(n *node, dir string, patterns []string) {
	for _, pattern := range patterns {
		pattern = strings.TrimPrefix(pattern, "all:")
		elements := strings.Split(pattern, "/")
		special := slices.IndexFunc(elements, func(e string) bool { return strings.ContainsAny(e, `*?[\`) })
		last := len(elements) - 1
		switch {
		case special < 0:
			g.addPattern(n, dir, pattern)
			g.addPattern(n, dir, pattern+"/**")
		case special == last && path.Ext(elements[last]) != "" && !strings.ContainsAny(path.Ext(elements[last]), `*?[]\`):
			g.addPattern(n, dir, pattern)
		default:
			g.addPattern(n, dir, strings.Join(append(elements[:special:special], "**"), "/"))
		}
	}
}

// maxData bounds the data files that are named one by one.
const maxData = 20_000

// addTestData adds the files that a package's tests may read before the first of them: those
// beside its sources, and below testdata.
func (g *Graph) addTestData(t *node, dir string) {
	g.addPattern(t, dir, "*")
	g.addPattern(t, dir, "testdata/**")
	reader := g.cfg.Layout.Reader
	names, complete := reader.Files(dir, maxData, func(path string, entry fs.DirEntry) bool {
		if entry.IsDir() {
			return path == filepath.Join(dir, "testdata") || strings.HasPrefix(path, filepath.Join(dir, "testdata")+string(filepath.Separator))
		}
		return filepath.Ext(path) != ".go" || filepath.Dir(path) != dir
	})
	g.appendFiles(&t.files, dir, names, nil)
	if !complete && t.opaque == "" {
		t.opaque = "its tests may read files before the first of them runs, and too many files come into question"
	}
}
