package artifacts

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a busy lock is tried again. The lock is held for the
// few milliseconds that reading and replacing one small file takes.
const lockRetry = 5 * time.Millisecond

// lockFile takes the lock for this process, for as long as ctx allows.
func lockFile(ctx context.Context, path string) (*flock.Flock, error) {
	for {
		lock, err := newLock(path)
		if err != nil {
			return nil, err
		}
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			return nil, err
		}
		if isInPlace(lock) {
			return lock, nil
		}
		lock.Unlock() // it was removed meanwhile: the next process takes another
	}
}

// tryLockFile takes the lock only if it is free now.
func tryLockFile(path string) (*flock.Flock, bool) {
	lock, err := newLock(path)
	if err != nil {
		return nil, false
	}
	if free, err := lock.TryLock(); err != nil || !free {
		return nil, false
	}
	if !isInPlace(lock) {
		lock.Unlock()
		return nil, false
	}
	return lock, true
}

// removeLock gives back a lock and removes its file.
func removeLock(lock *flock.Flock) {
	if removesOpenFiles {
		os.Remove(lock.Path()) // while it is held, or it could be another's
		lock.Unlock()
		return
	}
	lock.Unlock()
	os.Remove(lock.Path()) // fails when another process has opened it
}

func newLock(path string) (*flock.Flock, error) {
	if err := noLink(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow)), nil
}

// isInPlace reports whether the locked file is the one that has the name.
func isInPlace(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(lock.Path())
	return err == nil && os.SameFile(held, named)
}
