package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// retry is how long to wait before trying a busy tree again. Packing takes seconds.
const retry = 50 * time.Millisecond

// newTree is the mode of a new tree, which is to be published.
const newTree = 0o755

// lockTree creates the tree if missing, and keeps other processes from packing into it
// until release is called, for as long as ctx allows. It leaves nothing in the tree,
// which is copied as is. The operating system releases the lock when the process ends.
func lockTree(ctx context.Context, tree string) (release func(), err error) {
	dir, err := filepath.Abs(tree)
	if err == nil {
		err = os.MkdirAll(dir, newTree)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	held, err := tryLock(ctx, directoryLock(dir))
	if err != nil && ctx.Err() == nil { // a file system that does not lock directories
		held, err = tryLock(ctx, flock.New(lockFileFor(dir), flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: another proctor is packing into it, or it cannot be locked: %w", tree, err)
	}
	return func() { _ = held.Unlock() }, nil
}

func tryLock(ctx context.Context, lock *flock.Flock) (*flock.Flock, error) {
	if lock == nil {
		return nil, os.ErrInvalid
	}
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return nil, err
	}
	return lock, nil
}

// lockFileFor returns a file that represents a directory, in the directory for temporary
// files. It stays: removing it would let two processes in.
func lockFileFor(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(os.TempDir(), fmt.Sprintf("proctor-pack-%d-%s", max(os.Geteuid(), 0), hex.EncodeToString(sum[:8])))
}
