package dependencies

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// aPackage are patterns for files that belong to a package by being in its directory,
// without those of tests: see go/build and cmd/go/internal/imports. As patterns have no
// "not", Go files that do not end in "_test.go" take several. The last ones are the
// extensions of C, C++, Objective-C, Fortran, assembly, SWIG and objects, and some that
// nobody uses.
var aPackage = [...]string{
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
		g.files(&n.files, p.Dir, names, func(name string) bool { return !isTest(name) })
	}
	g.files(&n.files, p.Dir, p.EmbedFiles, nil)
	if len(n.patterns) > 0 {
		return // recompiled
	}
	for _, pattern := range aPackage {
		g.pattern(n, p.Dir, pattern)
	}
	if p.Name == "main" { // see go help build, -pgo
		g.pattern(n, p.Dir, "default.pgo")
		if file := filepath.Join(p.Dir, "default.pgo"); g.cfg.Layout.Reader.IsFile(file) {
			g.files(&n.files, p.Dir, []string{"default.pgo"}, nil)
		}
	}
	g.embeds(n, p.Dir, p.EmbedPatterns)
	if p.Module != nil && within(p.Module.Dir, p.Dir) {
		// A nested module in a directory above takes the package away.
		for dir := filepath.Clean(p.Dir); dir != filepath.Clean(p.Module.Dir); dir = filepath.Dir(dir) {
			g.pattern(n, dir, "go.mod")
		}
	}
}

// addTestFiles adds what the tests of a package are built from.
func (g *Graph) addTestFiles(n *node, p *Package) {
	for _, names := range [][]string{p.TestGoFiles, p.XTestGoFiles, p.IgnoredGoFiles, p.InvalidGoFiles} {
		g.files(&n.files, p.Dir, names, isTest)
	}
	g.files(&n.files, p.Dir, p.TestEmbedFiles, nil)
	g.files(&n.files, p.Dir, p.XTestEmbedFiles, nil)
	g.pattern(n, p.Dir, "*_test.go")
	g.embeds(n, p.Dir, p.TestEmbedPatterns)
	g.embeds(n, p.Dir, p.XTestEmbedPatterns)
}

// files adds the files of a directory that keep accepts.
func (g *Graph) files(files *[]string, dir string, names []string, keep func(string) bool) {
	for _, name := range names {
		if keep != nil && !keep(name) {
			continue
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, filepath.FromSlash(name))
		}
		name = g.place(name)
		g.kept += len(name)
		*files = append(*files, name)
	}
}

// pattern adds a pattern below a directory whose name is literal.
func (g *Graph) pattern(n *node, dir, pattern string) {
	pattern = path.Join(g.place(dir), pattern)
	g.kept += len(pattern)
	n.patterns = append(n.patterns, pattern)
}

// place returns a path in the form of the protocol: slash-separated and relative to the
// root, or absolute outside of it.
func (g *Graph) place(name string) string {
	if root := g.cfg.Layout.Root; within(root, name) {
		name, _ = filepath.Rel(root, name) // it is below
	}
	return filepath.ToSlash(name)
}

// within reports whether a path is a directory or below it.
func within(dir, name string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// embeds adds where a new file would be embedded. A pattern that names a directory
// embeds what is below it, and so may one with a "*", unless it has an extension:
// "*.sql" is taken for files.
func (g *Graph) embeds(n *node, dir string, patterns []string) {
	for _, pattern := range patterns {
		pattern = strings.TrimPrefix(pattern, "all:")
		elements := strings.Split(pattern, "/")
		special := slices.IndexFunc(elements, func(e string) bool { return strings.ContainsAny(e, `*?[\`) })
		last := len(elements) - 1
		switch {
		case special < 0:
			g.pattern(n, dir, pattern)
			g.pattern(n, dir, pattern+"/**")
		case special == last && path.Ext(elements[last]) != "" && !strings.ContainsAny(path.Ext(elements[last]), `*?[]\`):
			g.pattern(n, dir, pattern)
		default:
			g.pattern(n, dir, strings.Join(append(elements[:special:special], "**"), "/"))
		}
	}
}
