//go:build unix

package cli

import (
	"errors"
	"syscall"
)

// readerGone reports whether a pipe could not be written because its reader is gone.
func readerGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
