package store

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/plugin/manifest"
)

// LicenseFile is the name of a plugin's licence, which it need not have.
const LicenseFile = "LICENSE"

// dirMode is that of every directory in the store: it is the user's alone.
const dirMode = 0o700

// Store is a directory of installed plugins. It need not exist.
type Store struct {
	dir      string
	platform manifest.Platform

	mu sync.Mutex
	// stages are the directories below .staging in which this Store works, with
	// the locks that say so to other processes.
	stages map[string]*flock.Flock

	// slowAfter is SlowLock; step is told how far a change has come; sync makes sure
	// that a file or the names in a directory survive a power cut. Tests replace them.
	slowAfter time.Duration
	step      func(step string)
	sync      func(f *os.File) error
}

// Open returns the store in a directory. It touches nothing.
func Open(dir string) *Store {
	return &Store{
		dir: dir, platform: manifest.ThisPlatform(), stages: map[string]*flock.Flock{},
		slowAfter: SlowLock, step: func(string) {}, sync: (*os.File).Sync,
	}
}

// Dir is its directory.
func (s *Store) Dir() string { return s.dir }

// Installed is a plugin in the store.
type Installed struct {
	// Dir is where it lies, Path its binary.
	Dir, Path string
	Manifest  manifest.Manifest
	Receipt   Receipt
}

func (s *Store) versionDir(name, version string) string { return filepath.Join(s.dir, name, version) }

func (s *Store) target(name, version string) string {
	return filepath.Join(s.versionDir(name, version), string(s.platform))
}

// valid reports whether a plugin can be in the store at all. Such a name and such a
// version are safe as elements of a path.
func valid(name, version string) bool {
	return manifest.ValidName(name) && manifest.ValidVersion(version)
}
