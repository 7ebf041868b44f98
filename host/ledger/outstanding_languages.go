package ledger

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Languages are those of which something may be outstanding: those that have a run on
// record, and those of which a set is although their runs are not any more. Where sets
// were lost, it may be any that ran here; where nobody knows which did, it is one
// without a name.
func (m *Ledger) Languages(ctx context.Context) ([]string, error) {
	if p, err := m.principal(ctx); err != nil || p != m {
		if err != nil {
			return nil, err
		}
		return p.Languages(ctx)
	}
	var found []string
	seen := map[string]bool{}
	add := func(language string) {
		if !seen[language] {
			seen[language] = true
			found = append(found, language)
		}
	}
	runs, err := m.History.Runs(ctx, history.RunFilter{})
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		add(run.Language)
	}
	kept, lost, err := m.History.OutstandingLanguages(ctx)
	if err != nil {
		return nil, err
	}
	slots, err := m.Artifacts.Languages()
	if err != nil {
		slots, lost = nil, true // there was something, and it cannot be read
	}
	for _, language := range append(kept, slots...) {
		add(language)
	}
	if lost || m.isLost(ctx) {
		for _, language := range m.Artifacts.RunLanguages() {
			add(language)
		}
		if len(found) == 0 {
			add("")
		}
	}
	return found, nil
}

// RecallSets is [Keeper.Recall] for what is outstanding, which is not nothing where runs
// are on record and their history is not.
func (h *Keeper) RecallSets(ctx context.Context, where api.Where) (*Ledger, error) {
	store, err := h.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !store.HasRuns() && !store.HasOther(HistoryFile) && !h.keeping.hasAny(store.Workspace()) {
		return nil, &api.NoRunError{}
	}
	return h.told(h.SettledMemory(ctx, store))
}
