package conform

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/sdk/plugintest/process"
)

const (
	// maxTreeFiles and maxTreeBytes bound the copy of a workspace: a small project shows
	// as much as a large one.
	maxTreeFiles = 10_000
	maxTreeBytes = 128 << 20
)

// WorkspaceError reports a workspace that cannot be copied.
type WorkspaceError struct {
	Path   string
	Reason string
}

func (e *WorkspaceError) Error() string {
	return fmt.Sprintf("workspace %s: %s; give a small project of the plugin's language", e.Path, e.Reason)
}

// copyTree copies regular files, directories and links.
func copyTree(ctx context.Context, from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return &WorkspaceError{Path: from, Reason: err.Error()}
	}
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return &WorkspaceError{Path: from, Reason: "it is not a directory"}
	}
	if from, err = filepath.EvalSymlinks(from); err != nil {
		return &WorkspaceError{Path: from, Reason: err.Error()}
	}
	files, bytes := 0, int64(0)
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || rel == "." {
			return err
		}
		if files++; files > maxTreeFiles {
			return fmt.Errorf("it has more than %d files", maxTreeFiles)
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.Mkdir(target, 0o700)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil
		}
		n, err := copyFile(path, target, maxTreeBytes-bytes)
		bytes += n
		return err
	})
	if err != nil {
		return &WorkspaceError{Path: from, Reason: err.Error()}
	}
	return nil
}

func copyFile(from, to string, room int64) (int64, error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() > room {
		return 0, fmt.Errorf("it has more than %d MiB", maxTreeBytes>>20)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, info.Size()))
	return n, errors.Join(err, out.Close())
}

// tree describes the contents of some directories, by path.
type tree map[string]string

// takeSnapshot describes what the plugin must leave alone. It ignores access times: reading
// is allowed.
func takeSnapshot(ctx context.Context, room *process.Room) (tree, error) {
	t := tree{}
	for _, d := range []struct{ name, path string }{
		{"its home", room.Home}, {"its working directory", room.Work}, {"the workspace", room.Workspace},
	} {
		err := filepath.WalkDir(d.path, func(path string, entry fs.DirEntry, err error) error {
			if err = errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			rel, err := filepath.Rel(d.path, path)
			if err != nil {
				return err
			}
			t[filepath.ToSlash(rel)+" in "+d.name], err = stateOf(path, entry)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("cannot tell what the plugin wrote: %w", err)
		}
	}
	return t, nil
}

func stateOf(path string, entry fs.DirEntry) (string, error) {
	info, err := entry.Info()
	if err != nil || !info.Mode().IsRegular() {
		return entry.Type().String() + info.Mode().Perm().String(), err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	// A plugin may create files of any size; that they exist is enough.
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxTreeBytes)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%v %d %x", info.Mode(), info.Size(), sum.Sum(nil)), nil
}

// changes describes how a tree changed into another.
func (t tree) changes(now tree) []string {
	var found []string
	for path, state := range now {
		if old, ok := t[path]; !ok {
			found = append(found, "the plugin created "+path)
		} else if old != state {
			found = append(found, "the plugin changed "+path)
		}
	}
	for path := range t {
		if _, ok := now[path]; !ok {
			found = append(found, "the plugin removed "+path)
		}
	}
	slices.Sort(found)
	return found
}
