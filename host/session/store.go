package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

// dirName is the folder in the workspace that holds proctor's records.
const dirName = ".proctor"

// lockRetry is how often a busy lock is tried again. The lock is held for the
// few milliseconds that reading and replacing one small file takes.
const lockRetry = 5 * time.Millisecond

// Config says where a store lives and whose it is.
type Config struct {
	// Workspace is the absolute root of the workspace.
	Workspace string
	// SessionID is the session whose slot and outstanding tests are meant.
	SessionID string
	// StateHome is the user's state folder, used where the workspace cannot be
	// written: $XDG_STATE_HOME/proctor or what the platform has for it.
	StateHome string
}

// Store is one workspace's records, seen from one session.
type Store struct {
	cfg Config
	dir string
}

// Slot is the last run of one language in a session.
type Slot struct {
	// RunID is the last run that finished; empty before the first.
	RunID string `json:"run_id"`
	// Running are the runs that began and have not finished: they go on, or
	// their proctor was killed.
	Running []string `json:"running,omitempty"`
}

// state is a session's file.
type state struct {
	Slots       map[string]Slot      `json:"slots"`
	Outstanding map[string]rerun.Set `json:"outstanding"`
	// Last is the language of the latest run.
	Last string `json:"last,omitempty"`
}

// Open finds or makes the folder of a workspace's records.
func Open(cfg Config) (*Store, error) {
	inside := filepath.Join(cfg.Workspace, dirName)
	err := prepare(inside)
	if err == nil {
		return &Store{cfg: cfg, dir: inside}, nil
	}
	if cfg.StateHome == "" {
		return nil, &StoreError{Path: inside, Err: err}
	}
	outside := cfg.outside()
	if err := prepare(outside); err != nil {
		return nil, &StoreError{Path: outside, Err: err}
	}
	return &Store{cfg: cfg, dir: outside}, nil
}

// Existing opens a workspace's records only if there are any. A workspace that
// could be written once and cannot any more has some in both places: the last
// run of the session is where the session's file is the newer one.
func Existing(cfg Config) (*Store, bool) {
	dirs := []string{filepath.Join(cfg.Workspace, dirName)}
	if cfg.StateHome != "" {
		dirs = append(dirs, cfg.outside())
	}
	var newest *Store
	for _, dir := range dirs {
		s := &Store{cfg: cfg, dir: dir}
		if isDir(dir) && isDir(filepath.Join(dir, "sessions")) && (newest == nil || s.changed().After(newest.changed())) {
			newest = s
		}
	}
	return newest, newest != nil
}

// isDir tells whether there is a folder, and no link to one; see [prepare].
func isDir(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.IsDir()
}

// changed is when the session's file was last written; zero before that.
func (s *Store) changed() time.Time {
	st, err := os.Stat(s.statePath())
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// outside is the folder of the records when they cannot be in the workspace.
func (c Config) outside() string {
	sum := sha256.Sum256([]byte(c.Workspace))
	return filepath.Join(c.StateHome, hex.EncodeToString(sum[:8]))
}

// prepare makes the folder and checks that it can be written. A .proctor that is
// a symbolic link is refused: a cloned repository could make it point anywhere.
func prepare(dir string) error {
	if st, err := os.Lstat(dir); err == nil && !st.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	for _, sub := range []string{dir, filepath.Join(dir, "runs"), filepath.Join(dir, "sessions")} {
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		if st, err := os.Lstat(sub); err != nil || !st.IsDir() {
			return fmt.Errorf("%s is not a directory", sub)
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
	return replaceFile(ignore, []byte("*\n"))
}

// Dir is the folder of the records.
func (s *Store) Dir() string { return s.dir }

// SessionID is the session the store was opened for.
func (s *Store) SessionID() string { return s.cfg.SessionID }

// Slot returns the slot of a language in this session. With an empty language it
// is that of the latest run of any. ok is false before the first run.
func (s *Store) Slot(language string) (slot Slot, ok bool, err error) {
	st, err := s.read()
	if err != nil {
		return Slot{}, false, err
	}
	if language == "" {
		language = st.Last
	}
	slot, ok = st.Slots[language]
	return slot, ok, nil
}

// Languages returns the languages that have a slot in this session.
func (s *Store) Languages() ([]string, error) {
	st, err := s.read()
	if err != nil {
		return nil, err
	}
	return sortedKeys(st.Slots), nil
}

// Outstanding returns the outstanding tests of a language in this session.
func (s *Store) Outstanding(language string) (rerun.Set, error) {
	st, err := s.read()
	return st.Outstanding[language], err
}

// Begin notes in the slot of the run's language that it is running.
func (s *Store) Begin(ctx context.Context, run record.Run) error {
	return s.change(ctx, func(st *state) {
		slot := st.Slots[run.Language]
		slot.Running = append(slot.Running, run.RunID)
		st.Slots[run.Language] = slot
		st.Last = run.Language
	})
}

// Finish sets the slot of the run's language and replaces its outstanding
// tests by what update makes of them, while no other process can.
func (s *Store) Finish(ctx context.Context, run record.Run, update func(rerun.Set) rerun.Set) (set rerun.Set, err error) {
	err = s.change(ctx, func(st *state) {
		slot := st.Slots[run.Language]
		slot.RunID = run.RunID
		slot.Running = slices.DeleteFunc(slot.Running, func(id string) bool { return id == run.RunID })
		st.Slots[run.Language] = slot
		set = update(st.Outstanding[run.Language])
		st.Outstanding[run.Language] = set
		st.Last = run.Language
	})
	return set, err
}

// change replaces the session's file while no other process can.
func (s *Store) change(ctx context.Context, change func(*state)) error {
	lock := flock.New(s.statePath() + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return &StoreError{Path: lock.Path(), Err: err}
	}
	defer lock.Unlock()
	st, err := s.read()
	if err != nil {
		return err
	}
	change(&st)
	raw, err := json.Marshal(st)
	if err == nil {
		err = replaceFile(s.statePath(), raw)
	}
	if err != nil {
		return &StoreError{Path: s.statePath(), Err: err}
	}
	return nil
}

func (s *Store) statePath() string {
	return filepath.Join(s.dir, "sessions", fileName(s.cfg.SessionID)+".json")
}

func (s *Store) read() (state, error) {
	st := state{Slots: map[string]Slot{}, Outstanding: map[string]rerun.Set{}}
	raw, err := os.ReadFile(s.statePath())
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &st)
	}
	if err != nil {
		return st, &StoreError{Path: s.statePath(), Err: err,
			Fix: "move the file away to begin the session anew; the runs themselves are not in it"}
	}
	if st.Slots == nil {
		st.Slots = map[string]Slot{}
	}
	if st.Outstanding == nil {
		st.Outstanding = map[string]rerun.Set{}
	}
	return st, nil
}
