package lock

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the path of the project's lock file that applies in a directory: the
// nearest one, going up to the directory that holds .git, or to the file system's root
// if none does; empty if there is none. A lock file of another user, or that others may
// write to, is an error: whoever can write to a directory above could choose the
// plugins. It is not an error if it gives nobody more than the directory itself does:
// the directory's owner may own the lock file, and a directory that is open to all,
// such as a shared folder of a virtual machine, may have an open one. Links, and what
// cannot be examined, are errors.
func Find(dir string) (string, error) {
	found := ""
	_, _, err := visitUpwards(dir, func(start, at string) (stop bool, err error) {
		path := filepath.Join(at, ProjectFile)
		info, err := statRegular(path)
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

// Place returns where to create a project's lock file for a directory: beside .git,
// going up from there, else in the directory itself.
func Place(dir string) (string, error) {
	root, err := Root(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(root, ProjectFile), nil
}

// Root returns the directory of the project that contains a directory, without links in
// its path: the one that holds .git, going up from there, else the directory itself.
func Root(dir string) (string, error) {
	start, root, err := visitUpwards(dir, func(string, string) (bool, error) { return false, nil })
	if err == nil && root == "" {
		root = start
	}
	return root, err
}

// visitUpwards visits a directory and its parents, up to the one that holds .git, until
// visit says to stop. root is that directory, empty if it was not reached or does not
// exist; start is dir without links in its path.
func visitUpwards(dir string, visit func(start, at string) (stop bool, err error)) (start, root string, err error) {
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
