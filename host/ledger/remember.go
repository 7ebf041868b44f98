package ledger

import (
	"context"

	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
)

// Settled opens the history for a run, and ends runs that were killed. It is nil
// where there is none: in a box, or with the error that says why.
func (h *Keeper) Settled(ctx context.Context, store *artifacts.Store) (*Ledger, error) {
	if h.Box != nil {
		return nil, nil
	}
	return h.SettledMemory(ctx, store)
}

// Before is what was outstanding before a run. Without a history it is not known.
func (h *Keeper) Before(ctx context.Context, m *Ledger, language string) (outstanding.Set, error) {
	switch {
	case m != nil:
		return m.Outstanding(ctx, language)
	case h.Box != nil:
		return outstanding.Set{}, nil
	}
	return everything(""), nil
}

// everything says that it is not known what is outstanding since a run.
func everything(runID string) outstanding.Set {
	return outstanding.Set{Entries: []outstanding.Entry{{Reason: outstanding.ReasonRun, Why: outstanding.WhyLost, RunID: runID, LastRunID: runID}}}
}
