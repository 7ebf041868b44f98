package lock

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// Change reads a lock file, applies change, and writes it atomically, with its old
// permissions, while keeping other processes from doing the same. It writes nothing if
// change fails or changes nothing, or if the file cannot be read. It creates the file's
// directory if missing.
//
// Fields of a later proctor are kept at the top and in unchanged entries. A changed entry
// with such fields is an error, since this proctor cannot know whether they
// still hold.
//
// The lock is on the file's directory or, on Windows and on file systems that do not
// lock directories, on a file in the directory for temporary files. So nothing is left
// beside a lock file, which may be in a work tree.
func Change(ctx context.Context, path string, change func(*File) error) error {
	release, err := Hold(ctx, path)
	if err != nil {
		return err
	}
	defer release()
	was, old, err := read(path)
	if err != nil {
		return err
	}
	f := was.clone()
	if err := change(&f); err != nil {
		return err
	}
	f = f.normal()
	if bytes.Equal(f.Encode(), was.Encode()) {
		return nil
	}
	data, err := mergeFile(path, old, f)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return replace(path, data)
}

// Hold keeps every other proctor from changing a file, until release is called or the
// process ends. It is for small files that are read, changed and replaced: it locks
// their directory, with all files in it, and creates it if missing.
func Hold(ctx context.Context, path string) (release func(), err error) {
	dir, err := resolveDirectory(path)
	if err != nil {
		return nil, err
	}
	held, err := take(ctx, dir)
	if err != nil {
		return nil, &Error{Path: path, Reason: "another proctor is changing it, or it cannot be locked: " + err.Error(), Err: err}
	}
	return func() { _ = held.Unlock() }, nil
}

// ownDir is the mode of a new directory for the user's lock file, as the XDG base
// directory specification has it.
const ownDir = 0o700

// resolveDirectory returns the real directory of a lock file, the same for all processes.
func resolveDirectory(path string) (string, error) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err == nil {
		err = os.MkdirAll(dir, ownDir)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", &Error{Path: path, Reason: "its directory cannot be used: " + err.Error(), Err: err}
	}
	return dir, nil
}

// newMode is the mode of a new lock file, readable by everybody.
const newMode = 0o644

// replace replaces a lock file by data.
func replace(path string, data []byte) error {
	mode := fs.FileMode(newMode)
	switch info, err := statRegular(path); {
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
