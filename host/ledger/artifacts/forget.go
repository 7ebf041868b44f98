package artifacts

import (
	"os"
	"time"
)

// isOver reports whether nobody has used a session for long. A file that cannot be
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

// Disown puts an empty file in the place of the session's slots. When a run cannot be
// put on record, the run before it must not stand for the last one; a file without
// anything in it has room on a full disk too. Nothing is followed or written over.
func (s *Store) Disown() error {
	path := s.files().statePath()
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return &StoreError{Path: path, Err: err}
	}
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		f.Close()
	}
	return nil
}

// Disowned reports whether what the session ran last could not be put on record.
func (s *Store) Disowned() bool { return isEmpty(s.files().statePath()) }

// isEmpty reports whether a file is there and has nothing in it.
func isEmpty(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}
