package ledger

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
)

// SourceWatch reports whether the sources of a workspace are still what they were when
// it began.
type SourceWatch struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the first look has ended

	// A snapshot answers one question at a time; a token is the right to ask.
	asking chan struct{}
	// snapshot is nil where the state of the sources cannot be had.
	snapshot *fingerprint.Snapshot
}

// WatchSources begins to look at the sources of a workspace, in the background. It
// starts no plugin. The watch must be closed.
func (h *Keeper) WatchSources(ctx context.Context, where api.Where) *SourceWatch {
	since := time.Now()
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &SourceWatch{cancel: cancel, done: make(chan struct{}), asking: make(chan struct{}, 1)}
	cfg, ok := h.WatchConfig(ctx, where)
	if !ok {
		close(w.done)
		return w
	}
	cfg.Since = since
	go func() {
		defer close(w.done)
		if s, err := fingerprint.Take(ctx, cfg); err == nil {
			w.snapshot = s
		}
	}()
	return w
}

// WatchConfig says what to look at. Before there are records, what runners write
// counts as a source. ok is false where nobody knows where the workspace begins.
func (h *Keeper) WatchConfig(ctx context.Context, where api.Where) (cfg fingerprint.Config, ok bool) {
	store, err := h.OpenRecords(where)
	if err != nil {
		return h.SourceConfig(where.Dir), where.Exact && where.Dir != ""
	}
	if hasHistory(store) {
		if m, err := h.Remember(ctx, store); err == nil {
			return m.SourceConfig(ctx), true
		}
	}
	return h.SourceConfig(store.Workspace()), true
}

// Unchanged reports whether nothing was changed or written anew since the watch began.
// Where that is not found out before ctx ends, or cannot be, it is not known.
func (w *SourceWatch) Unchanged(ctx context.Context) (unchanged, known bool) {
	select {
	case <-w.done:
	case <-ctx.Done():
		return false, false
	}
	if w.snapshot == nil {
		return false, false
	}
	select {
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
	case <-ctx.Done():
		return false, false
	}
	_, now, err := w.snapshot.Changed(ctx)
	return err == nil && now == w.snapshot, err == nil
}

// Close ends the watch. It does not wait for a file system that does not answer.
func (w *SourceWatch) Close() { w.cancel() }
