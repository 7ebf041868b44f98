package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSize bounds the file, in bytes.
const maxSize = 64 << 10

// Load reads the configuration of a workspace, and the user's own file, whose path may
// be empty. Without the files it returns [Default]; every problem with one is an
// [*Error].
func Load(root, own string) (Config, error) {
	config := Default()
	if err := load(&config, projects, filepath.Join(root, FileName)); err != nil {
		return Config{}, err
	}
	if own == "" {
		return config, nil
	}
	if err := load(&config, users, own); err != nil {
		return Config{}, err
	}
	return config, nil
}

// load reads one file.
func load(config *Config, of kind, path string) error {
	data, err := read(path, of == users)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = decode(config, of, path, data)
	}
	if err != nil {
		return in(path, err)
	}
	return nil
}

// ReadFile reads another file of a project's, as carefully as the configuration.
func ReadFile(path string) ([]byte, error) { return read(path, false) }

// in adds the file's path to an error.
func in(path string, err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Reason: "it cannot be read: " + plain(withoutPath(err)), Err: err}
	}
	e.File = path
	return e
}

// read reads a regular file. It checks the file before opening it, as opening a pipe
// blocks, and again after, as it may have been replaced. Only in a user's own folder may
// it be a link.
func read(path string, mayLink bool) ([]byte, error) {
	look := os.Lstat
	if mayLink {
		look = os.Stat
	}
	before, err := look(path)
	if err != nil {
		return nil, err
	}
	if err := fit(before); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(before, opened) {
		return nil, &Error{Reason: "it was replaced while it was opened", Fix: "try again"}
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = &Error{Reason: fmt.Sprintf("it is larger than %d KiB", maxSize>>10), Fix: "keep only settings in it"}
	}
	return data, err
}

// fit returns an error if the file must not be read.
func fit(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &Error{Reason: "it is a symbolic link, which is not followed", Fix: "put the file itself there"}
	case !info.Mode().IsRegular():
		return &Error{Reason: "it is not a regular file", Fix: "remove it, or make it a file"}
	}
	return nil
}

// withoutPath removes the path from an error, as the message has it already.
func withoutPath(err error) string {
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return file.Err.Error()
	}
	return err.Error()
}
