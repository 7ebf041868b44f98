package session

import (
	"errors"

	"golang.org/x/sys/windows"
)

// noFollow has no counterpart here: what is a link is seen before opening.
const noFollow = 0

// removesOpenFiles: a file that is open cannot be removed.
const removesOpenFiles = false

// inUse tells whether a file was busy for a moment only: it cannot be replaced
// while another process reads it.
func inUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
