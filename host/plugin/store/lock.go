package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// slowLock is after how long a user should learn that another proctor is at work.
const slowLock = 5 * time.Second

// lockPause is the time between two attempts to lock: short compared with an install,
// long compared with an attempt.
const lockPause = 50 * time.Millisecond

// lockSuffix ends the names of lock files. They are beside what they lock, since that
// is renamed, and stay, since another process may wait for one.
const lockSuffix = ".lock"

// Lock keeps other processes from installing or removing this version until release is
// called. slow, if not nil, is called once if that takes longer than [slowLock].
func (s *Store) Lock(ctx context.Context, name, version string, slow func()) (release func(), err error) {
	if !isValid(name, version) {
		return nil, fmt.Errorf("lock plugin %.40q %.80q: this is not the name and version of a plugin", name, version)
	}
	if err := s.makeDirs(name, version); err != nil {
		return nil, fmt.Errorf("lock plugin %s %s: %w", name, version, err)
	}
	lock := flock.New(s.target(name, version) + lockSuffix)
	if err := s.wait(ctx, lock, slow); err != nil {
		return nil, fmt.Errorf("lock plugin %s %s: %w", name, version, err)
	}
	return func() { _ = lock.Close() }, nil
}

func (s *Store) wait(ctx context.Context, lock *flock.Flock, slow func()) error {
	late := time.NewTimer(s.slowAfter)
	defer late.Stop()
	again := time.NewTicker(lockPause)
	defer again.Stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if free, err := lock.TryLock(); free || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-again.C:
		case <-late.C:
			if slow != nil {
				slow()
			}
		}
	}
}

// makeDirs creates the parent directories of a plugin's versions.
func (s *Store) makeDirs(name, version string) error {
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return err
	}
	for _, dir := range []string{filepath.Join(s.dir, name), s.versionDir(name, version)} {
		if err := os.Mkdir(dir, dirMode); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return nil
}

// syncDirs makes sure that changes in a version's directory, and the directory itself,
// survive a power failure.
func (s *Store) syncDirs(name, version string) error {
	return errors.Join(s.syncDir(s.versionDir(name, version)), s.syncDir(filepath.Join(s.dir, name)), s.syncDir(s.dir))
}
