package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/sdk"
)

const (
	// scratchPattern names scratch directories among all temporary files.
	scratchPattern = "proctor-scratch-*"
	// scratchLock is held in each as long as its command goes on.
	scratchLock = ".lock"
)

// writeScratch makes the scratch directory of a command that has inputs or leaves
// coverage, in the directory parent; empty is that for temporary files, in which those
// of killed processes are removed.
func writeScratch(parent string, cmd sdk.Command) (string, func(), error) {
	if len(cmd.Inputs) == 0 && !cmd.Covers {
		return "", func() {}, nil
	}
	if parent == "" {
		sweepScratch(os.TempDir())
	}
	dir, cleanup, err := makeScratch(parent, cmd)
	for range scratchTries {
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir, cleanup, err = makeScratch(parent, cmd)
	}
	if err != nil {
		return "", nil, fmt.Errorf("scratch directory of a command: %w", err)
	}
	return dir, cleanup, nil
}

// scratchTries is how often a directory is made again that was swept meanwhile.
const scratchTries = 10

// makeScratch is one try of [writeScratch]. [fs.ErrNotExist] says that somebody swept
// the directory before it was held, or that there is no parent.
func makeScratch(parent string, cmd sdk.Command) (string, func(), error) {
	dir, err := os.MkdirTemp(parent, scratchPattern)
	if err != nil {
		return "", nil, err
	}
	held := flock.New(filepath.Join(dir, scratchLock))
	cleanup := func() {
		held.Close()
		os.RemoveAll(dir)
	}
	free, err := held.TryLock()
	if err == nil && !free {
		err = fs.ErrNotExist // who has it is about to remove it
	}
	if err == nil {
		err = isHeld(held)
	}
	for _, in := range cmd.Inputs {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(in.Name)), in.Data, 0o600)
		}
	}
	if err != nil {
		cleanup()
		return "", nil, err
	}
	return dir, cleanup, nil
}

// isHeld reports whether what was locked is still there: it may have been swept between
// its making and the lock.
func isHeld(held *flock.Flock) error {
	locked, err := held.Stat()
	if err != nil {
		return err
	}
	there, err := os.Lstat(held.Path())
	if err == nil && !os.SameFile(locked, there) {
		err = fs.ErrNotExist
	}
	return err
}

// sweepScratch removes scratch directories that nobody holds. One without a lock is
// about to get it, or another user's.
func sweepScratch(temp string) {
	dirs, err := filepath.Glob(filepath.Join(temp, scratchPattern))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, scratchLock)
		if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
			continue
		}
		left := flock.New(path)
		if free, err := left.TryLock(); err == nil && free {
			os.RemoveAll(dir) // held, so that who is just making it knows
		}
		left.Close()
	}
}
