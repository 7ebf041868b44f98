package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite"
	"github.com/proctorhq/proctor/host/session"
)

// historyFile is the database beside the records of the runs.
const historyFile = "history.db"

// memory is what is on record of a workspace: the artefacts of its runs, and its
// history.
type memory struct {
	host    *Host
	store   *session.Store
	history history.Store
	// notice says that an unusable history was set aside; nil if not.
	notice error
}

// remember opens the history beside the records; it makes one where there is
// none. One Host opens each once.
func (h *Host) remember(ctx context.Context, store *session.Store) (*memory, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.memories[store.Dir()]; m != nil {
		return &memory{host: h, store: store, history: m.history}, nil
	}
	db, err := sqlite.Open(ctx, sqlite.Config{
		Path: filepath.Join(store.Dir(), historyFile),
		Root: store.Workspace(), Worktree: fingerprint.Worktree(store.Workspace()),
	})
	m := &memory{host: h, store: store, history: db}
	var aside *history.SetAsideError
	if errors.As(err, &aside) {
		m.notice, err = aside, nil
	}
	if err != nil {
		return nil, err
	}
	h.memories[store.Dir()] = m
	return m, nil
}

// recall opens what is on record of a workspace for a question about it. It
// starts no plugin. Without any record it is a [*NoRunError].
func (h *Host) recall(ctx context.Context, where Where) (*memory, error) {
	store, err := h.openRecords(where)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(store.Dir(), historyFile)); err != nil {
		return nil, &NoRunError{}
	}
	return h.remember(ctx, store)
}
