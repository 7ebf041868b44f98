package upload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// prefix begins the names of throw-away directories.
const prefix = "proctor-upload-"

// Dir is the throw-away directory of an upload. Its subdirectories are for
// different eyes: Records and Machine are kept from the tests.
type Dir struct {
	// Path is absolute, symbolic links resolved.
	Path string
}

// The places in a Dir.
func (d *Dir) Workspace() string { return filepath.Join(d.Path, "work") }    // the sources
func (d *Dir) Home() string      { return filepath.Join(d.Path, "home") }    // the tests' home
func (d *Dir) Temp() string      { return filepath.Join(d.Path, "tmp") }     // the tests' temporary files
func (d *Dir) Inputs() string    { return filepath.Join(d.Path, "inputs") }  // files that a command is given
func (d *Dir) Machine() string   { return filepath.Join(d.Path, "machine") } // what a sandbox shows as the system's files
func (d *Dir) Records() string   { return filepath.Join(d.Path, "records") } // of the run

// NewDir makes a throw-away directory below parent, or below the system's
// directory for temporary files. What runs that were killed left there is
// removed when it is a day old.
func NewDir(ctx context.Context, parent string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(ctx, parent, time.Now())
	made, err := os.MkdirTemp(parent, prefix+"*") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("the throw-away directory of an upload: %w; see that the directory can be written, or set TMPDIR", err)
	}
	d := &Dir{Path: made}
	if d.Path, err = filepath.EvalSymlinks(made); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	for _, sub := range []string{d.Workspace(), d.Home(), d.Temp(), d.Inputs(), d.Machine(), d.Records()} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return nil, errors.Join(err, d.Remove())
		}
	}
	return d, nil
}

// Write writes the files of a set and what a plugin puts around them. mounts
// are paths at which directories will appear. A file that would be in the place
// of another is an [*Error], and nothing is written.
func (d *Dir) Write(sources, around []sdk.SourceFile, mounts []string) error {
	var paths []string
	own := map[string]bool{}
	for _, f := range sources {
		paths = append(paths, f.Path)
		own[fold(f.Path)] = true
	}
	for _, f := range around {
		if own[fold(f.Path)] {
			return &Error{File: f.Path, Rule: "the plugin makes this file itself", Fix: "leave it out"}
		}
		paths = append(paths, f.Path)
	}
	if err := checkTree(append(paths, mounts...)); err != nil {
		return err
	}
	root, err := os.OpenRoot(d.Workspace())
	if err != nil {
		return err
	}
	defer root.Close()
	for _, list := range [][]sdk.SourceFile{sources, around} {
		for _, f := range list {
			if err := write(root, f); err != nil {
				return fmt.Errorf("write the sources: %w", err)
			}
		}
	}
	return nil
}

func write(root *os.Root, f sdk.SourceFile) error {
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return err
	}
	file, err := root.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Content)
	return errors.Join(err, file.Close())
}

// Remove removes the directory, also what its tests made hard to remove.
func (d *Dir) Remove() error {
	if err := removeAll(d.Path); err != nil {
		return fmt.Errorf("the throw-away directory of an upload could not be removed: %w; remove it by hand", err)
	}
	return nil
}

// removeAll removes a tree in which directories may be closed to us.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	// Directories are opened on the way down, before they are listed.
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	root.Close()
	return os.RemoveAll(dir)
}

const (
	// leftAfter is when a throw-away directory can be no running run's: a run is
	// over in half an hour.
	leftAfter = 24 * time.Hour
	// maxSwept bounds what one upload removes of others.
	maxSwept = 20
)

// sweep removes what killed runs left behind. It is a courtesy: what cannot be
// removed stays.
func sweep(ctx context.Context, parent string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	swept := 0
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		info, err := entry.Info()
		if err != nil || now.Sub(info.ModTime()) < leftAfter {
			continue
		}
		if swept++; swept > maxSwept || ctx.Err() != nil {
			return
		}
		_ = removeAll(filepath.Join(parent, entry.Name()))
	}
}
