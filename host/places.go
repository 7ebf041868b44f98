package host

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// The records of a workspace are in two places where it could not be written for a
// while, or can be read by a user who may not write it. Runs stay where they were
// recorded. What is outstanding is one set: that of the place that can be written,
// beside the sources if both can, which takes over what the other one has.

// joinedKey is where a history has what it took over from the other place, by language.
const joinedKey = "joined/v1/"

// joinedEntry is one entry that was taken over: the same test may become red there anew.
type joinedEntry struct {
	record.Test
	RunID string `json:"run_id"`
}

// glance opens the history of a place for reading alone.
func (h *Host) glance(ctx context.Context, store *session.Store) (history.Store, error) {
	return sqlite.OpenReadOnly(ctx, sqlite.Config{
		Path: filepath.Join(store.Dir(), historyFile), Root: store.Workspace(), Worktree: fingerprint.Worktree(store.Workspace()),
	})
}

// join takes over what the other place has outstanding and did not have before. It
// reports whether that place could be read; where there is none it could.
func (m *memory) join(ctx context.Context) (read bool, err error) {
	other, ok := m.store.Other()
	if !ok || !hasHistory(other) {
		return !m.store.HasOther(historyFile), nil
	}
	beside, err := m.host.glance(ctx, other)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // it has others' workspaces
	}
	if err != nil {
		m.host.cfg.Logger.Warn("the other place of the records cannot be read", "place", other.Dir(), "error", err)
		return false, nil
	}
	defer closeHistory(beside)
	languages, lost, err := beside.OutstandingLanguages(ctx)
	if err != nil || lost {
		return false, nil
	}
	for _, language := range languages {
		if err := m.joinLanguage(ctx, beside, language); err != nil {
			return true, err
		}
	}
	return true, nil
}

func (m *memory) joinLanguage(ctx context.Context, beside history.Store, language string) error {
	theirs, known, lost, err := beside.Outstanding(ctx, language)
	if err != nil || !known && !lost {
		return err
	}
	if lost {
		theirs = everything("")
	}
	if why, _, err := beside.Get(ctx, lostKey); err == nil && string(why) == lostApart {
		// What it did not know of is here.
		theirs = theirs.Only(func(e rerun.Entry) bool { return e.Reason != rerun.ReasonRun || e.Why != rerun.WhyLost })
	}
	var before []joinedEntry
	if raw, ok, err := m.history.Get(ctx, joinedKey+language); err == nil && ok {
		_ = json.Unmarshal(raw, &before) // without it, more is outstanding
	}
	had := map[joinedEntry]bool{}
	for _, e := range before {
		had[e] = true
	}
	now := []joinedEntry{}
	fresh := theirs.Only(func(e rerun.Entry) bool {
		j := joinedEntry{e.Test, e.LastRunID}
		now = append(now, j)
		return !had[j]
	})
	if fresh.Len() == 0 && len(now) == len(before) {
		return nil
	}
	if fresh.Len() > 0 {
		if _, err := m.history.UpdateOutstanding(ctx, language, func(set rerun.Set, _, _ bool) rerun.Set { return union(set, fresh) }); err != nil {
			return err
		}
	}
	raw, err := json.Marshal(now)
	if err == nil {
		err = m.history.Put(ctx, joinedKey+language, raw)
	}
	return err
}

func closeHistory(s history.Store) {
	if c, ok := s.(*sqlite.Store); ok {
		_ = c.Close() // nothing was written
	}
}

// overlook is [Host.remember] for records that can be read and not be written.
func (h *Host) overlook(ctx context.Context, store *session.Store) (*memory, error) {
	m := &memory{host: h, store: store, readOnly: true}
	dir, worktree := store.Dir(), fingerprint.Worktree(store.Workspace())
	if db, ok := h.stores[dir]; ok {
		if db.worktree == worktree && db.InPlace() {
			m.history = db.Store
			return m, nil
		}
		h.retire(dir, db)
	}
	db, err := h.glance(ctx, store)
	if err != nil {
		return nil, err
	}
	h.stores[dir] = opened{db, worktree}
	m.history = db
	return m, nil
}

// principal is the memory whose outstanding set is the workspace's: this one, or that
// of the other place.
func (m *memory) principal(ctx context.Context) (*memory, error) {
	other, ok := m.store.Other()
	if !ok || !hasHistory(other) || other.IsReadOnly() || !m.readOnly && m.store.IsInside() {
		return m, nil
	}
	return m.host.remember(ctx, other)
}

// elsewhere says in one line what is kept in another place than the one that is read.
func (m *memory) elsewhere() string {
	other, ok := m.store.Other()
	switch {
	case !ok && m.readOnly:
		return m.store.Dir() + " can be read and not be written: runs of this user are kept in the user's own state folder"
	case !ok || !hasHistory(other):
		return ""
	case m.readOnly:
		return "this is what " + m.store.Dir() + " has, which cannot be written: other runs are kept in " + other.Dir() + ", and what is outstanding is that of both"
	case other.IsReadOnly():
		return "this is what " + m.store.Dir() + " has: other runs are kept in " + other.Dir() + ", which cannot be written, and what is outstanding is that of both"
	}
	return "runs from when " + filepath.Join(m.store.Workspace(), ".proctor") + " could not be written are kept in " + other.Dir() + "; what is outstanding is that of both"
}
