package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// newFile writes a file so that it is there whole or not at all, and returns its
// size. Without force it replaces nothing.
func newFile(path string, force bool, write func(io.Writer) error) (size int64, err error) {
	if force {
		if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
			return 0, &UsageError{Reason: path + " is not a regular file", Fix: "give another name"}
		}
	} else {
		// The name is taken now; what is written replaces only this.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return 0, &UsageError{Reason: path + " is there already", Fix: "give another name, or --force to replace it"}
		}
		if err != nil {
			return 0, err
		}
		f.Close()
		defer func() {
			if err != nil {
				os.Remove(path)
			}
		}()
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".proctor-*.tmp")
	if err != nil {
		return 0, err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, as it should
	err = errors.Join(write(tmp), tmp.Chmod(0o644))
	if err == nil {
		size, err = tmp.Seek(0, io.SeekEnd)
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(tmp.Name(), path)
}
