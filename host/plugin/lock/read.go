package lock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Read reads a lock file. A missing one is empty. It must be a regular file: a link
// could lead out of its project, and is not followed. The user's, called [UserFile], is
// read as by [ReadOwn]; [Find] decides whether a project's can be trusted. The error is
// an [*Error], or a [*manifest.SchemaError].
func Read(path string) (File, error) {
	f, _, err := read(path)
	return f, err
}

// read also returns the file's bytes, nil if there is no file.
func read(path string) (File, []byte, error) {
	check := func(fs.FileInfo) error { return nil }
	if filepath.Base(path) == UserFile {
		check = func(info fs.FileInfo) error { return trustedOwn(path, info) }
	}
	data, err := readRegular(path, maxSize, check)
	if errors.Is(err, fs.ErrNotExist) {
		var none File
		if filepath.Base(path) == UserFile {
			none.Comment = userComment
		}
		return none.normal(), nil, nil
	}
	if err != nil {
		return File{}, nil, err
	}
	f, err := parse(path, data)
	return f, data, err
}

// ReadOwn reads one of the user's files that choose plugins, up to max bytes and one more.
// It must be a regular file that nobody else can change. The error is an [*Error]; if there
// is no file, it wraps [fs.ErrNotExist].
func ReadOwn(path string, max int64) ([]byte, error) {
	return readRegular(path, max, func(info fs.FileInfo) error { return trustedOwn(path, info) })
}

// readRegular reads a regular file that check accepts.
func readRegular(path string, max int64, check func(fs.FileInfo) error) ([]byte, error) {
	if _, err := statRegular(path); err != nil {
		return nil, err
	}
	// It may have been replaced since.
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, unreadableError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Reason: "it is not a regular file", Err: err}
	}
	if err := check(info); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, unreadableError(path, err)
	}
	return data, nil
}

// statRegular returns what is at path if it is a regular file.
func statRegular(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, unreadableError(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &Error{Path: path, Reason: "it is a symbolic link, which is not followed: put a copy of the file in its place"}
	case !info.Mode().IsRegular():
		return nil, &Error{Path: path, Reason: fmt.Sprintf("it is not a regular file (%s)", info.Mode().Type())}
	}
	return info, nil
}

func unreadableError(path string, err error) error {
	cause := err
	if underlying, ok := errors.AsType[*fs.PathError](err); ok {
		cause = underlying.Err
	}
	return &Error{Path: path, Reason: "it cannot be read: " + cause.Error(), Err: err}
}
