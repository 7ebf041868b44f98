package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// FindRunID resolves a reference to a run: an id, the unique beginning of one, or "last"
// and "prev" for the newest finished runs.
func FindRunID(ctx context.Context, k *Keeper, where api.Where, ref string) (string, error) {
	l, err := OpenAt(ctx, k, where)
	if err != nil {
		return "", err
	}
	run, err := l.FindRun(ctx, ref, "")
	return run.ID, err
}

// FindRun finds a recorded run; language selects "last" and "prev". An error about an
// ambiguous prefix names the runs.
func (l *Ledger) FindRun(ctx context.Context, ref, language string) (history.Run, error) {
	if back := slices.Index(relativeRefs(), ref); back >= 0 {
		runs, err := findNewest(ctx, l, language, back+1)
		if err != nil {
			return history.Run{}, err
		}
		if back >= len(runs) {
			return history.Run{}, &api.UsageError{
				Reason: fmt.Sprintf("there is no run %q: finished so far: %s", ref, api.Plural(len(runs), "run")), Advice: api.Advice{Operation: api.AdviseRuns},
			}
		}
		return runs[back], nil
	}
	run, err := l.History.Run(ctx, ref)
	if _, ok := errors.AsType[*history.NoRunError](err); !ok {
		return run, err
	}
	all, err := l.AllRuns(ctx)
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
		return history.Run{}, &api.UsageError{Reason: fmt.Sprintf("no run %q is on record in this workspace", ref), Advice: api.Advice{Operation: api.AdviseRuns}}
	case 1:
		return meant[0], nil
	}
	names := make([]string, 0, MaxMatches)
	for _, run := range meant[:min(len(meant), MaxMatches)] {
		names = append(names, run.ID+" ("+string(run.Kind)+", "+string(run.Verdict)+")")
	}
	return history.Run{}, &api.UsageError{
		Reason: fmt.Sprintf("run %q is not unique: %d begin with it", ref, len(meant)), Fix: "give more of the id: " + strings.Join(names, ", "),
	}
}

// StoredRun returns the record of the referenced run. Without a history it relies on
// the records themselves.
func (l *Ledger) StoredRun(ctx context.Context, ref, language string) (api.Run, error) {
	if l.History != nil && isRelative(ref) {
		run, err := l.FindRun(ctx, ref, language)
		if err != nil {
			return api.Run{}, err
		}
		ref = run.ID
	}
	return l.Artifacts.Run(ref)
}

// StoredRun is [Ledger.StoredRun] for callers with only the records.
func StoredRun(ctx context.Context, k *Keeper, store *artifacts.Store, ref, language string) (api.Run, error) {
	l, err := OpenToRead(ctx, k, store)
	if err != nil {
		return api.Run{}, err
	}
	return l.StoredRun(ctx, ref, language)
}

// relativeRefs are the references that are not ids, newest run first.
func relativeRefs() []string { return []string{"last", "prev"} }

func isRelative(ref string) bool { return slices.Contains(relativeRefs(), ref) }

// findNewest returns the newest finished runs, for "last" and "prev". A run that could
// not be written to the history is still the last one: an older run must not take its
// place.
func findNewest(ctx context.Context, l *Ledger, language string, limit int) ([]history.Run, error) {
	runs, err := l.ComparableRuns(ctx, history.RunFilter{SessionID: l.Artifacts.LastOf(), Language: language, Limit: limit})
	if err != nil {
		return nil, err
	}
	slot, ok, err := l.Artifacts.Slot(language)
	if !ok && err == nil && artifacts.IsDisowned(l.Artifacts) {
		return nil, &api.UsageError{Reason: "the last run could not be recorded, so it is unknown which it was", Fix: "run the tests again"}
	}
	if err != nil || !ok || slot.RunID == "" || slices.ContainsFunc(runs, func(r history.Run) bool { return r.ID == slot.RunID }) {
		return runs, err
	}
	var none *history.NoRunError
	if _, err := l.History.Run(ctx, slot.RunID); !errors.As(err, &none) {
		return runs, err
	}
	object, err := l.Artifacts.Run(slot.RunID)
	if err != nil {
		return nil, err // it ended, but could not be recorded
	}
	if object.State != api.StateFinished {
		return runs, nil // it is in progress
	}
	return append([]history.Run{ToHistoryRun(object)}, runs[:min(len(runs), limit-1)]...), nil
}

// ComparableRuns returns finished runs of this workspace's tests, newest first. Imported
// runs count only in their own session.
func (l *Ledger) ComparableRuns(ctx context.Context, filter history.RunFilter) ([]history.Run, error) {
	filter.State, filter.Kinds = api.StateFinished, []api.Kind{api.KindRun, api.KindRerun, api.KindMerge}
	limit := filter.Limit
	if filter.SessionID == "" {
		filter.Limit = 0
	}
	runs, err := l.History.Runs(ctx, filter)
	if filter.SessionID == "" {
		runs = slices.DeleteFunc(runs, func(run history.Run) bool { return run.Origin != "" })
	}
	return runs[:min(len(runs), limit)], err
}

// MaxMatches is how many meanings of an ambiguous name an error lists.
const MaxMatches = 5

// Warnings returns the notes that belong to any answer from the record.
func (l *Ledger) Warnings() []api.Note {
	if l.notice == nil {
		return nil
	}
	return api.Notes(api.NoteRecord, l.notice.Error())
}

// AllRuns returns all runs, newest first: those of the history, and those that only have
// a folder because the history could not be written or has been replaced since.
func (l *Ledger) AllRuns(ctx context.Context) ([]history.Run, error) {
	runs, err := l.History.Runs(ctx, history.RunFilter{})
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(runs))
	for _, run := range runs {
		known[run.ID] = true
	}
	ids, err := artifacts.ListRunIDs(l.Artifacts)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if known[id] {
			continue
		}
		// An unreadable run must not hide the others.
		if run, err := l.Artifacts.Object(id); err == nil {
			runs = append(runs, ToHistoryRun(run))
		}
	}
	return newestFirst(runs), ctx.Err()
}

// newestFirst sorts runs. Our own keep the order in which they were made, whatever the
// clock said; imported runs, and those that only have a folder, are sorted in by time.
func newestFirst(runs []history.Run) []history.Run {
	own, others := make([]history.Run, 0, len(runs)), []history.Run{}
	for _, run := range runs {
		if run.Origin == "" && run.Order > 0 {
			own = append(own, run)
		} else {
			others = append(others, run)
		}
	}
	slices.SortStableFunc(own, func(a, b history.Run) int { return cmp.Compare(b.Order, a.Order) })
	slices.SortStableFunc(others, func(a, b history.Run) int { return b.StartedAt.Compare(a.StartedAt) })
	ordered := make([]history.Run, 0, len(runs))
	for _, run := range own {
		for len(others) > 0 && others[0].StartedAt.After(run.StartedAt) {
			ordered, others = append(ordered, others[0]), others[1:]
		}
		ordered = append(ordered, run)
	}
	return append(ordered, others...)
}
