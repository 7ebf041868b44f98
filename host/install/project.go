package install

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/plugin/lock"
)

// FindLock returns the path of the project's lock file that applies in a directory;
// empty if there is none.
func FindLock(dir string) (string, error) { return lock.Find(dir) }

// NewLock returns where to create a project's lock file.
func NewLock(dir string) (string, error) { return lock.Place(dir) }

// origin returns the source of a locked plugin to be installed from there. A project's lock
// file must not name one inside the project: whoever can change that could then have
// anything executed.
func (e lockEntry) origin() (source.Spec, error) {
	spec, err := source.FromLock(e.name, e.Source, e.Version)
	if err != nil {
		return spec, e.sourceError(err)
	}
	path, isPath := spec.Path()
	if !isPath || filepath.Base(e.file.path) == lock.UserFile {
		return spec, nil
	}
	root, err := lock.Root(filepath.Dir(e.file.path))
	if err != nil {
		return spec, err
	}
	if isWithin(path, root) {
		if spec.Kind == source.Index {
			path = fileURL(path) + "#" + e.name
		}
		return spec, fmt.Errorf("%s has plugin %s %s from within the project itself: whoever can change the project would choose what is executed. Nothing was installed; if you mean that: proctor plugin install %s",
			e.file.path, e.name, e.Version, path)
	}
	return spec, nil
}

// isWithin reports whether a path leads into a directory, by name or through links:
// /proc/self/cwd leads into any project. It compares files, not names, since some file
// systems have several names for one.
func isWithin(path, root string) bool {
	top, err := os.Stat(root)
	if err != nil {
		return false
	}
	ways := []string{filepath.Clean(path)}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		ways = append(ways, real)
	}
	for _, at := range ways {
		for ; ; at = filepath.Dir(at) {
			if st, err := os.Stat(at); err == nil && os.SameFile(st, top) {
				return true
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return false
}
