package fingerprint

import (
	"errors"

	"golang.org/x/sys/windows"
)

// replaced reports whether the file, or a directory above it, was replaced by another
// kind of file.
func replaced(err error) bool { return errors.Is(err, windows.ERROR_DIRECTORY) }

// inUse reports whether another program holds the file exclusively.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
}
