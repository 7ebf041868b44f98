//go:build !unix

package lock

import (
	"context"
	"errors"

	"github.com/gofrs/flock"
)

// takeDirectory cannot lock the directory itself.
func takeDirectory(context.Context, string) (*flock.Flock, error) {
	return nil, errors.ErrUnsupported
}
