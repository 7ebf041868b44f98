package artifacts

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// maxAge is how long the files of an unused session are kept.
const maxAge = 30 * 24 * time.Hour

// prunedFile is touched whenever old records are looked for.
const prunedFile = "pruned"

// IsPruneDue reports whether it is time to look for old records: there are more runs than
// most, or the last look is longer ago than every. The call counts as a look.
func IsPruneDue(s *Store, now time.Time, every time.Duration, most int) bool {
	path := filepath.Join(s.dir, prunedFile)
	info, err := os.Lstat(path)
	entries, _ := os.ReadDir(filepath.Join(s.dir, runsDir))
	if err == nil && now.Sub(info.ModTime()).Abs() < every && (most == 0 || len(entries) <= most) {
		return false
	}
	if err == nil && info.Mode().IsRegular() && os.Chtimes(path, now, now) == nil {
		return true
	}
	// If it cannot be written, the next call looks again.
	_ = replaceFile(path, nil, visible)
	return true
}

// PruneSoon makes the next [IsPruneDue] true: some old records are left.
func PruneSoon(s *Store) { _ = os.Remove(filepath.Join(s.dir, prunedFile)) }

// ForgetSessions removes the files of sessions that have not been used for [maxAge].
func ForgetSessions(s *Store, now time.Time) {
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
	}
}

// dirSize sums up the files of a folder, in bytes.
func dirSize(dir string) int64 {
	var size int64
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// How many sessions keep their last runs whatever the limits of the record: those used
// within a day of the latest one, and at least the newest ones. Not all do, because each
// connection of an agent is a session.
const (
	heldFor     = 24 * time.Hour
	heldAtLeast = 20
)

// used is a session and when it was last used.
type used struct {
	at    time.Time
	slots map[string]Slot
}

// HeldRuns returns the runs that stay on record whatever its limits: the last ones of
// recently used sessions, and those of any session without a recorded end.
func HeldRuns(s *Store) (map[string]bool, error) {
	sessions, err := readSessions(s)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(sessions, func(a, b used) int { return b.at.Compare(a.at) })
	held := map[string]bool{}
	for i, session := range sessions {
		lately := i < heldAtLeast || sessions[0].at.Sub(session.at) <= heldFor
		for _, slot := range session.slots {
			for _, id := range slot.Running {
				held[id] = true
			}
			if lately {
				held[slot.RunID] = true
			}
		}
	}
	delete(held, "")
	return held, nil
}

// readSessions returns all sessions of the workspace that have run something.
func readSessions(s *Store) ([]used, error) {
	dir := filepath.Join(s.dir, "sessions")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &StoreError{Path: dir, Err: err}
	}
	var all []used
	for _, e := range entries {
		name, isState := strings.CutSuffix(e.Name(), stateSuffix)
		if !isState || strings.Contains(name, ".") {
			continue // another file of a session
		}
		st, err := files{workspace: s.cfg.Workspace, dir: dir, name: name}.state()
		if err != nil {
			return nil, err // it may name any run
		}
		info, err := e.Info()
		if err != nil || len(st.Slots) == 0 {
			continue // forgotten meanwhile, or of another workspace
		}
		all = append(all, used{info.ModTime(), st.Slots})
	}
	return all, nil
}

// RunSize returns the size of a run's folder, in bytes.
func RunSize(s *Store, id string) int64 {
	dir, ok := s.runDir(id)
	if !ok {
		return 0
	}
	return dirSize(dir)
}

// RemoveRun removes the folder of a run, if it has one.
func RemoveRun(s *Store, id string) error {
	dir, ok := s.runDir(id)
	if !ok {
		return nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return &StoreError{Path: dir, Err: err}
	}
	return nil
}

// isOver reports whether a session has been unused for [maxAge]. A file that is
// unreadable or came from elsewhere is left alone.
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
		if !f.isOver(now) { // no longer
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

// Disown replaces the slots by empty files: if a run cannot be recorded, the one before
// must not pass for the last one. Even a full disk has room for an empty file. No link is
// followed, and nothing overwritten.
func Disown(s *Store) error {
	return errors.Join(filesNamed(s, fileName(s.cfg.SessionID)).disown(), filesNamed(s, anySession).disown())
}

func (f files) disown() error {
	path := f.statePath()
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return &StoreError{Path: path, Err: err}
	}
	if f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		f.Close()
	}
	return nil
}

// IsDisowned reports whether the last run could not be recorded.
func IsDisowned(s *Store) bool { return isEmpty(s.files().statePath()) }

// isEmpty reports whether a file exists and is empty.
func isEmpty(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// Remnant is the folder of a run that is not on record here, so that no list of the
// workspace's runs has it.
type Remnant struct {
	ID   string
	Size int64
	// At is when its run started or, if unknown, when something in it was last written.
	At time.Time
	// Foreign means that its run belongs to another workspace, from which the folder was
	// copied, or to this one when it was elsewhere.
	Foreign bool
	// Unwritten means that its run ended, but the end could not be recorded.
	Unwritten bool
}

// FindRemnants returns the run folders that belong to no run of the workspace, as isKnown
// reports: they were left by a process that was killed while it created or removed one, or
// came with a copy. It omits runs in progress, the last runs of any session, and folders
// with files that proctor does not write.
func FindRemnants(s *Store, isKnown func(id string) bool) ([]Remnant, error) {
	ids, err := ListRunIDs(s)
	if err != nil {
		return nil, err
	}
	var found []Remnant
	var named [][]byte
	for _, id := range ids {
		if !IsRunID(id) || isKnown(id) || s.IsKept(id) {
			continue
		}
		r, ok := readRemnant(s, id)
		if !ok || s.Alive(id) {
			continue
		}
		if named == nil {
			named = readSessionTexts(s)
		}
		if !isNamed(named, id) {
			found = append(found, r)
		}
	}
	return found, nil
}

// readRemnant examines a folder; ok is false if proctor did not create it.
func readRemnant(s *Store, id string) (r Remnant, ok bool) {
	dir, ok := s.runDir(id)
	if !ok {
		return r, false
	}
	info, err := os.Lstat(dir)
	entries, listed := os.ReadDir(dir)
	if err != nil || listed != nil {
		return r, false
	}
	r = Remnant{ID: id, At: info.ModTime()}
	for _, e := range entries {
		name := e.Name()
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() ||
			!IsArtifact(name) && name != aliveFile && name != surroundingsFile && name != unwrittenFile && !(strings.HasPrefix(name, ".proctor-") && strings.HasSuffix(name, ".tmp")) {
			return r, false
		}
		r.Size += info.Size()
		if info.ModTime().After(r.At) {
			r.At = info.ModTime()
		}
	}
	r.Unwritten = isEmpty(filepath.Join(dir, unwrittenFile))
	var run api.Run
	if read, err := readJSON(filepath.Join(dir, runFile), &run); read && err == nil && run.RunID == id && run.Workspace != "" && run.Workspace != s.cfg.Workspace {
		r.At, r.Foreign = run.StartedAt, true
	}
	return r, true
}

// readSessionTexts returns the states of all sessions, of any workspace.
func readSessionTexts(s *Store) [][]byte {
	texts := [][]byte{{}}
	dir := filepath.Join(s.dir, "sessions")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), stateSuffix) && e.Type().IsRegular() {
			if text, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func isNamed(texts [][]byte, id string) bool {
	for _, text := range texts {
		if bytes.Contains(text, []byte(id)) {
			return true
		}
	}
	return false
}
