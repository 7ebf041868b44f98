package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
)

// RunID finds the run that is meant: an id, the unique beginning of one, "last"
// or "prev", which are the newest finished runs of this session.
func (h *Host) RunID(ctx context.Context, where Where, ref string) (string, error) {
	m, err := h.recall(ctx, where)
	if err != nil {
		return "", err
	}
	run, err := m.findRun(ctx, ref, "")
	return run.ID, err
}

// findRun finds a run that is on record; language narrows "last" and "prev". An
// error about a beginning that several runs share names them.
func (m *memory) findRun(ctx context.Context, ref, language string) (history.Run, error) {
	if back := slices.Index(relatives(), ref); back >= 0 {
		runs, err := m.newest(ctx, language, back+1)
		if err != nil {
			return history.Run{}, err
		}
		if back >= len(runs) {
			return history.Run{}, &UsageError{
				Reason: fmt.Sprintf("there is no run %q: this session has %s", ref, record.Plural(len(runs), "finished run")), Fix: "`proctor runs` lists those of others too",
			}
		}
		return runs[back], nil
	}
	run, err := m.history.Run(ctx, ref)
	var none *history.NoRunError
	if !errors.As(err, &none) {
		return run, err
	}
	all, err := m.allRuns(ctx)
	if err != nil {
		return history.Run{}, err
	}
	var meant []history.Run
	for _, run := range all {
		if run.ID == ref {
			return run, nil
		}
		if ref != "" && strings.HasPrefix(run.ID, ref) {
			meant = append(meant, run)
		}
	}
	switch len(meant) {
	case 0:
		return history.Run{}, &UsageError{Reason: fmt.Sprintf("no run %q is on record in this workspace", ref), Fix: "`proctor runs` lists those that are"}
	case 1:
		return meant[0], nil
	}
	names := make([]string, 0, maxMatches)
	for _, run := range meant[:min(len(meant), maxMatches)] {
		names = append(names, run.ID+" ("+string(run.Kind)+", "+string(run.Verdict)+")")
	}
	return history.Run{}, &UsageError{
		Reason: fmt.Sprintf("run %q is not unique: %d begin with it", ref, len(meant)), Fix: "give more of the id: " + strings.Join(names, ", "),
	}
}

// storedRun is the record of the run that is meant. Without a history it is what
// the records themselves say.
func (m *memory) storedRun(ctx context.Context, ref, language string) (record.Run, error) {
	if m.history != nil && isRelative(ref) {
		run, err := m.findRun(ctx, ref, language)
		if err != nil {
			return record.Run{}, err
		}
		ref = run.ID
	}
	return m.store.Run(ref)
}

// storedRun is [memory.storedRun] for those that only have the records.
func (h *Host) storedRun(ctx context.Context, store *session.Store, ref, language string) (record.Run, error) {
	m, err := h.reading(ctx, store)
	if err != nil {
		return record.Run{}, err
	}
	return m.storedRun(ctx, ref, language)
}

// relatives are the references that are no ids, the newest run first.
func relatives() []string { return []string{"last", "prev"} }

func isRelative(ref string) bool { return slices.Contains(relatives(), ref) }

// newest are the newest finished runs of this session that stand for its "last"
// and "prev". One that could not be written into the history still is the last: an
// older one must not stand for it.
func (m *memory) newest(ctx context.Context, language string, limit int) ([]history.Run, error) {
	runs, err := m.comparable(ctx, history.RunFilter{SessionID: m.store.SessionID(), Language: language, Limit: limit})
	if err != nil {
		return nil, err
	}
	slot, ok, err := m.store.Slot(language)
	if !ok && err == nil && m.store.Disowned() {
		return nil, &UsageError{Reason: "it is not on record what the last run of this session was", Fix: "`proctor run` makes one, `proctor runs` lists the ones before it"}
	}
	if err != nil || !ok || slot.RunID == "" || slices.ContainsFunc(runs, func(r history.Run) bool { return r.ID == slot.RunID }) {
		return runs, err
	}
	var none *history.NoRunError
	if _, err := m.history.Run(ctx, slot.RunID); !errors.As(err, &none) {
		return runs, err
	}
	object, err := m.store.Run(slot.RunID)
	if err != nil {
		return nil, err // it ended and could not be kept; what it was nobody can say
	}
	if object.State != record.StateFinished {
		return runs, nil // it goes on
	}
	return append([]history.Run{historyRun(object)}, runs[:min(len(runs), limit-1)]...), nil
}

// comparable are finished runs of the tests of this workspace, newest first. What
// was made elsewhere is only meant where its session is.
func (m *memory) comparable(ctx context.Context, filter history.RunFilter) ([]history.Run, error) {
	filter.State, filter.Kinds = record.StateFinished, []record.Kind{record.KindRun, record.KindRerun}
	limit := filter.Limit
	if filter.SessionID == "" {
		filter.Limit = 0
	}
	runs, err := m.history.Runs(ctx, filter)
	if filter.SessionID == "" {
		runs = slices.DeleteFunc(runs, func(run history.Run) bool { return run.Origin != "" })
	}
	return runs[:min(len(runs), limit)], err
}
