package artifacts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// StoreError reports that a record could not be read or written.
type StoreError struct {
	Path string
	Err  error
	// Fix says what the user can do; it may be empty.
	Fix string
}

func (e *StoreError) Error() string {
	msg := fmt.Sprintf("proctor's record %s: %v", e.Path, e.Err)
	if e.Fix != "" {
		msg += "; " + e.Fix
	}
	return msg
}

func (e *StoreError) Unwrap() error { return e.Err }

// dirName is the folder in the workspace that holds proctor's records.
const dirName = ".proctor"

// runsDir holds the artifacts of runs, each in its own folder.
const runsDir = "runs"

// Config says where a store is and whose it is.
type Config struct {
	// Workspace is the absolute root of the workspace.
	Workspace string
	// SessionID is the session whose last runs are read; empty means the one shared by
	// all commands without a session, which ends after Idle without a command. Now is
	// the clock, by default time.Now.
	SessionID string
	// AnySession means that the last runs of all sessions are read.
	AnySession bool
	Idle       time.Duration
	Now        func() time.Time
	// Dir is where the records are, whatever the workspace has; "" means in the workspace.
	Dir string
	// StateHome is the user's state folder, used if the workspace is not writable:
	// $XDG_STATE_HOME/proctor or the platform's equivalent.
	StateHome string
	// KeptRuns supply last runs that are not on record; nil means none.
	KeptRuns *KeptRuns
}

// Store is one workspace's records, seen from one session.
type Store struct {
	cfg Config
	dir string
}

// Open finds or creates the folder of a workspace's records.
func Open(cfg Config) (*Store, error) {
	cfg.Workspace = filepath.Clean(cfg.Workspace)
	inside := cfg.inside()
	err := prepare(inside)
	if err == nil {
		s := &Store{cfg: cfg, dir: inside}
		joinShared(s)
		return s, nil
	}
	if cfg.StateHome == "" {
		return nil, &StoreError{Path: inside, Err: err}
	}
	outside := cfg.outside()
	if err := prepare(outside); err != nil {
		return nil, &StoreError{Path: outside, Err: err}
	}
	s := &Store{cfg: cfg, dir: outside}
	joinShared(s)
	return s, nil
}

// OpenExisting opens a workspace's records if there are any. A workspace that was once
// writable has some in both places: the last run is where the file that names it is newer.
func OpenExisting(cfg Config) (*Store, bool) {
	cfg.Workspace = filepath.Clean(cfg.Workspace)
	dirs := []string{cfg.inside()}
	if cfg.StateHome != "" {
		dirs = append(dirs, cfg.outside())
	}
	var newest *Store
	for _, dir := range dirs {
		s := &Store{cfg: cfg, dir: dir}
		if !hasRecords(s) {
			continue
		}
		joinShared(s)
		if newest == nil || changedAt(s).After(changedAt(newest)) {
			newest = s
		}
	}
	if newest == nil && len(cfg.KeptRuns.of(cfg.Workspace)) > 0 {
		newest = &Store{cfg: cfg, dir: dirs[0]} // the files are gone, but remembered
	}
	return newest, newest != nil
}

// IsReadOnly reports whether the records can be read but not written, like those of
// another user.
func IsReadOnly(s *Store) bool {
	for _, dir := range []string{s.dir, filepath.Join(s.dir, runsDir), filepath.Join(s.dir, "sessions")} {
		if isDir(dir) && checkWritable(dir) != nil {
			return true
		}
	}
	return false
}

// OtherPlace returns the other place for records of the workspace, beside its sources
// or in the user's state folder, if it has any.
func OtherPlace(s *Store) (*Store, bool) {
	if s.cfg.StateHome == "" {
		return nil, false
	}
	for _, dir := range []string{filepath.Join(s.cfg.Workspace, dirName), s.cfg.outside()} {
		if other := (&Store{cfg: s.cfg, dir: dir}); dir != s.dir && hasRecords(other) {
			return other, true
		}
	}
	return nil, false
}

// IsInside reports whether the records are beside the sources.
func IsInside(s *Store) bool { return s.dir == filepath.Join(s.cfg.Workspace, dirName) }

// isDir reports whether there is a folder that is not a link; see [prepare].
func isDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

