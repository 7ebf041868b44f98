//go:build unix

package reports

import (
	"errors"
	"os"
	"syscall"
)

// openInPlace opens what is not a regular file. A pipe without a reader is an error, since
// none may ever come; a slow one is waited for, which on some systems only a blocking file
// does.
func openInPlace(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if err := syscall.SetNonblock(int(f.Fd()), false); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
