//go:build !unix

package plugin

import (
	"os"
	"path/filepath"
)

// defaultBases returns the temporary directory, which is the user's own here.
func defaultBases() []string {
	return []string{filepath.Join(os.TempDir(), "proctor")}
}

func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &RunDirError{Dir: dir, Reason: err.Error()}
	}
	return nil
}

// processExists leaves it to the lock: an open file cannot be locked twice.
func processExists(int) bool { return false }
