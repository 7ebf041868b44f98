package session

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pruneSessions forgets the sessions that are over, and returns the runs that
// the slots of the others name.
func (s *Store) pruneSessions(now time.Time) map[string]bool {
	kept := map[string]bool{}
	dir := filepath.Join(s.dir, "sessions")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, isState := strings.CutSuffix(e.Name(), stateSuffix)
		orphan := false
		if locked, isLock := strings.CutSuffix(e.Name(), lockSuffix); isLock {
			_, err := os.Lstat(filepath.Join(dir, locked+stateSuffix))
			name, orphan = locked, os.IsNotExist(err)
		}
		if !orphan && (!isState || strings.Contains(name, ".")) {
			continue // the other files of a session
		}
		f := files{workspace: s.cfg.Workspace, dir: dir, name: name}
		if orphan || f.isOver(now) {
			f.forget(now)
		}
		// One that cannot be read names no run.
		st, _ := f.state()
		for _, slot := range st.Slots {
			kept[slot.RunID] = true
			for _, id := range slot.Running {
				kept[id] = true
			}
		}
	}
	delete(kept, "")
	return kept
}

// isOver tells whether nobody has used a session for long, and nothing would be
// lost with it: what is outstanding stays so until it passes. A file that cannot
// be read, or came from elsewhere, is not ours to judge.
func (f files) isOver(now time.Time) bool {
	info, err := os.Lstat(f.statePath())
	if err != nil || now.Sub(info.ModTime()) <= maxAge {
		return false
	}
	st, err := f.state()
	if err != nil || st.foreign {
		return false
	}
	out, err := f.outstanding()
	if err != nil || out.foreign {
		return false
	}
	for language, slot := range st.Slots {
		set, known := out.Sets[language]
		if set.Len() > 0 || len(slot.Running) > 0 || slot.RunID != "" && !known {
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
		// In this order: slots without outstanding tests would mean that these
		// are lost.
		if os.Remove(f.statePath()) != nil || os.Remove(f.outstandingPath()) != nil {
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
