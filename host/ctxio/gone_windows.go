package ctxio

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isReaderGone reports whether a pipe could not be written because its reader is gone: it
// has no other end, or that is being closed.
func isReaderGone(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA)
}
