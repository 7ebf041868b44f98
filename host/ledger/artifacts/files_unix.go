//go:build unix

package artifacts

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// noFollow makes opening a symbolic link an error.
const noFollow = unix.O_NOFOLLOW

// removesOpenFiles: a file can be removed by the process that has it open.
const removesOpenFiles = true

// checkWritable tells why nothing can be written into a folder, as far as its rights and
// its file system say.
func checkWritable(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write into", Path: dir, Err: err}
	}
	return nil
}
