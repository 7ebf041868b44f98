package upload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// prefix begins the names of temporary directories.
const prefix = "proctor-upload-"

// workDir is the temporary directory of an upload. The tests do not see its subdirectories
// records and machine.
type workDir struct {
	// path is absolute, with symbolic links resolved.
	path string
}

// The places in a workDir.
func (d *workDir) workspace() string { return filepath.Join(d.path, "work") }    // the sources
func (d *workDir) home() string      { return filepath.Join(d.path, "home") }    // the tests' home
func (d *workDir) temp() string      { return filepath.Join(d.path, "tmp") }     // the tests' temporary files
func (d *workDir) inputs() string    { return filepath.Join(d.path, "inputs") }  // files given to a command
func (d *workDir) machine() string   { return filepath.Join(d.path, "machine") } // what a sandbox shows as the system's files
func (d *workDir) records() string   { return filepath.Join(d.path, "records") } // of the run

// newWorkDir creates a temporary directory below parent, or below the system's. It removes
// what killed runs left there a day ago or earlier.
func newWorkDir(ctx context.Context, parent string) (*workDir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(ctx, parent, time.Now(), owned)
	made, err := os.MkdirTemp(parent, prefix+"*") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("the throw-away directory of an upload: %w; see that the directory can be written, or set TMPDIR", err)
	}
	d := &workDir{path: made}
	if d.path, err = filepath.EvalSymlinks(made); err != nil {
		return nil, errors.Join(err, os.RemoveAll(made))
	}
	for _, sub := range []string{d.workspace(), d.home(), d.temp(), d.inputs(), d.machine(), d.records()} {
		if err := os.Mkdir(sub, 0o700); err != nil {
			return nil, errors.Join(err, d.remove())
		}
	}
	return d, nil
}

// write writes the files of a set and those that a plugin adds. mounts are paths at which
// directories will appear. If two of all these have the same path, the error is a
// [*refusedError], and nothing is written.
func (d *workDir) write(sources, around []sdk.SourceFile, mounts []string) error {
	var paths []string
	own := map[string]bool{}
	for _, f := range sources {
		paths = append(paths, f.Path)
		own[foldName(f.Path)] = true
	}
	for _, f := range around {
		if own[foldName(f.Path)] {
			return &refusedError{File: f.Path, Rule: "the plugin makes this file itself", Fix: "leave it out"}
		}
		paths = append(paths, f.Path)
	}
	if err := checkTree(append(paths, mounts...)); err != nil {
		return err
	}
	root, err := os.OpenRoot(d.workspace())
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

// remove removes the directory, including what its tests made hard to remove.
func (d *workDir) remove() error {
	if err := removeDir(d.path); err != nil {
		return fmt.Errorf("the throw-away directory of an upload could not be removed: %w; remove it by hand", err)
	}
	return nil
}
