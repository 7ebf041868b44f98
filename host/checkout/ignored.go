package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxIgnored bounds how many ignored files and directories are examined; a whole
	// directory counts as one.
	maxIgnored = 10_000
	// copyBytes and copyFiles bound what is copied in total: a second's work.
	copyBytes = 256 << 20
	copyFiles = 20_000
)

// recordsName is where a workspace has its records, which are not part of it.
const recordsName = ".proctor"

// carryIgnored puts ignored files into the checkout, since tests would find them in the
// working tree: small ones that are likely needed as copies, others as links.
func (c *Checkout) carryIgnored(ctx context.Context, from Repository, within string) error {
	var near, far []string
	total := 0
	err := from.Git.Each(ctx, func(name string) bool {
		if total++; total > maxIgnored {
			return false
		}
		if name = strings.TrimSuffix(name, "/"); !isCarried(name) {
			return true
		}
		if isNear(name, filepath.ToSlash(within)) {
			near = append(near, name)
		} else {
			far = append(far, name)
		}
		return true
	}, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		c.noteLack("the files that git ignores: " + err.Error())
		return nil
	}
	if total > maxIgnored {
		c.noteLack(fmt.Sprintf("some of the files that git ignores: there are more than %d", maxIgnored))
	}
	source, err := os.OpenRoot(from.Top)
	if err != nil {
		return err
	}
	defer source.Close()
	into, err := os.OpenRoot(c.slot.tree())
	if err != nil {
		return err
	}
	defer into.Close()
	t := transfer{checkout: c, top: from.Top, from: source, into: into, files: copyFiles, bytes: copyBytes}
	slices.SortStableFunc(near, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, name := range near {
		if err := t.put(ctx, name, true); err != nil {
			return err
		}
	}
	for _, name := range far {
		if err := t.put(ctx, name, false); err != nil {
			return err
		}
	}
	return nil
}

// isCarried reports whether an ignored path belongs in a checkout.
func isCarried(name string) bool {
	parts := strings.Split(name, "/")
	return filepath.IsLocal(filepath.FromSlash(name)) && !slices.Contains(parts, recordsName) &&
		!slices.ContainsFunc(parts, func(part string) bool { return strings.EqualFold(part, ".git") })
}

// isNear reports whether a path is in the workspace, or directly in a directory above it,
// where tools look for installed dependencies.
func isNear(name, within string) bool {
	above := path.Dir(name)
	return within == "." || above == "." || strings.HasPrefix(name, within+"/") || strings.HasPrefix(within+"/", above+"/")
}

// transfer puts files of the working tree into a checkout.
type transfer struct {
	checkout   *Checkout
	top        string
	from, into *os.Root
	// files and bytes are what may still be copied.
	files int
	bytes int64
}

// put copies or links one path. It does not replace files of the commit.
func (t *transfer) put(ctx context.Context, slashed string, small bool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	name := filepath.FromSlash(slashed)
	info, err := t.from.Lstat(name)
	if err != nil {
		return nil // gone meanwhile
	}
	if _, err := t.into.Lstat(name); err == nil {
		return nil
	}
	if err := t.into.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.checkout.noteLack(slashed + ", which git ignores: " + err.Error())
		return nil
	}
	if !info.IsDir() && !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink {
		return nil // a socket or similar, which cannot be copied
	}
	if small && info.Mode().Type() != fs.ModeSymlink && t.charge(name) {
		switch err := t.copy(ctx, name); {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			t.checkout.Copied++
			return nil
		}
		if err := RemoveTree(filepath.Join(t.checkout.slot.tree(), name)); err != nil {
			return err
		}
	}
	if err := t.into.Symlink(filepath.Join(t.top, name), name); err != nil {
		t.checkout.noteLack(slashed + ", which git ignores: " + err.Error())
		return nil
	}
	t.checkout.Linked = append(t.checkout.Linked, slashed)
	return nil
}

// errTooMuch stops measuring what is too large to copy.
var errTooMuch = errors.New("too much to be copied")

// charge charges a file or directory to the budget, and reports whether it may be copied.
func (t *transfer) charge(name string) bool {
	files, bytes := t.files, t.bytes
	err := fs.WalkDir(t.from.FS(), filepath.ToSlash(name), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || isRepository(entry) {
			return skipEntry(entry, err)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if files--; info.Mode().IsRegular() {
			bytes -= info.Size()
		}
		if files < 0 || bytes < 0 {
			return errTooMuch
		}
		return nil
	})
	if err != nil {
		return false
	}
	t.files, t.bytes = files, bytes
	return true
}

func (t *transfer) copy(ctx context.Context, name string) error {
	return fs.WalkDir(t.from.FS(), filepath.ToSlash(name), func(slashed string, entry fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || isRepository(entry) {
			return skipEntry(entry, errors.Join(err, ctx.Err()))
		}
		name := filepath.FromSlash(slashed)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case info.IsDir():
			return t.into.Mkdir(name, 0o755)
		case info.Mode().Type() == fs.ModeSymlink:
			target, err := t.from.Readlink(name)
			if err != nil {
				return err
			}
			return t.into.Symlink(target, name)
		case info.Mode().IsRegular():
			return t.copyFile(name, info)
		}
		return nil
	})
}

// isRepository reports whether an entry is git's own: a copy could lead git to the
// user's repository.
func isRepository(entry fs.DirEntry) bool {
	return entry != nil && strings.EqualFold(entry.Name(), ".git")
}

func skipEntry(entry fs.DirEntry, err error) error {
	if err == nil && entry.IsDir() {
		return fs.SkipDir
	}
	return err
}

func (t *transfer) copyFile(name string, info fs.FileInfo) error {
	from, err := t.from.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	if st, err := from.Stat(); err != nil || !st.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a regular file any more", name))
	}
	into, err := t.into.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(into, io.LimitReader(from, info.Size()))
	// Build tools compare times.
	return errors.Join(err, into.Close(), t.into.Chtimes(name, info.ModTime(), info.ModTime()))
}
