package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Slot is a directory in which one checkout at a time stands, for this process alone. Its
// path is the same whatever is checked out of a repository, as compilers identify what
// they built by its path.
type Slot struct {
	// Mirrors is the directory of what was fetched, which slots share.
	Mirrors string
	// Dir is the slot's own directory.
	Dir string
	Git string
	Env []string
}

// Checkout makes the slot's checkout of a repository equal to a tree, and returns the
// directory of its tests. open returns the pack of the tree. Ignored files that an earlier
// run left are removed, too: no result may depend on them.
func (s Slot) Checkout(ctx context.Context, t Tree, open func() ([]byte, error)) (dir string, err error) {
	mirror, err := s.fetch(ctx, t, open)
	if err != nil {
		return "", err
	}
	tree := filepath.Join(s.Dir, key(t.Remote))
	if err := s.place(ctx, tree, mirror, t); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		// What tests or a killed git have made of it is not worth a repair.
		if err := removeTree(tree); err != nil {
			return "", fmt.Errorf("the checkout %s cannot be removed: %w", tree, err)
		}
		if err := s.place(ctx, tree, mirror, t); err != nil {
			return "", err
		}
	}
	return filepath.Join(tree, filepath.FromSlash(t.Within)), nil
}

// lockRetry is how long to wait before trying a busy lock again.
const lockRetry = 20 * time.Millisecond

// key is the name of a directory for a remote.
func key(remote string) string {
	sum := sha256.Sum256([]byte(remote))
	return hex.EncodeToString(sum[:8])
}

// place checks out a tree.
func (s Slot) place(ctx context.Context, tree, mirror string, t Tree) error {
	if _, err := os.Stat(filepath.Join(tree, ".git")); err != nil {
		if err := os.MkdirAll(tree, 0o700); err != nil {
			return err
		}
		if err := s.git(ctx, tree, "init", "--quiet", "--template=", "."); err != nil {
			return err
		}
	}
	own := filepath.Join(tree, ".git")
	if err := os.Remove(filepath.Join(own, "index.lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // of a git that was killed: the slot is ours
	}
	info := filepath.Join(own, "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(info, "alternates"), []byte(filepath.Join(mirror, "objects")+"\n"), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"-c", "advice.detachedHead=false", "checkout", "--quiet", "--force", "--detach", t.Commit},
		{"read-tree", "-u", "--reset", t.State},
		{"clean", "-ffdxq"},
	} {
		if err := s.git(ctx, tree, args...); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(tree, ".gitmodules")); err == nil {
		return s.git(ctx, tree, "-c", "remote.origin.url="+t.Remote, "submodule", "update", "--quiet", "--init", "--recursive", "--force")
	}
	return nil
}

// fetch fetches a tree into the mirror of its remote.
func (s Slot) fetch(ctx context.Context, t Tree, open func() ([]byte, error)) (mirror string, err error) {
	mirror = filepath.Join(s.Mirrors, key(t.Remote)+".git")
	if err := os.MkdirAll(s.Mirrors, 0o700); err != nil {
		return "", err
	}
	lock := flock.New(mirror + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return "", fmt.Errorf("%s cannot be locked: %w", lock.Path(), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if _, err := os.Stat(filepath.Join(mirror, "HEAD")); err != nil {
		if err := s.git(ctx, s.Mirrors, "init", "--quiet", "--bare", "--template=", mirror); err != nil {
			return "", err
		}
	}
	if s.has(ctx, mirror, t.State) {
		return mirror, nil
	}
	if !s.has(ctx, mirror, t.Commit) {
		if err := s.fetchCommit(ctx, mirror, t); err != nil && t.Pack == "" {
			return "", err
		}
	}
	if t.Pack != "" {
		pack, err := open()
		if err != nil {
			return "", err
		}
		cmd := s.command(ctx, mirror, "index-pack", "--stdin", "--fix-thin")
		if _, err := output(cmd, bytes.NewReader(pack)); err != nil {
			return "", fmt.Errorf("the pack with what %s lacks does not fit what it has: %w", t.Remote, err)
		}
	}
	if !s.has(ctx, mirror, t.State) {
		return "", fmt.Errorf("%s has no commit %s", t.Remote, t.Commit)
	}
	return mirror, nil
}

// fetchCommit fetches a commit; from a server that does not give it by its name, all
// branches and tags.
func (s Slot) fetchCommit(ctx context.Context, mirror string, t Tree) error {
	// A repository on this machine gives what it has.
	const pack = "git -c uploadpack.allowAnySHA1InWant=true upload-pack"
	one := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head"}
	if filepath.IsAbs(t.Remote) {
		one = append(one, "--upload-pack", pack)
	}
	err := s.git(ctx, mirror, append(one, "--end-of-options", t.Remote, t.Commit)...)
	if err != nil && ctx.Err() == nil {
		err = s.git(ctx, mirror, "fetch", "--quiet", "--no-write-fetch-head", "--end-of-options", t.Remote, "+refs/heads/*:refs/fleet/*")
	}
	return err
}

// has reports whether a repository has a commit with all that it needs here.
func (s Slot) has(ctx context.Context, dir, commit string) bool {
	return s.git(ctx, dir, "cat-file", "-e", commit+"^{tree}") == nil
}

// git runs git, which may ask a remote with the worker's credentials, but nobody at a
// terminal.
func (s Slot) git(ctx context.Context, dir string, args ...string) error {
	_, err := output(s.command(ctx, dir, args...), nil)
	return err
}

func (s Slot) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	args = append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.hooksPath=/dev/null"}, args...)
	cmd := exec.CommandContext(ctx, s.Git, args...)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool {
		return strings.HasPrefix(v, "GIT_DIR=") || strings.HasPrefix(v, "GIT_INDEX_FILE=") || strings.HasPrefix(v, "GIT_WORK_TREE=")
	})
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	return cmd
}

// removeTree removes a directory whose subdirectories may be inaccessible.
func removeTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// Top down: a directory is entered after it was made accessible.
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
