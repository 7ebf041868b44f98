package dependencies

import (
	"io/fs"
	"path/filepath"
	"strings"
)

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
