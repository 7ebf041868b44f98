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

// libraries reads the settings of the libraries. Forge reads them for their remappings,
// and runs the compilers they name to learn their versions.
func (w *written) libraries(root string, libs []string) {
	s := &librarySearch{written: w, left: maxFolders, seen: map[string]bool{}}
	for _, lib := range libs {
		s.folder(beside(root, lib), maxNested)
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

// folder looks into every subdirectory of a library directory, as forge does.
func (s *librarySearch) folder(dir string, depth int) {
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
			s.library(filepath.Join(real, entry.Name()), depth)
		}
	}
}

func (s *librarySearch) library(dir string, depth int) {
	document, ok := s.document(filepath.Join(dir, "foundry.toml"))
	if !ok {
		return
	}
	if depth == 0 {
		s.left = -1
		return
	}
	for _, base := range extended(document, 0) {
		s.document(beside(dir, base))
	}
	for _, name := range append(libs(document, 0), "lib", "node_modules", "dependencies") {
		s.folder(beside(dir, name), depth-1)
	}
}

// libs returns the library directories that a configuration names in any profile.
func libs(table map[string]any, depth int) []string {
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
			names = append(names, libs(value, depth+1)...)
		}
	}
	return names
}
