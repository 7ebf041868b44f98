package settings

import (
	"os"
	"path/filepath"
)

const (
	// maxFolders bounds the search for the settings of libraries, and maxNested how
	// deeply libraries may contain libraries.
	maxFolders = 20_000
	maxNested  = 8
)

// readLibraries reads the settings of the libraries. Forge reads them for their remappings,
// and runs the compilers they name to learn their versions.
func (w *written) readLibraries(root string, libs []string) {
	s := &librarySearch{written: w, left: maxFolders, seen: map[string]bool{}}
	for _, lib := range libs {
		s.searchFolder(resolveBeside(root, lib), maxNested)
	}
	if s.left < 0 {
		w.whole = false
	}
}

type librarySearch struct {
	*written
	left int
	seen map[string]bool
}

// searchFolder looks into every subdirectory of a library directory, as forge does.
func (s *librarySearch) searchFolder(dir string, depth int) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || s.seen[real] {
		return
	}
	s.seen[real] = true
	entries, err := os.ReadDir(real)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if s.left--; s.left < 0 {
			return
		}
		if !entry.Type().IsRegular() {
			s.readLibrary(filepath.Join(real, entry.Name()), depth)
		}
	}
}

func (s *librarySearch) readLibrary(dir string, depth int) {
	document, ok := s.readDocument(filepath.Join(dir, "foundry.toml"))
	if !ok {
		return
	}
	if depth == 0 {
		s.left = -1
		return
	}
	for _, base := range extendedFiles(document, 0) {
		s.readDocument(resolveBeside(dir, base))
	}
	for _, name := range append(namedLibs(document, 0), "lib", "node_modules", "dependencies") {
		s.searchFolder(resolveBeside(dir, name), depth-1)
	}
}

// namedLibs returns the library directories that a configuration names in any profile.
func namedLibs(table map[string]any, depth int) []string {
	if depth > maxDepth {
		return nil
	}
	var names []string
	for key, value := range table {
		switch value := value.(type) {
		case []any:
			for _, one := range value {
				if name, ok := one.(string); ok && key == "libs" {
					names = append(names, name)
				}
			}
		case map[string]any:
			names = append(names, namedLibs(value, depth+1)...)
		}
	}
	return names
}
