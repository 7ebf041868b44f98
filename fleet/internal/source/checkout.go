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
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/git"
)

// Slot is a directory for one checkout at a time, used by this process alone. Its path is
// the same whatever is checked out of a repository, because compilers identify what they
// built by its path.
type Slot struct {
	// Mirrors is the directory of what was fetched, which slots share.
	Mirrors string
	// Dir is the slot's own directory.
	Dir string
	Git string
	Env []string
}

// Opener returns a pack of the store.
type Opener func(name string) ([]byte, error)

// Checkout makes the slot's checkout of a repository equal to a tree, and returns the
// directory of its tests. Ignored files that an earlier run left are removed, too: no result
// may depend on them. Nothing that the tree or an earlier run names is executed.
func (s Slot) Checkout(ctx context.Context, t Tree, open Opener) (dir string, err error) {
	if err := s.fetchAll(ctx, t, open, false); err != nil {
		return "", err
	}
	top := filepath.Join(s.Dir, key(t.Remote))
	if err := s.place(ctx, top, t); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		// What tests or a killed git have made of it is not worth repairing.
		if err := errors.Join(checkout.RemoveTree(top), checkout.RemoveTree(s.indexes())); err != nil {
			return "", fmt.Errorf("the checkout %s cannot be removed: %w", top, err)
		}
		if err := s.fetchAll(ctx, t, open, true); err != nil {
			return "", err
		}
		if err := s.place(ctx, top, t); err != nil {
			return "", err
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return "", err
	}
	defer root.Close()
	within := filepath.FromSlash(t.Within)
	if info, err := root.Stat(within); err != nil || !info.IsDir() {
		return "", fmt.Errorf("the sources have no directory %q", t.Within)
	}
	return filepath.Join(top, within), nil
}

// lockRetry is how long to wait before trying a busy lock again.
const lockRetry = 20 * time.Millisecond

// key is the name of a directory for a remote or a path.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// alone is git for a repository of the slot, without configuration.
func (s Slot) alone(dir string) git.Git {
	return git.New(s.Git, s.Env).Alone(filepath.Join(s.Dir, "home")).In(dir)
}

// indexes returns the directory of the checkouts' indexes, out of the reach of tests.
func (s Slot) indexes() string { return filepath.Join(s.Dir, "indexes") }