// changedAt returns when the file that names the last runs was last written here; zero
// before that.
func changedAt(s *Store) time.Time {
	f := s.files()
	var st state
	if found, err := readJSON(f.statePath(), &st); !found || err == nil && st.Workspace != f.workspace {
		return time.Time{}
	}
	info, err := os.Lstat(f.statePath())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// files returns the files that name the last runs of the session, or of all.
func (s *Store) files() files {
	if s.cfg.AnySession {
		return filesNamed(s, anySession)
	}
	return filesNamed(s, fileName(s.cfg.SessionID))
}

func filesNamed(s *Store, name string) files {
	return files{workspace: s.cfg.Workspace, dir: filepath.Join(s.dir, "sessions"), name: name}
}

// anySession is the name of the files about the last runs of all sessions. [fileName]
// never returns it.
const anySession = hashMark + "any"

// changeSlots changes the slots of a run's session, if that is this one, and those of all
// sessions.
func changeSlots(ctx context.Context, s *Store, run api.Run, survives durability, change func(*state)) error {
	err := filesNamed(s, anySession).change(ctx, survives, change)
	if run.SessionID == "" || run.SessionID == s.cfg.SessionID {
		err = errors.Join(filesNamed(s, fileName(s.cfg.SessionID)).change(ctx, survives, change), err)
	}
	return err
}

// isOfSession reports whether a run counts for the last runs that are read here.
func isOfSession(s *Store, run api.Run) bool {
	return s.cfg.AnySession || run.SessionID == s.cfg.SessionID
}

// inside returns the folder of the records where they can be in the workspace.
func (c Config) inside() string {
	if c.Dir != "" {
		return c.Dir
	}
	return filepath.Join(c.Workspace, dirName)
}

// outside returns the folder of the records if they cannot be in the workspace.
func (c Config) outside() string {
	sum := sha256.Sum256([]byte(c.Workspace))
	return filepath.Join(c.StateHome, hex.EncodeToString(sum[:8]))
}

// prepare creates the folder and checks that it is writable. It refuses a symbolic link,
// which in a cloned repository could point anywhere.
func prepare(dir string) error {
	if st, err := os.Lstat(dir); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	for _, sub := range []string{dir, filepath.Join(dir, runsDir), filepath.Join(dir, "sessions")} {
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		if st, err := os.Lstat(sub); err != nil || !st.IsDir() {
			return fmt.Errorf("%s is not a directory", sub)
		}
		// Each of them must be: a recorded run without a slot would not be the last one.
		if err := checkWritable(sub); err != nil {
			return err
		}
	}
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); err == nil {
		probe, err := os.CreateTemp(dir, ".probe-*")
		if err != nil {
			return err
		}
		probe.Close()
		return os.Remove(probe.Name())
	}
	return replaceFile(ignore, []byte("*\n"), synced)
}

// Dir returns the folder of the records.
func (s *Store) Dir() string { return s.dir }

// Workspace returns the absolute root of the workspace.
func (s *Store) Workspace() string { return s.cfg.Workspace }

// Slot returns the slot of a language in this session, or in any; for an empty language,
// that of the latest run. ok is false before the first run.
func (s *Store) Slot(language string) (slot Slot, ok bool, err error) {
	st, err := s.slots()
	if err != nil {
		return Slot{}, false, err
	}
	if language == "" {
		language = st.Last
	}
	slot, ok = st.Slots[language]
	k, found := lastKept(s, language)
	if found && k.run.RunID != slot.RunID && (slot.RunID == "" || k.lost != nil && !isLater(s, slot.RunID, k.run)) {
		slot.RunID, ok = k.run.RunID, true
	}
	return slot, ok, nil
}

// slots reads the file of the slots. An unreadable one must not hide what this process
// remembers.
func (s *Store) slots() (state, error) {
	st, err := s.files().state()
	if err != nil && (len(keptInSession(s)) > 0 || errors.Is(err, fs.ErrPermission) && IsReadOnly(s)) {
		return state{Slots: map[string]Slot{}}, nil
	}
	return st, err
}

// isLater reports whether the run with this id began after another.
func isLater(s *Store, id string, other api.Run) bool {
	run, err := s.onDisk(id)
	return err == nil && run.StartedAt.After(other.StartedAt)
}

// Languages returns the languages that have a slot in this session, or in any.
func (s *Store) Languages() ([]string, error) {
	st, err := s.slots()
	if err != nil {
		return nil, err
	}
	for _, k := range keptInSession(s) {
		st.Slots[k.run.Language] = Slot{}
	}
	return slices.Sorted(maps.Keys(st.Slots)), nil
}

// Begin records in the slot of the run's language that the run is in progress.
func (s *Store) Begin(ctx context.Context, run api.Run) error {
	return changeSlots(ctx, s, run, visible, func(st *state) {
		slot := st.Slots[run.Language]
		slot.Running = append(slot.Running, run.RunID)
		st.Slots[run.Language] = slot
		st.Before, st.Last = st.Last, run.Language
	})
}

// Withdraw undoes [Store.Begin], for a run that turned out to run nothing.
func (s *Store) Withdraw(ctx context.Context, run api.Run) error {
	return changeSlots(ctx, s, run, visible, func(st *state) {
		slot := st.Slots[run.Language]
		slot.Running = slices.DeleteFunc(slot.Running, func(id string) bool { return id == run.RunID })
		st.Slots[run.Language] = slot
		if slot.RunID == "" && len(slot.Running) == 0 {
			delete(st.Slots, run.Language)
		}
		if st.Last == run.Language {
			st.Last = st.Before
		}
	})
}

// Finish makes a run the last one of its language and session.
func (s *Store) Finish(ctx context.Context, run api.Run) error { return finish(ctx, s, run, synced) }

// FinishUnsynced is [Store.Finish] for a run that is also in a history, which the caller
// syncs after this and before anybody is told the verdict. On a file system that keeps the
// order of renames both survive a power failure. On any other this file may be lost or
// found empty, but the history has the run and what it left outstanding.
func (s *Store) FinishUnsynced(ctx context.Context, run api.Run) error {
	return finish(ctx, s, run, visible)
}

func finish(ctx context.Context, s *Store, run api.Run, survives durability) error {
	err := setLast(ctx, s, run, survives)
	noteUse(s)
	s.cfg.KeptRuns.keep(s, run, err)
	return err
}

func setLast(ctx context.Context, s *Store, run api.Run, survives durability) error {
	if !isWhole(s) {
		if err := Remake(s); err != nil {
			return err
		}
	}
	return changeSlots(ctx, s, run, survives, func(st *state) {
		slot := st.Slots[run.Language]
		slot.RunID = run.RunID
		slot.Running = slices.DeleteFunc(slot.Running, func(id string) bool { return id == run.RunID })
		st.Slots[run.Language], st.Last = slot, run.Language
	})
}
