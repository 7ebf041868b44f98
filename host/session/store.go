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
	RunID string `json:"run_id"`
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

// Existing opens a workspace's records only if there are any.
func Existing(cfg Config) (*Store, bool) {
	dirs := []string{filepath.Join(cfg.Workspace, dirName)}
	if cfg.StateHome != "" {
		dirs = append(dirs, cfg.outside())
	}
	for _, dir := range dirs {
		if st, err := os.Lstat(filepath.Join(dir, "sessions")); err == nil && st.IsDir() {
			return &Store{cfg: cfg, dir: dir}, true
		}
	}
	return nil, false
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

// Slot returns the last finished run of a language in this session. With an
// empty language it is the latest run of any. ok is false before the first run.
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

// Finish sets the slot of the run's language and replaces its outstanding
// tests by what update makes of them, while no other process can.
func (s *Store) Finish(ctx context.Context, run record.Run, update func(rerun.Set) rerun.Set) (rerun.Set, error) {
	lock := flock.New(s.statePath() + ".lock")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return rerun.Set{}, &StoreError{Path: lock.Path(), Err: err}
	}
	defer lock.Unlock()
	st, err := s.read()
	if err != nil {
		return rerun.Set{}, err
	}
	set := update(st.Outstanding[run.Language])
	st.Outstanding[run.Language] = set
	st.Slots[run.Language] = Slot{RunID: run.RunID}
	st.Last = run.Language
	raw, err := json.Marshal(st)
	if err != nil {
		return set, &StoreError{Path: s.statePath(), Err: err}
	}
	if err := replaceFile(s.statePath(), raw); err != nil {
		return set, &StoreError{Path: s.statePath(), Err: err}
	}
	return set, nil
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
