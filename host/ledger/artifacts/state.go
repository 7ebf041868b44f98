package artifacts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/proctorhq/proctor/host/atomicfile"
)

// Slot is the last run of one language in a session.
type Slot struct {
	// RunID is the last run that finished; empty before the first.
	RunID string `json:"run_id"`
	// Running are the runs that began and have not finished: they go on, or
	// their proctor was killed.
	Running []string `json:"running,omitempty"`
}

// state is a session's file of slots.
type state struct {
	// Workspace is where it was written: with a clone or a copy of a workspace
	// may come what others ran elsewhere.
	Workspace string          `json:"workspace"`
	Slots     map[string]Slot `json:"slots"`
	// Last is the language of the latest run.
	Last string `json:"last,omitempty"`
	// foreign: the file on disk is of another workspace.
	foreign bool
}

// files are those of one session.
type files struct {
	workspace string
	dir, name string
}

func (f files) statePath() string { return filepath.Join(f.dir, f.name+stateSuffix) }
func (f files) lockPath() string  { return filepath.Join(f.dir, f.name+lockSuffix) }

// The ends of the names of a session's files.
const (
	stateSuffix = ".json"
	lockSuffix  = ".lock"
	// foreignSuffix is that of a file that came from another workspace.
	foreignSuffix = ".foreign-"
)

// lock keeps other processes from changing the session.
func (f files) lock(ctx context.Context) (*flock.Flock, error) {
	lock, err := lockFile(ctx, f.lockPath())
	if err != nil {
		return nil, &StoreError{Path: f.lockPath(), Err: err}
	}
	return lock, nil
}

// state reads the slots. There are none in a file of another workspace.
func (f files) state() (state, error) {
	var st state
	found, err := readJSON(f.statePath(), &st)
	if err != nil && isEmpty(f.statePath()) {
		found, err = false, nil // see [Store.Disown]
	}
	if err != nil {
		return state{}, f.damaged(f.statePath(), err)
	}
	if found && st.Workspace != f.workspace {
		st = state{foreign: true}
	}
	st.Workspace = f.workspace
	if st.Slots == nil {
		st.Slots = map[string]Slot{}
	}
	maps.DeleteFunc(st.Slots, func(language string, slot Slot) bool {
		return !isWord(language) || !isWord(slot.RunID) || slices.ContainsFunc(slot.Running, func(id string) bool { return !isWord(id) })
	})
	return st, nil
}

func (f files) damaged(path string, err error) error {
	return &StoreError{Path: path, Err: err,
		Fix: "move the file away to begin the session anew; the runs themselves are not in it"}
}

// change changes the slots, while no other process does.
func (f files) change(ctx context.Context, change func(*state)) error {
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	st, err := f.state()
	if err != nil {
		return err
	}
	change(&st)
	return f.replace(f.statePath(), st, st.foreign)
}

// replace writes a state; the caller holds the lock. A file
// of another workspace is kept under another name: it is not ours to erase.
func (f files) replace(path string, v any, foreign bool) error {
	raw, err := json.Marshal(v)
	if err == nil && foreign {
		err = setAside(path)
	}
	if err == nil {
		err = replaceFile(path, raw)
	}
	if err != nil {
		return &StoreError{Path: path, Err: err}
	}
	return nil
}

func setAside(path string) error {
	old, err := openFile(path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, old)
	old.Close()
	if err != nil {
		return err
	}
	// Named for its content: what has the name already is the same file.
	return atomicfile.Rename(path, path+foreignSuffix+hex.EncodeToString(sum.Sum(nil)[:8]))
}
