//go:build unix

package fingerprint

import (
	"errors"

	"golang.org/x/sys/unix"
)

// replaced tells that another kind of file is in the place of the one that was
// seen, or of a directory above it.
func replaced(err error) bool {
	return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EISDIR) ||
		errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENXIO)
}

// inUse is never the case: opening waits for nobody.
func inUse(error) bool { return false }
