package lock

import (
	"errors"
	"io/fs"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// newMode is the mode of a new lock file: everybody may read it.
const newMode = 0o644

// replace replaces a lock file by data.
func replace(path string, data []byte) error {
	mode := fs.FileMode(newMode)
	switch info, err := regular(path); {
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := atomicfile.WriteBytes(path, mode, data); err != nil {
		return &Error{Path: path, Reason: "it cannot be written: " + err.Error(), Err: err}
	}
	return nil
}
