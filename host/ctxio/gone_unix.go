//go:build unix

package ctxio

import (
	"errors"
	"syscall"
)

// isReaderGone reports whether a pipe could not be written because its reader is gone.
func isReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
