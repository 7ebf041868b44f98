package fingerprint

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// gitName is the directory at the top of a checkout, or the file that names it.
const gitName = ".git"

// maxLink bounds a .git file: one line with a path.
const maxLink = 1 << 14

// Worktree returns the git directory of the checkout that contains a directory: that of
// the repository, or the part of it for a linked worktree; empty if there is none. It
// starts no process.
func Worktree(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	_, git := checkoutOf(dir)
	return git
}

// checkoutOf returns the top and the git directory of the checkout that contains an absolute
// path; both are empty if there is none.
func checkoutOf(dir string) (top, git string) {
	for {
		if git := gitDir(dir); git != "" {
			return dir, git
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

// gitDir returns the git directory of the checkout whose top is top; empty if it is
// none. As for git, a directory without a HEAD does not count.
func gitDir(top string) string {
	path := filepath.Join(top, gitName)
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if !st.IsDir() {
		if path = gitLink(path); path == "" {
			return ""
		}
	}
	if _, err := os.Lstat(filepath.Join(path, "HEAD")); err != nil {
		return ""
	}
	return path
}

// gitLink reads the line "gitdir: PATH" of a file; the path may be relative to the
// file's directory.
func gitLink(file string) string {
	raw, err := readSmall(file, maxLink)
	if err != nil {
		return ""
	}
	path, ok := bytes.CutPrefix(raw, []byte("gitdir:"))
	if !ok {
		return ""
	}
	dir := strings.TrimLeft(strings.TrimRight(string(path), "\r\n"), " ")
	if dir == "" {
		return ""
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	return filepath.Clean(dir)
}

// commonDir returns the part of a git directory that all worktrees of the repository
// share.
func commonDir(gitDir string) string {
	raw, err := readSmall(filepath.Join(gitDir, "commondir"), maxLink)
	if err != nil {
		return gitDir
	}
	dir := strings.TrimRight(string(raw), "\r\n")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(gitDir, dir)
	}
	return filepath.Clean(dir)
}

// readSmall reads a regular file up to a bound. It never blocks, as on a pipe.
func readSmall(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(f, most))
}
