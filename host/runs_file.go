package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/internal/atomicfile"
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
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, exportMode)
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
	return atomicfile.Write(path, exportMode, write)
}

// spare refuses a place for a file within the records: it may be one of them.
func (m *memory) spare(path string) error {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	own, err := os.Stat(m.store.Dir())
	if err != nil {
		return err
	}
	for {
		if at, err := os.Stat(dir); err == nil && os.SameFile(at, own) {
			return &UsageError{Reason: path + " lies in " + m.store.Dir() + ", where proctor keeps its records", Fix: "give a name elsewhere"}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}
