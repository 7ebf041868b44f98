package atomicfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// inUse reports whether a file is only busy for a moment: it cannot be replaced while
// another process reads it.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
