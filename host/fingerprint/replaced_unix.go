//go:build unix

package fingerprint

import (
	"errors"

	"golang.org/x/sys/unix"
)

// replaced reports whether the file, or a directory above it, was replaced by another
// kind of file.
func replaced(err error) bool {
	return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EISDIR) ||
		errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENXIO)
}

// inUse is always false: opening never waits.
func inUse(error) bool { return false }
