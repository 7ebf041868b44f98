package fingerprint

import (
	"errors"

	"golang.org/x/sys/windows"
)

// replaced tells that another kind of file is in the place of the one that was
// seen, or of a directory above it.
func replaced(err error) bool { return errors.Is(err, windows.ERROR_DIRECTORY) }

// inUse tells that another program has the file for itself.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
