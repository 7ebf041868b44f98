package lock

import (
	"errors"
	"io/fs"

	"github.com/proctorhq/proctor/host/internal/atomicfile"
)

// newMode is the mode of a new lock file: everybody may know what is meant.
const newMode = 0o644

// Write writes a lock file whole or not at all, with the permissions of the one that
// it replaces. Who changes one holds the lock of [Change].
//
// Fields of a later proctor in the file that is replaced are kept: at the top, and in
// entries that are the same as before. An entry that has such fields and is not the
// same is an [*UnknownFieldError], since nobody here knows whether they would still be
// true. A file that cannot be read is not replaced.
func Write(path string, f File) error {
	_, old, err := read(path)
	if err != nil {
		return err
	}
	data, err := merged(path, old, f.normal())
	if err != nil {
		return err
	}
	return replace(path, data)
}

// replace puts data in the place of a lock file.
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
