package store

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// LicenseFile is the name of a plugin's optional license.
const LicenseFile = "LICENSE"

// dirMode is the mode of every directory in the store, private to the user.
const dirMode = 0o700

// Store is a directory of installed plugins. It need not exist.
type Store struct {
	dir      string
	platform manifest.Platform

	mu sync.Mutex
	// stages are the directories below .staging in use by this Store, with the locks
	// that show this to other processes.
	stages map[string]*flock.Flock

	// slowAfter is slowLock; step is called with the progress of a change; sync makes a
	// file or the names in a directory durable. Tests replace them.
	slowAfter time.Duration
	step      func(step string)
	sync      func(f *os.File) error
}

// Open returns the store in a directory. It touches nothing.
func Open(dir string) *Store {
	return &Store{
		dir: dir, platform: manifest.ThisPlatform(), stages: map[string]*flock.Flock{},
		slowAfter: slowLock, step: func(string) {}, sync: (*os.File).Sync,
	}
}

// Dir returns its directory.
func (s *Store) Dir() string { return s.dir }

// Installed is a plugin in the store.
type Installed struct {
	// Dir is its directory, Path its binary.
	Dir, Path string
	Manifest  manifest.Manifest
	Receipt   Receipt
}

func (s *Store) versionDir(name, version string) string { return filepath.Join(s.dir, name, version) }

func (s *Store) target(name, version string) string {
	return filepath.Join(s.versionDir(name, version), string(s.platform))
}

// isValid reports whether a plugin can be in the store at all: its name and version are
// safe as path elements.
func isValid(name, version string) bool {
	return manifest.ValidName(name) && manifest.ValidVersion(version)
}
