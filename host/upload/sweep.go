package upload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// leftAfter is the age from which a temporary directory cannot belong to a run in
	// progress any more: runs take some hours at most.
	leftAfter = 24 * time.Hour
	// maxSwept bounds how many left directories an upload removes.
	maxSwept = 20
)

// sweep removes what killed runs left behind, ignoring errors. Since other users may be
// able to write to the parent, it touches only directories that own accepts, and does not
// open them by path.
func sweep(ctx context.Context, parent string, now time.Time, own func(fs.FileInfo) bool) {
	root, err := os.OpenRoot(parent)
	if err != nil {
		return
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return
	}
	swept := 0
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		info, err := root.Lstat(entry.Name())
		if err != nil || !info.IsDir() || now.Sub(info.ModTime()) < leftAfter || !own(info) {
			continue
		}
		if swept++; swept > maxSwept || ctx.Err() != nil {
			return
		}
		_ = removeTree(root, info)
	}
}

// removeDir removes a directory of ours by its path.
func removeDir(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return removeTree(root, info)
}

// removeTree removes a directory of parent whose subdirectories may be inaccessible.
func removeTree(parent *os.Root, dir fs.FileInfo) error {
	if parent.RemoveAll(dir.Name()) == nil {
		return nil
	}
	root, err := enter(parent, dir)
	if err != nil {
		return err
	}
	// Directories become accessible on the way down, before they are listed.
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	root.Close()
	return parent.RemoveAll(dir.Name())
}

// enter opens a directory that was seen in parent. It fails if the directory has been
// replaced, for example by a link to somebody's files.
func enter(parent *os.Root, dir fs.FileInfo) (*os.Root, error) {
	root, err := parent.OpenRoot(dir.Name())
	if err != nil {
		return nil, err
	}
	entered, err := root.Stat(".")
	if err == nil && !os.SameFile(dir, entered) {
		err = fmt.Errorf("%s has become another directory", dir.Name())
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}