// place makes a directory equal to a tree. Whatever tests have made of the repository there
// is replaced, because its settings could name programs; only files are reused, where the
// index of the last place says that they are the same.
func (s Slot) place(ctx context.Context, dir string, t Tree) error {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	own := filepath.Join(dir, ".git")
	if err := errors.Join(checkout.RemoveTree(own), os.MkdirAll(own, 0o700), os.MkdirAll(s.indexes(), 0o700), os.MkdirAll(filepath.Join(s.Dir, "home"), 0o700)); err != nil {
		return err
	}
	g := s.alone(dir)
	mirror := s.mirror(t.Remote)
	from := checkout.Repository{Common: filepath.Join(mirror, ".git"), Objects: filepath.Join(mirror, ".git", "objects"), Format: t.Format}
	if err := checkout.Borrow(ctx, g, from); err != nil {
		return err
	}
	index, kept := filepath.Join(own, "index"), filepath.Join(s.indexes(), key(dir))
	if err := copyIndex(kept, index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := errors.Join(
		os.MkdirAll(filepath.Join(own, "info"), 0o700),
		os.WriteFile(filepath.Join(own, "info", "attributes"), []byte(unconverted), 0o600),
		os.WriteFile(filepath.Join(own, "HEAD"), []byte(t.Commit+"\n"), 0o600),
	); err != nil {
		return err
	}
	for _, args := range [][]string{{"read-tree", "-u", "--reset", t.State}, {"clean", "-ffdxq"}} {
		if _, err := run(ctx, g, nil, args...); err != nil {
			return err
		}
	}
	if err := copyIndex(index, kept); err != nil {
		return err
	}
	return s.placeSubmodules(ctx, dir, t)
}

// unconverted makes git write all files as they are stored, which is as they were.
const unconverted = "* -text -ident !filter !eol !crlf !working-tree-encoding\n"

// placeSubmodules places the submodules of a tree, each where the tree has a directory for
// it.
func (s Slot) placeSubmodules(ctx context.Context, dir string, t Tree) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, empty := range t.Empty {
		path := filepath.FromSlash(empty)
		info, err := root.Lstat(path)
		if err == nil && info.IsDir() && filepath.IsLocal(path) {
			err = checkout.RemoveTree(filepath.Join(dir, path)) // an earlier run may have populated it
		}
		if err == nil {
			err = root.Mkdir(path, 0o755)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, sub := range t.Submodules {
		path := filepath.FromSlash(sub.Path)
		if info, err := root.Lstat(path); err != nil || !info.IsDir() || !filepath.IsLocal(path) {
			return fmt.Errorf("the sources have no directory for the submodule %q", sub.Path)
		}
		if err := s.place(ctx, filepath.Join(dir, path), sub.Tree); err != nil {
			return fmt.Errorf("the submodule %s: %w", sub.Path, err)
		}
	}
	return nil
}

// copyIndex copies an index with its time, by which git judges what may have changed since.
func copyIndex(from, to string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err == nil {
		err = os.WriteFile(to+".new", raw, 0o600)
	}
	if err == nil {
		err = os.Chtimes(to+".new", info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(to+".new", to)
	}
	return err
}

// mirror is the directory of what was fetched from a remote.
func (s Slot) mirror(remote string) string { return filepath.Join(s.Mirrors, key(remote)) }

// fetchAll fetches a tree and its submodules, unless the mirrors have them. With verify it
// does not believe that what was once complete still is.
func (s Slot) fetchAll(ctx context.Context, t Tree, open Opener, verify bool) error {
	if err := s.fetch(ctx, t, open, verify); err != nil {
		return err
	}
	for _, sub := range t.Submodules {
		if err := s.fetchAll(ctx, sub.Tree, open, verify); err != nil {
			return fmt.Errorf("the submodule %s: %w", sub.Path, err)
		}
	}
	return nil
}

// fetch fetches a tree into the mirror of its remote.
func (s Slot) fetch(ctx context.Context, t Tree, open Opener, verify bool) (err error) {
	mirror := s.mirror(t.Remote)
	if err := errors.Join(os.MkdirAll(mirror, 0o700), os.MkdirAll(filepath.Join(s.Dir, "home"), 0o700)); err != nil {
		return err
	}
	lock := flock.New(mirror + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("%s cannot be locked: %w", lock.Path(), err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	g := s.alone(mirror)
	_, err = os.Stat(filepath.Join(mirror, ".git", "HEAD"))
	made := err == nil
	// A pack may have come without what it builds upon, so only a state that was once
	// complete counts as present. Reading the state fails if it is not there any more, but
	// nothing reads the commit.
	mark := filepath.Join(mirror, ".git", "whole", key(t.State))
	if _, err := os.Stat(mark); err == nil && has(ctx, g, t.Commit) && (!verify || has(ctx, g, t.State)) {
		return nil
	}
	if t.Local {
		from, err := checkout.Open(ctx, git.New(s.Git, s.Env), t.Remote)
		if err == nil {
			err = checkout.Borrow(ctx, g, from)
		}
		if err != nil {
			return err
		}
	} else if !made {
		if _, err := run(ctx, g, nil, "init", "--quiet", "--template=", "--object-format="+t.Format, "."); err != nil {
			return err
		}
	}
	var ferr error // the pack may have what the remote does not give
	if !t.Local && !isWhole(ctx, g, t.Commit) {
		if ferr = s.fetchCommit(ctx, mirror, t); ferr != nil && t.Pack == "" {
			return ferr
		}
	}
	if t.Pack != "" {
		pack, err := open(t.Pack)
		if err != nil {
			return err
		}
		if _, err := run(ctx, g, bytes.NewReader(pack), "index-pack", "--stdin", "--fix-thin", "--max-input-size="+strconv.Itoa(maxPack)); err != nil {
			return fmt.Errorf("the pack with what %s lacks does not fit what it has: %w", t.Remote, errors.Join(err, ferr))
		}
	}
	if !has(ctx, g, t.Commit) || !isWhole(ctx, g, t.State) {
		return errors.Join(fmt.Errorf("%s has no commit %s", t.Remote, t.Commit), ferr)
	}
	if err := checkout.CheckSize(ctx, g, t.State); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(mark), 0o700), os.WriteFile(mark, nil, 0o600))
}

// fetchCommit fetches a commit, or all branches and tags if the server refuses to send it
// by its name.
func (s Slot) fetchCommit(ctx context.Context, mirror string, t Tree) error {
	one := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--end-of-options", t.Remote}
	_, err := output(s.fetching(ctx, mirror, append(one, t.Commit)...), nil)
	if err != nil && ctx.Err() == nil {
		_, err = output(s.fetching(ctx, mirror, append(one, "+refs/heads/*:refs/fleet/heads/*", "+refs/tags/*:refs/fleet/tags/*")...), nil)
	}
	return err
}

// has reports whether a repository has a commit.
func has(ctx context.Context, g git.Git, commit string) bool {
	_, err := g.Line(ctx, "cat-file", "-e", commit+"^{tree}")
	return err == nil
}

// isWhole reports whether a repository has a commit with all of its files.
func isWhole(ctx context.Context, g git.Git, commit string) bool {
	_, err := run(ctx, g, nil, "rev-list", "--objects", "--no-walk", "--quiet", "--end-of-options", commit)
	return err == nil
}

// protocols are those that start no program that a remote's name could choose.
const protocols = "file:git:http:https:ssh"

// fetching is git with the worker's own configuration, which has its credentials, in a
// repository of ours. It asks nobody at a terminal.
func (s Slot) fetching(ctx context.Context, dir string, args ...string) *exec.Cmd {
	args = append([]string{"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)
	cmd := exec.CommandContext(ctx, s.Git, args...)
	cmd.Dir = dir
	allowed := protocols
	cmd.Env = slices.DeleteFunc(slices.Clone(s.Env), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		if name == "GIT_ALLOW_PROTOCOL" {
			allowed = value
		}
		return name == "GIT_ALLOW_PROTOCOL" || name == "GIT_DIR" || name == "GIT_INDEX_FILE" || name == "GIT_WORK_TREE" || name == "GIT_OBJECT_DIRECTORY"
	})
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_ALLOW_PROTOCOL="+allowed)
	return cmd
}
