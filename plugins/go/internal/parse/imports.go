package parse

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// maxImportWalk bounds the packages that are read to find what a suite
// imports.
const maxImportWalk = 300

// importedOf picks those of some packages that a package imports, directly or
// not, within the workspace.
func (t *tree) importedOf(name string, among []string) []string {
	var found []string
	seen := map[string]bool{name: true}
	queue := []string{name}
	for n := 0; len(queue) > 0 && n < maxImportWalk; n++ {
		next := queue[0]
		queue = queue[1:]
		for _, imported := range t.importsOf(next) {
			if seen[imported] {
				continue
			}
			seen[imported] = true
			if slices.Contains(among, imported) {
				found = append(found, imported)
				continue // what lies behind it is its own matter
			}
			queue = append(queue, imported)
		}
	}
	return found
}

func (t *tree) importsOf(name string) []string {
	dir, ok := t.dir(name)
	if !ok {
		return nil
	}
	files, _ := t.reader.GoFiles(dir) // what cannot be read imports nothing
	var all []string
	for _, src := range t.sourcesOf(files) {
		all = append(all, importsIn(src)...)
	}
	return all
}

// importsIn are the packages that a source file imports.
func importsIn(src []byte) []string {
	syntax, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if syntax == nil {
		return nil
	}
	var all []string
	for _, spec := range syntax.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			all = append(all, imported)
		}
	}
	return all
}
