package lock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the path of the project's lock file that counts in a directory:
// the nearest one, from there upwards to the directory that holds .git, or to the
// root of the file system where none does. Empty is none. One that belongs to
// another user, or that others may write to, is an error: whoever can write into a
// directory above could choose the plugins. It is none where it gives nobody more
// than the directory itself does: its owner may own the lock file, and a directory
// that is open to all, as shared folders of virtual machines are, may have one that
// is. A link is an error, and so is what cannot be looked at.
func Find(dir string) (string, error) {
	found := ""
	_, _, err := upwards(dir, func(start, at string) (stop bool, err error) {
		path := filepath.Join(at, ProjectFile)
		info, err := regular(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err == nil {
			err = trusted(path, info, start)
		}
		if err == nil {
			found = path
		}
		return true, err
	})
	if err != nil {
		return "", err
	}
	return found, nil
}

// Place is where a project's lock file is made that is to count in a directory: where
// .git is, from there upwards, else in the directory itself.
func Place(dir string) (string, error) {
	root, err := Root(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(root, ProjectFile), nil
}

// Root is the directory of the project that a directory is in, without links in its
// path: the one that holds .git, from there upwards, else the directory itself.
func Root(dir string) (string, error) {
	start, root, err := upwards(dir, func(string, string) (bool, error) { return false, nil })
	if err == nil && root == "" {
		root = start
	}
	return root, err
}

// upwards visits a directory and those above it, as far as the one that holds .git,
// until visit says to stop. root is that directory, empty where it did not come so
// far or there is none; start is dir without links in its path.
func upwards(dir string, visit func(start, at string) (stop bool, err error)) (start, root string, err error) {
	start, err = filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err != nil {
		return "", "", &Error{Path: dir, Reason: "it cannot be searched for " + ProjectFile + ": " + err.Error(), Err: err}
	}
	for at := start; ; at = filepath.Dir(at) {
		if stop, err := visit(start, at); stop || err != nil {
			return start, "", err
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); !errors.Is(err, fs.ErrNotExist) {
			return start, at, nil
		}
		if at == filepath.Dir(at) {
			return start, "", nil
		}
	}
}
