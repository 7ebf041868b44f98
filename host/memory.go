package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// historyFile is the database beside the records of the runs.
const historyFile = "history.db"

// lostKey marks a history that was begun where there had been runs before: what
// they left outstanding is not known.
const lostKey = "lost/v1"

// memory is what is on record of a workspace: the artefacts of its runs, and its
// history.
type memory struct {
	host    *Host
	store   *session.Store
	history history.Store // nil where only the artefacts can be read
	// notice says that an unusable history was set aside; nil if not.
	notice error
}

// remember opens the history beside the records; it makes one where there is
// none. One Host opens each once. What runs in a box is not remembered.
func (h *Host) remember(ctx context.Context, store *session.Store) (*memory, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.memories[store.Dir()]; m != nil {
		return &memory{host: h, store: store, history: m.history}, nil
	}
	gone := !hasHistory(store) && (store.HasRuns() || store.HasOther(historyFile))
	db, err := sqlite.Open(ctx, sqlite.Config{
		Path: filepath.Join(store.Dir(), historyFile),
		Root: store.Workspace(), Worktree: fingerprint.Worktree(store.Workspace()),
	})
	m := &memory{host: h, store: store, history: db}
	var aside *history.SetAsideError
	if errors.As(err, &aside) {
		m.notice, err = aside, nil
		h.notice(aside.Error())
	}
	if err == nil && gone {
		err = m.history.Put(ctx, lostKey, []byte("gone"))
	}
	if err != nil {
		return nil, err
	}
	h.memories[store.Dir()] = m
	return m, nil
}

// recall opens what is on record of a workspace for a question about its history,
// and ends runs that were killed. It starts no plugin. Without any record it is a
// [*NoRunError].
func (h *Host) recall(ctx context.Context, where Where) (*memory, error) {
	store, err := h.openRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) {
		return nil, &NoRunError{}
	}
	m, err := h.remember(ctx, store)
	if err != nil {
		return nil, err
	}
	return m, m.settle(ctx)
}

// reading opens what is on record for a question that can be answered without a
// history: where there is none, or it cannot be read, the memory has none.
func (h *Host) reading(ctx context.Context, store *session.Store) (*memory, error) {
	bare := &memory{host: h, store: store}
	if !hasHistory(store) {
		return bare, nil
	}
	m, err := h.remember(ctx, store)
	if err != nil {
		h.notice(err.Error())
		return bare, nil
	}
	return m, m.settle(ctx)
}

func hasHistory(store *session.Store) bool {
	_, err := os.Lstat(filepath.Join(store.Dir(), historyFile))
	return err == nil
}

// notice tells the user something that belongs to no run.
func (h *Host) notice(text string) {
	if h.cfg.Notice != nil {
		h.cfg.Notice(text)
	}
}

// outstanding is what is outstanding of a language. Where that is not known any
// more, everything is: a red must not be lost with its record.
func (m *memory) outstanding(ctx context.Context, language string) (rerun.Set, error) {
	set, known, lost, err := m.history.Outstanding(ctx, language)
	return m.gaps(ctx, language).fill(set, known && err == nil, lost || err != nil), err
}

// updateOutstanding replaces it by what update makes of it. The set is what is
// outstanding also where, as the error says, it could not be written.
func (m *memory) updateOutstanding(ctx context.Context, language string, update func(rerun.Set) rerun.Set) (rerun.Set, error) {
	g := m.gaps(ctx, language)
	return m.history.UpdateOutstanding(ctx, language, func(set rerun.Set, known, lost bool) rerun.Set {
		return update(g.fill(set, known, lost))
	})
}

// gaps are what the history of a language lacks.
type gaps struct {
	// last is the session's last run.
	last string
	// begun: there were runs before the history. unrecorded: the last run is not in
	// it; it was shown but not recorded.
	begun, unrecorded bool
}

func (m *memory) gaps(ctx context.Context, language string) gaps {
	slot, _, err := m.store.Slot(language)
	g := gaps{last: slot.RunID, begun: m.isLost(ctx) || err != nil}
	if g.last != "" {
		var unknown *history.NoRunError
		_, err := m.history.Run(ctx, g.last)
		g.unrecorded = errors.As(err, &unknown)
	}
	return g
}

// fill adds everything to a set of which something may be missing.
func (g gaps) fill(set rerun.Set, known, lost bool) rerun.Set {
	if !lost && (known || !g.begun && g.last == "") && !g.unrecorded {
		return set
	}
	if lost || !known {
		return everything(g.last)
	}
	all := everything(g.last)
	if slices.ContainsFunc(set.Entries, func(e rerun.Entry) bool { return e.Test == all.Entries[0].Test }) {
		return set
	}
	set.Entries = append(slices.Clone(set.Entries), all.Entries...)
	return set
}

// isLost tells whether there were runs before the history.
func (m *memory) isLost(ctx context.Context) bool {
	_, gone, err := m.history.Get(ctx, lostKey)
	return gone || err != nil
}
