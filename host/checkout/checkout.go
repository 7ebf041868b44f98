package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/git"
)

// Config says what to check out.
type Config struct {
	// Git is the path of git.
	Git string
	// Env is the user's environment.
	Env []string
	// Dir is the workspace: a directory in a working tree, absolute, with symbolic
	// links resolved.
	Dir string
	// Commit is the full name of the commit; see [Resolve].
	Commit string
	// Temp is the parent of temporary directories; empty means the system's.
	Temp string
}

// Checkout is a clean checkout of a commit. It holds the whole repository, as tests may
// read beyond their project.
type Checkout struct {
	// Root is the workspace in the checkout. Successive checkouts of a workspace have
	// the same Root, because build caches key on paths.
	Root string
	// Cache is a directory beside the checkout.
	Cache string
	// Lacks names what a checkout by the user would have and this one does not.
	Lacks []string
	// Linked names ignored files of the working tree that the checkout links to: tests that
	// write there write into the working tree. Copied counts ignored files that were
	// copied.
	Linked []string
	Copied int

	slot *slot
}

// maxLacks bounds the list of what is missing.
const maxLacks = 50

// New checks out a commit. The caller must remove the checkout. The error is a
// [*RepositoryError], a [*git.Error], or one of the file system.
func New(ctx context.Context, cfg Config) (c *Checkout, err error) {
	repo, err := Open(ctx, git.New(cfg.Git, cfg.Env), cfg.Dir)
	if err != nil {
		return nil, err
	}
	within, err := filepath.Rel(repo.Top, cfg.Dir)
	if err != nil || !filepath.IsLocal(within) {
		return nil, &RepositoryError{Dir: cfg.Dir, Detail: "its working tree is " + repo.Top}
	}
	s, err := takeSlot(ctx, cfg.Temp, cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("the directory of a temporary checkout: %w; make the directory for temporary files writable, or set TMPDIR", err)
	}
	c = &Checkout{slot: s, Cache: s.cache(), Root: filepath.Join(s.tree(), within)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Remove())
			c = nil
		}
	}()
	if err := c.place(ctx, repo, cfg.Commit, s.tree(), "", 0); err != nil {
		return c, err
	}
	if _, err := os.Stat(c.Root); err != nil {
		return c, nil // the commit lacks that directory: nothing can run there
	}
	return c, c.carryIgnored(ctx, repo, within)
}

// Remove removes the checkout, whatever its tests made of it. It may be called more
// than once.
func (c *Checkout) Remove() error {
	if err := c.slot.release(); err != nil {
		return fmt.Errorf("the temporary checkout could not be removed: %w; remove it by hand", err)
	}
	return nil
}

func (c *Checkout) noteLack(what string) {
	if len(c.Lacks) < maxLacks {
		c.Lacks = append(c.Lacks, what)
	}
}

// RemoveTree removes a directory that may contain inaccessible ones.
func RemoveTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer parent.Close()
	info, err := parent.Lstat(filepath.Base(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		unlock(parent, info)
	}
	return parent.RemoveAll(info.Name())
}

// unlock makes the directories below one accessible, top down. It follows no links.
func unlock(parent *os.Root, dir fs.FileInfo) {
	_ = parent.Chmod(dir.Name(), 0o700)
	root, err := parent.OpenRoot(dir.Name())
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
}
