//go:build unix

package lock

import (
	"context"
	"os"

	"github.com/gofrs/flock"
)

// takeDirectory locks the directory itself. File systems that come over a network may
// not be able to.
func takeDirectory(ctx context.Context, dir string) (*flock.Flock, error) {
	return taken(ctx, flock.New(dir, flock.SetFlag(os.O_RDONLY)))
}
