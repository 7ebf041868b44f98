package lock

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

// retry is how long to wait before trying a busy lock again. One is held for the few
// milliseconds that reading and replacing a small file takes.
const retry = 5 * time.Millisecond

// take locks a directory, for as long as ctx allows. The operating system releases the
// lock however the process ends.
func take(ctx context.Context, dir string) (*flock.Flock, error) {
	held, err := takeDirectory(ctx, dir)
	if err == nil || ctx.Err() != nil {
		return held, err
	}
	return takeAside(ctx, dir)
}

// takeAside locks a file that represents the directory, in the directory for temporary
// files. The file stays: removing it would let two processes in.
func takeAside(ctx context.Context, dir string) (*flock.Flock, error) {
	sum := sha256.Sum256([]byte(dir))
	name := fmt.Sprintf("proctor-lock-%d-%s", max(os.Geteuid(), 0), hex.EncodeToString(sum[:8]))
	return tryLock(ctx, flock.New(filepath.Join(os.TempDir(), name), flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow)))
}

func tryLock(ctx context.Context, lock *flock.Flock) (*flock.Flock, error) {
	if _, err := lock.TryLockContext(ctx, retry); err != nil {
		return nil, err
	}
	return lock, nil
}
