package session

import (
	"os"
	"time"
)

// isOver tells whether nobody has used a session for long. A file that cannot be
// read, or came from elsewhere, is not ours to judge.
func (f files) isOver(now time.Time) bool {
	info, err := os.Lstat(f.statePath())
	if err != nil || now.Sub(info.ModTime()) <= maxAge {
		return false
	}
	st, err := f.state()
	if err != nil || st.foreign {
		return false
	}
	for _, slot := range st.Slots {
		if len(slot.Running) > 0 {
			return false
		}
	}
	return true
}

// forget removes the files of a session, unless it is being used.
func (f files) forget(now time.Time) {
	lock, free := tryLockFile(f.lockPath())
	if !free {
		return
	}
	if _, err := os.Lstat(f.statePath()); err == nil {
		if !f.isOver(now) { // no more
			lock.Unlock()
			return
		}
		if os.Remove(f.statePath()) != nil {
			lock.Unlock()
			return
		}
	}
	removeLock(lock)
}

// Disown removes the session's slots. When a run cannot be put on record, the run
// before it must not stand for the last one; removing works on a full disk too.
func (s *Store) Disown() error {
	path := s.files().statePath()
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}
