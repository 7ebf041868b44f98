//go:build unix

package lock

import (
	"context"
	"os"

	"github.com/gofrs/flock"
)

// takeDirectory locks the directory itself. Network file systems may not support that.
func takeDirectory(ctx context.Context, dir string) (*flock.Flock, error) {
	return tryLock(ctx, flock.New(dir, flock.SetFlag(os.O_RDONLY)))
}
