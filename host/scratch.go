package host

import (
	"fmt"
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
	dir, err := os.MkdirTemp(parent, scratchPattern)
	if err != nil {
		return "", nil, fmt.Errorf("scratch directory of a command: %w", err)
	}
	held := flock.New(filepath.Join(dir, scratchLock))
	cleanup := func() {
		held.Close()
		os.RemoveAll(dir)
	}
	if _, err = held.TryLock(); err == nil {
		for _, in := range cmd.Inputs {
			if err = os.WriteFile(filepath.Join(dir, filepath.Base(in.Name)), in.Data, 0o600); err != nil {
				break
			}
		}
	}
	if err != nil {
		cleanup()
		return "", nil, fmt.Errorf("scratch directory of a command: %w", err)
	}
	return dir, cleanup, nil
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
			os.RemoveAll(dir)
			left.Close()
		}
	}
}
