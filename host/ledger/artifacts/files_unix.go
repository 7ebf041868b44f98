//go:build unix

package artifacts

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// noFollow rejects symbolic links when opening.
const noFollow = unix.O_NOFOLLOW

// removesOpenFiles says whether a process can remove a file that it has open.
const removesOpenFiles = true

// checkWritable returns why a folder cannot be written, as far as its mode and its file
// system show.
func checkWritable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write into", Path: dir, Err: err}
	}
	return nil
}
