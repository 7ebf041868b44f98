package template

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// place writes files into a directory that does not exist or is empty.
func place(ctx context.Context, dir string, all []file) (err error) {
	exists, err := checkEmpty(dir)
	if err != nil {
		return err
	}
	parent := filepath.Dir(dir)
	if exists {
		parent = dir
	} else if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("making %s: %w", parent, err)
	}
	stage, err := os.MkdirTemp(parent, ".new-plugin-*")
	if err != nil {
		return fmt.Errorf("making a directory: %w", err)
	}
	defer os.RemoveAll(stage)
	for _, f := range all {
		if err := errors.Join(ctx.Err(), write(stage, f)); err != nil {
			return err
		}
	}
	if exists {
		return move(stage, dir)
	}
	if err := os.Chmod(stage, 0o755); err != nil {
		return err
	}
	return os.Rename(stage, dir)
}

// checkEmpty reports whether a directory exists; it is an error if it is not empty.
func checkEmpty(dir string) (exists bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("reading %s: %w", dir, err)
	case len(entries) > 0:
		return true, fmt.Errorf("%s is not empty, it has %s in it: name another directory with --dir", dir, entries[0].Name())
	}
	return true, nil
}

func write(root string, f file) error {
	target := filepath.Join(root, filepath.FromSlash(f.path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("making a directory for %s: %w", f.path, err)
	}
	if err := os.WriteFile(target, f.content, f.mode); err != nil {
		return fmt.Errorf("writing %s: %w", f.path, err)
	}
	return nil
}

// move moves everything from one directory into another, which may be somebody's
// working directory and so is not replaced. After an error everything is moved back.
func move(from, to string) (err error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	var moved []string
	defer func() {
		if err != nil {
			for _, name := range moved {
				err = errors.Join(err, os.RemoveAll(filepath.Join(to, name)))
			}
		}
	}()
	for _, entry := range entries {
		if err := os.Rename(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
		moved = append(moved, entry.Name())
	}
	return nil
}
