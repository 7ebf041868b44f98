package directory

import (
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
)

// maxLookedAt bounds the entries of a directory that are looked at: the directory of a
// monorepo has some hundreds.
const maxLookedAt = 1000

// HasFoundry reports whether there is a project of Foundry in, above or directly below a
// directory, named as calls name them. It starts no plugin to find out.
func (p Server) HasFoundry(dir string) bool {
	dir = p.InHome(dir)
	if dir == "" {
		return false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Dir, dir)
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries[:min(len(entries), maxLookedAt)] {
		if _, err := os.Stat(filepath.Join(dir, e.Name(), api.FoundryMarker)); err == nil {
			return true
		}
	}
	for up := ""; dir != up; up, dir = dir, filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, api.FoundryMarker)); err == nil {
			return true
		}
	}
	return false
}
