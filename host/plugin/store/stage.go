package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// stagingDir is where plugins are assembled and taken apart: inside the store, so that
// a rename moves them in and out.
const stagingDir = ".staging"

// stageID matches the name of a directory there, from [rand.Text]. Names are never reused,
// so a lock of that name means that directory and no other.
var stageID = lazyregexp.New(`^[A-Z2-7]{26}$`)

// reserveTries allows for a sweep that removes a fresh lock, which is very rare.
const reserveTries = 10

// Stage creates an empty private directory in the store, in which to assemble a plugin.
// The caller publishes it or discards it with [Store.Discard]; removing the directory
// also works. Stage removes what killed installers left behind: directories whose lock
// nobody holds. Keep the Store for as long as the directory is in use.
func (s *Store) Stage(ctx context.Context) (dir string, err error) {
	if err := os.MkdirAll(filepath.Join(s.dir, stagingDir), dirMode); err != nil {
		return "", fmt.Errorf("make a directory for a plugin: %w", err)
	}
	if err := s.checkStaging(); err != nil {
		return "", err
	}
	s.sweep(ctx)
	if err := ctx.Err(); err != nil {
		return "", err
	}
	dir, lock, err := s.reserve()
	if err == nil {
		s.step("reserved")
		if err = os.Mkdir(dir, dirMode); err != nil {
			drop(lock)
		}
	}
	if err != nil {
		return "", fmt.Errorf("make a directory for a plugin: %w", err)
	}
	s.keep(dir, lock)
	s.step("staged")
	return dir, nil
}

// Discard removes a staged directory that will not be published. A missing one is not
// an error.
func (s *Store) Discard(stage string) error {
	if !s.isStage(stage) {
		return fmt.Errorf("%s is not a staged directory of %s", stage, s.dir)
	}
	err := removeAll(stage)
	s.release(stage)
	return err
}

func (s *Store) checkStaging() error {
	dir := filepath.Join(s.dir, stagingDir)
	if err := examine(dir, fs.FileMode.IsDir, "a directory"); err != nil {
		return fmt.Errorf("nothing can be installed through %s: %s", dir, reason(err))
	}
	return nil
}

func (s *Store) isStage(dir string) bool {
	return filepath.Dir(dir) == filepath.Join(s.dir, stagingDir) && stageID.MatchString(filepath.Base(dir))
}

// reserve locks a directory that does not exist yet.
func (s *Store) reserve() (dir string, lock *flock.Flock, err error) {
	for range reserveTries {
		dir = filepath.Join(s.dir, stagingDir, rand.Text())
		lock, err = take(dir)
		if lock != nil || err != nil {
			return dir, lock, err
		}
	}
	return "", nil, errors.New("other proctor processes keep removing the lock")
}

// take locks a directory below .staging if nobody else has it.
func take(dir string) (*flock.Flock, error) {
	lock := flock.New(dir + lockSuffix)
	free, err := lock.TryLock()
	if err != nil || !free {
		return nil, err
	}
	// A sweep may have removed the file after we opened it.
	if visible, err := isVisible(lock); !visible {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// isVisible reports whether a held lock is the one that others find under its name, and
// not a removed file.
func isVisible(lock *flock.Flock) (bool, error) {
	ours, err := lock.Stat()
	if err != nil {
		return false, err
	}
	now, err := os.Lstat(lock.Path())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(ours, now), err
}

// drop removes the file of a held lock, then releases it; in this order nobody can take
// it in between. Windows does not remove open files.
func drop(lock *flock.Flock) {
	_ = os.Remove(lock.Path())
	_ = lock.Close()
	if runtime.GOOS == "windows" {
		_ = os.Remove(lock.Path())
	}
}

func (s *Store) keep(dir string, lock *flock.Flock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stages[dir] = lock
}

// holds reports whether this Store uses a directory. If locks belong to processes, as
// over NFS, its own lock would not show that.
func (s *Store) holds(dir string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stages[dir] != nil
}

// release drops the lock of a removed directory.
func (s *Store) release(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lock, ok := s.stages[dir]; ok {
		drop(lock)
		delete(s.stages, dir)
	}
}
