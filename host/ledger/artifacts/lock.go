package artifacts

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/api"
)

// lockRetry is how long to wait before trying a busy lock again. The lock is held for
// the few milliseconds that reading and replacing one small file takes.
const lockRetry = 5 * time.Millisecond

// lockFile takes the lock for this process, for as long as ctx allows.
func lockFile(ctx context.Context, path string) (*flock.Flock, error) {
	for {
		lock, err := newLock(path)
		if err != nil {
			return nil, err
		}
		if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
			return nil, err
		}
		if isInPlace(lock) {
			return lock, nil
		}
		lock.Unlock() // it was removed meanwhile: the next process takes another
	}
}

// tryLockFile takes the lock if it is free.
func tryLockFile(path string) (*flock.Flock, bool) {
	lock, err := newLock(path)
	if err != nil {
		return nil, false
	}
	if free, err := lock.TryLock(); err != nil || !free {
		return nil, false
	}
	if !isInPlace(lock) {
		lock.Unlock()
		return nil, false
	}
	return lock, true
}

// removeLock releases a lock and removes its file.
func removeLock(lock *flock.Flock) {
	if removesOpenFiles {
		os.Remove(lock.Path()) // while it is held: afterwards it could be another's
		lock.Unlock()
		return
	}
	lock.Unlock()
	os.Remove(lock.Path()) // fails if another process has opened it
}

func newLock(path string) (*flock.Flock, error) {
	if err := noLink(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow)), nil
}

// isInPlace reports whether the locked file is still the one at its path.
func isInPlace(lock *flock.Flock) bool {
	held, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(lock.Path())
	return err == nil && os.SameFile(held, named)
}

// The files of the run lock: the lock itself, which the operating system releases however
// its process ends, and a description of the holder. They are separate, since not every
// system can read a locked file.
const (
	runLockFile   = "run.lock"
	runHolderFile = "run.holder"
)

// runLockRetry is how long to wait before trying to take it again. namelessAfter is how
// long a holder may be unnamed before it is reported: the lock is taken before the name is
// written.
const (
	runLockRetry  = 50 * time.Millisecond
	namelessAfter = 250 * time.Millisecond
)

// maxHolder bounds what is read of the holder's file, which any test can write.
const maxHolder = 4 << 10

// TakeRunLock takes the run lock of the workspace, and waits for it until ctx ends. Each
// other holder is reported to busy once; if that returns false, TakeRunLock succeeds
// without the lock. A holder that does not name itself is reported as [api.Unknown] after
// a moment.
func TakeRunLock(ctx context.Context, s *Store, me api.Holder, busy func(api.Holder) (wait bool)) (release func(), err error) {
	path := filepath.Join(s.dir, runLockFile)
	var told string
	var nameless time.Time // since when the holder is unknown
	for {
		lock, err := newLock(path)
		if err != nil {
			return nil, &StoreError{Path: path, Err: err}
		}
		free, err := lock.TryLock()
		switch {
		case err != nil:
			return nil, &StoreError{Path: path, Err: err}
		case free && isInPlace(lock):
			// It only tells others for whom they wait.
			_ = writeHolder(s, me)
			return func() {
				_ = os.Remove(filepath.Join(s.dir, runHolderFile))
				lock.Unlock()
			}, nil
		}
		lock.Unlock()
		holder := readHolder(s)
		switch {
		case holder.RunID != api.Unknown, holder.Listing:
			nameless = time.Time{}
		case nameless.IsZero():
			nameless = time.Now()
		}
		if known := nameless.IsZero() || time.Since(nameless) > namelessAfter; known && holder.String() != told {
			if !busy(holder) {
				return func() {}, nil
			}
			told = holder.String()
		}
		select {
		case <-time.After(runLockRetry):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// writeHolder records who has the run lock, neither atomically nor durably.
func writeHolder(s *Store, h api.Holder) error {
	path := filepath.Join(s.dir, runHolderFile)
	if err := noLink(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	raw, err := json.Marshal(h.Sanitize())
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|noFollow, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	return errors.Join(err, f.Close())
}

// readHolder reads who has the run lock. Anything that proctor would not write is
// [api.Unknown].
func readHolder(s *Store) api.Holder {
	var h api.Holder
	f, err := openFile(filepath.Join(s.dir, runHolderFile))
	if err != nil {
		return api.Holder{RunID: api.Unknown, SessionID: api.Unknown}
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxHolder))
	if err != nil || json.Unmarshal(raw, &h) != nil || !h.Listing && !IsRunID(h.RunID) {
		return api.Holder{RunID: api.Unknown, SessionID: api.Unknown}
	}
	return h.Sanitize()
}
