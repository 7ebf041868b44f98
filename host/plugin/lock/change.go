package lock

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
)

// Change reads a lock file, has it changed, and writes it whole or not at all, with the
// permissions that it had, while no other process does. Nothing is written where change
// fails or changes nothing, nor where the file cannot be read. The directory of the file
// is made where it is missing.
//
// Fields of a later proctor are kept: at the top, and in entries that are the same as
// before. An entry that has such fields and is not the same is an [*UnknownFieldError],
// since nobody here knows whether they would still be true.
//
// What is locked is the directory of the file, on Windows and on file systems that do
// not lock directories a file in the directory for temporary ones. So nothing is left
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
	data, err := merged(path, old, f)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return replace(path, data)
}

// Hold keeps every other proctor from changing a file, until release is called or the
// process ends. It is for small files which are read, changed and replaced: what is
// locked is their directory, with all files that are in it. The directory is made where
// it is missing.
func Hold(ctx context.Context, path string) (release func(), err error) {
	dir, err := directory(path)
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

// directory returns the real directory of a lock file, under which all processes
// know it.
func directory(path string) (string, error) {
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
