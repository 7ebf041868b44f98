//go:build unix

package publish

import (
	"os"
	"syscall"

	"github.com/gofrs/flock"
)

// noFollow ignores another user's link in the directory for temporary files.
const noFollow = syscall.O_NOFOLLOW

// directoryLock returns a lock on the directory itself.
func directoryLock(dir string) *flock.Flock { return flock.New(dir, flock.SetFlag(os.O_RDONLY)) }
