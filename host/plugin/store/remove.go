package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// Remove removes an installed plugin, damaged or not. The caller holds the
// [Store.Lock]. The plugin disappears atomically, by a rename, and is then deleted. The
// error is a [*NotInstalledError], or says on Windows that it is running.
func (s *Store) Remove(ctx context.Context, name, version string) error {
	missing := &NotInstalledError{Name: name, Version: version, Dir: s.dir}
	if !isValid(name, version) {
		return missing
	}
	target := s.target(name, version)
	info, err := os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return missing
	}
	failed := func(err error) error {
		if busy(err) {
			return fmt.Errorf("plugin %s %s is in use: %s: end the proctor that runs it, and try again", name, version, target)
		}
		return fmt.Errorf("remove plugin %s %s: %w", name, version, err)
	}
	if err != nil {
		return failed(err)
	}
	// Some systems rename only writable directories.
	if info.IsDir() {
		_ = os.Chmod(target, dirMode)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, stagingDir), dirMode); err != nil {
		return failed(err)
	}
	if err := s.checkStaging(); err != nil {
		return failed(err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	aside, lock, err := s.reserve()
	if err != nil {
		return failed(err)
	}
	defer drop(lock)
	if err := atomicfile.Rename(target, aside); err != nil {
		return failed(err)
	}
	s.step("aside")
	if err := s.syncDirs(name, version); err != nil {
		return failed(err)
	}
	// From here on it is removed, whatever is left to sweep.
	_ = removeAll(aside)
	s.step("deleted")
	return nil
}
