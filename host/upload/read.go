package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// maxDirs bounds the walk through a directory: 500 files of maximal depth have fewer
// directories.
const maxDirs = 20_000

// readFiles reads a source set: a directory, or a file that ends in .json and holds an
// object of paths and contents. The set is checked, see [checkFiles], and sorted by path. A
// problem with the set is a [*refusedError]; an unreadable path is an [*fs.PathError].
func readFiles(ctx context.Context, name string) ([]sdk.SourceFile, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	var files []sdk.SourceFile
	switch {
	case info.IsDir():
		files, err = readDir(ctx, name)
	case info.Mode().IsRegular() && strings.HasSuffix(name, ".json"):
		files, err = readJSON(name)
	default:
		return nil, &refusedError{Rule: fmt.Sprintf("%q is neither a directory nor a .json file", name), Fix: "name one of these"}
	}
	if err != nil {
		return nil, err
	}
	return files, checkFiles(files)
}

// readDir reads the regular files below a directory, sorted by name.
func readDir(ctx context.Context, dir string) ([]sdk.SourceFile, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var files []sdk.SourceFile
	size, dirs := 0, 0
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case (name == ".git" || name == ".proctor") && entry.IsDir():
			return fs.SkipDir // the history of the sources, and the records of their runs, are not sources
		case name == ".git" && entry.Type().IsRegular():
			return nil // in a worktree it is a file
		case entry.IsDir():
			if dirs++; dirs > maxDirs {
				return tooMany()
			}
			// Hidden directories could take long to walk, only to be refused.
			if name != "." {
				return checkPath(name)
			}
			return nil
		case len(files) == maxFiles:
			return tooMany()
		}
		content, err := readFile(root, name, entry, sdk.MaxSources-size)
		if err != nil {
			return err
		}
		size += len(content)
		files = append(files, sdk.SourceFile{Path: name, Content: content})
		return nil
	})
	return files, err
}

// readFile reads one file of at most room bytes.
func readFile(root *os.Root, name string, entry fs.DirEntry, room int) ([]byte, error) {
	if err := checkRegular(name, entry.Type()); err != nil {
		return nil, err
	}
	// It may have been replaced since it was listed, by a pipe that would block.
	f, err := root.OpenFile(name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = checkRegular(name, info.Mode().Type())
	}
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, int64(room)+1))
	if err == nil && len(content) > room {
		err = tooLarge()
	}
	return content, err
}

func checkRegular(name string, mode fs.FileMode) error {
	switch {
	case mode&fs.ModeSymlink != 0:
		return &refusedError{File: name, Rule: "it is a symbolic link", Fix: "put the file itself there"}
	case mode != 0:
		return &refusedError{File: name, Rule: "it is not a regular file", Fix: "leave it out"}
	}
	return nil
}

// isRefused reports whether err means that the sources are unacceptable, as opposed to
// a failure of the machine.
func isRefused(err error) bool {
	var refused *refusedError
	var file *fs.PathError
	return errors.As(err, &refused) || errors.As(err, &file)
}
