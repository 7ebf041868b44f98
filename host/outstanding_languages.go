package host

import (
	"context"

	"github.com/proctorhq/proctor/host/history"
)

// languages are those of which something may be outstanding: those that have a run on
// record, and those of which a set is although their runs are not any more. Where sets
// were lost, it may be any that ran here; where nobody knows which did, it is one
// without a name.
func (m *memory) languages(ctx context.Context) ([]string, error) {
	if p, err := m.principal(ctx); err != nil || p != m {
		if err != nil {
			return nil, err
		}
		return p.languages(ctx)
	}
	var found []string
	seen := map[string]bool{}
	add := func(language string) {
		if !seen[language] {
			seen[language] = true
			found = append(found, language)
		}
	}
	runs, err := m.history.Runs(ctx, history.RunFilter{})
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		add(run.Language)
	}
	kept, lost, err := m.history.OutstandingLanguages(ctx)
	if err != nil {
		return nil, err
	}
	slots, err := m.store.Languages()
	if err != nil {
		slots, lost = nil, true // there was something, and it cannot be read
	}
	for _, language := range append(kept, slots...) {
		add(language)
	}
	if lost || m.isLost(ctx) {
		for _, language := range m.store.RunLanguages() {
			add(language)
		}
		if len(found) == 0 {
			add("")
		}
	}
	return found, nil
}

// recallSets is [Host.recall] for what is outstanding, which is not nothing where runs
// are on record and their history is not.
func (h *Host) recallSets(ctx context.Context, where Where) (*memory, error) {
	store, err := h.openRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !store.HasRuns() && !store.HasOther(historyFile) && !h.keeping.hasAny(store.Workspace()) {
		return nil, &NoRunError{}
	}
	return h.told(h.settledMemory(ctx, store))
}
