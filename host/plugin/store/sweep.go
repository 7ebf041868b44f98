package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sweep removes what is no longer in use. What it cannot remove is left to a later
// sweep.
func (s *Store) sweep(ctx context.Context) {
	s.releaseRemoved()
	entries, err := os.ReadDir(filepath.Join(s.dir, stagingDir))
	if err != nil {
		return
	}
	for _, e := range entries {
		dir := filepath.Join(s.dir, stagingDir, strings.TrimSuffix(e.Name(), lockSuffix))
		if ctx.Err() != nil || !s.isStage(dir) || s.holds(dir) {
			continue
		}
		lock, err := take(dir)
		if err != nil || lock == nil {
			continue
		}
		if removeAll(dir) == nil {
			drop(lock)
		} else {
			_ = lock.Close()
		}
	}
}

// releaseRemoved drops the locks of directories that callers of [Store.Stage] have
// removed.
func (s *Store) releaseRemoved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir, lock := range s.stages {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			drop(lock)
			delete(s.stages, dir)
		}
	}
}

// removeAll removes a directory recursively, including directories without write
// permission, such as those of Go's module cache.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, dirMode)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
