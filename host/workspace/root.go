package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// Root is the workspace of a command.
type Root struct {
	// Path is absolute, with symbolic links resolved.
	Path string
	// Start is the directory where the search began, also absolute and resolved.
	Start string
}

var errNotDirectory = errors.New("not a directory")

// FindRoot finds the workspace: the nearest directory, from start upwards, that holds
// one of the markers, or start itself if exact is set. The file system's root and the
// home directory are workspaces only if they are start: a stray marker there must not
// turn everything below into one project.
func FindRoot(start string, exact bool, markers []string) (Root, error) {
	abs, err := filepath.Abs(start)
	if err != nil {
		return Root{}, err
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return Root{}, &api.DirectoryError{Dir: start, Err: errors.Unwrap(err)}
	}
	if st, err := os.Stat(resolved); err != nil || !st.IsDir() {
		return Root{}, &api.DirectoryError{Dir: start, Err: errNotDirectory}
	}
	home := resolvedHome()
	missing := &api.NoProjectError{Start: resolved, Markers: markers, Exact: exact}
	for dir := resolved; ; dir = filepath.Dir(dir) {
		missing.Looked = append(missing.Looked, dir)
		if hasMarker(dir, markers) {
			return Root{Path: dir, Start: resolved}, nil
		}
		up := filepath.Dir(dir)
		if exact || up == dir || up == home || filepath.Dir(up) == up {
			return Root{Path: resolved, Start: resolved}, missing
		}
	}
}

// resolvedHome returns the home directory with symbolic links resolved, so that it can
// be compared with the parents of a resolved directory. It is empty if there is none.
func resolvedHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(home); err == nil {
		return resolved
	}
	return filepath.Clean(home)
}

// hasMarker reports whether a directory holds one of the files.
func hasMarker(dir string, markers []string) bool {
	for _, m := range markers {
		if st, err := os.Stat(filepath.Join(dir, m)); err == nil && !st.IsDir() {
			return true
		}
	}
	return false
}

// Rebase makes suite patterns that are relative to the user's directory ("./x",
// "../y/...") relative to the root, and leaves the others unchanged.
func (r Root) Rebase(patterns []string) ([]string, error) {
	rebased := make([]string, len(patterns))
	for i, p := range patterns {
		rebased[i] = p
		if p != "." && p != ".." && !strings.HasPrefix(p, "./") && !strings.HasPrefix(p, "../") {
			continue
		}
		rel, err := filepath.Rel(r.Path, filepath.Join(r.Start, filepath.FromSlash(p)))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return nil, fmt.Errorf("%s leaves the workspace %s", p, r.Path)
		}
		rebased[i] = "./" + filepath.ToSlash(rel)
		if rel == "." {
			rebased[i] = "."
		}
	}
	return rebased, nil
}
