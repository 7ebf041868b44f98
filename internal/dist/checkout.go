package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// checkout is a clone of a commit. A release is built in a clone because the go command
// silently omits the commit in a git worktree, and because uncommitted changes must not
// get into a release.
type checkout struct {
	dir, commit string
	// uncommitted reports whether the original has changes that are not in the commit.
	uncommitted bool
}

// checkOut clones the commit that is checked out in dir, with its tags: the version of a
// release is its tag.
func checkOut(ctx context.Context, dir string) (*checkout, error) {
	commit, err := output(ctx, dir, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	changes, err := output(ctx, dir, nil, "git", "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	top, err := output(ctx, dir, nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	clone, err := os.MkdirTemp("", "proctor-dist-")
	if err != nil {
		return nil, err
	}
	c := &checkout{dir: clone, commit: commit, uncommitted: changes != ""}
	if _, err := output(ctx, top, nil, "git", "clone", "--quiet", "--shared", "--no-checkout", top, clone); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	if _, err := output(ctx, clone, nil, "git", "checkout", "--quiet", "--detach", commit); err != nil {
		return nil, errors.Join(err, c.remove())
	}
	return c, nil
}

func (c *checkout) remove() error { return os.RemoveAll(c.dir) }

// read reads a file of the commit.
func (c *checkout) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
}

// output returns what a command prints, without the white space around it. env is added to
// the environment.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
