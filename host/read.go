package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/host/workspace"
)

// LastRun asks for a run: the last one of the session, or a given one.
type LastRun struct {
	Where Where
	// Ref is a run id, the unique beginning of one, "last" or "prev"; empty is
	// the last run of Language.
	Ref string
	// Language narrows the last run; empty is that of any.
	Language string
}

// Failures returns the last run with its first limit failures, and how old it
// is. It never starts a plugin.
func (h *Host) Failures(ctx context.Context, req LastRun, limit int) (record.Run, time.Duration, error) {
	run, m, err := h.lookup(ctx, req)
	if err != nil {
		return run, 0, err
	}
	store := m.store
	limit = ClampFailuresLimit(limit)
	failures := []record.Failure{}
	err = store.Failures(run.RunID, func(f record.Failure) bool {
		failures = append(failures, f)
		return len(failures) < record.MaxFailures
	})
	// The object has the first ones itself: a record that was cut must not hide them.
	if len(failures) >= len(run.Failures) {
		run.Failures = failures
	}
	sortFailures(run.Failures)
	run.Failures = run.Failures[:min(len(run.Failures), limit)]
	sign(&run, totalsOf(run.Causes))
	m.reread(ctx, &run)
	return run, h.age(run), err
}

// Show returns a run with every test's result and every failure.
func (h *Host) Show(ctx context.Context, req LastRun) (record.Run, time.Duration, error) {
	run, m, err := h.lookup(ctx, req)
	if err != nil {
		return run, 0, err
	}
	store := m.store
	run.Results = []record.Result{}
	err = store.Results(run.RunID, func(r record.Result) bool {
		run.Results = append(run.Results, r)
		return ctx.Err() == nil
	})
	if err != nil {
		return run, h.age(run), err
	}
	var failures []record.Failure
	err = store.Failures(run.RunID, func(f record.Failure) bool {
		failures = append(failures, f)
		return ctx.Err() == nil
	})
	// The object has the first ones itself: a record that was cut must not hide them.
	if len(failures) > len(run.Failures) {
		sortFailures(failures)
		run.Failures = failures
	}
	sign(&run, totalsOf(run.Causes))
	m.reread(ctx, &run)
	return run, h.age(run), errors.Join(err, ctx.Err())
}

// age is how long ago a run ended.
func (h *Host) age(run record.Run) time.Duration {
	end := run.StartedAt.Add(time.Duration(run.DurationS * float64(time.Second)))
	return max(h.cfg.Now().Sub(end), 0)
}

// lookup finds the run that is meant, and what is on record beside it. The run's
// warnings say what could not be read of either.
func (h *Host) lookup(ctx context.Context, req LastRun) (record.Run, *memory, error) {
	run, m, err := h.lookupRun(ctx, req)
	if err != nil {
		return run, m, err
	}
	renewCauses(&run)
	run.Warnings = append(slices.Clip(run.Warnings), m.notes(run.RunID)...)
	return run, m, nil
}

// notes say what an answer about a run cannot rely on.
func (m *memory) notes(runID string) []string {
	var notes []string
	if note := m.store.NotOnRecord(runID); note != "" {
		notes = append(notes, note)
	}
	if m.trouble != nil {
		notes = append(notes, "what is known of earlier runs is left out: "+m.trouble.Error())
	}
	return notes
}

// lookupRun finds the run that is meant.
func (h *Host) lookupRun(ctx context.Context, req LastRun) (record.Run, *memory, error) {
	store, err := h.openRecords(req.Where)
	var none *NoRunError
	if errors.As(err, &none) && req.Ref != "" && req.Ref != "last" && req.Ref != "prev" {
		err = &session.NoRunError{Ref: req.Ref}
	}
	if err != nil {
		return record.Run{}, nil, err
	}
	m, err := h.reading(ctx, store)
	if err != nil {
		return record.Run{}, m, err
	}
	if req.Ref != "" {
		run, err := m.storedRun(ctx, req.Ref, req.Language)
		return run, m, err
	}
	slot, ok, err := store.Slot(req.Language)
	if err != nil {
		return record.Run{}, m, err
	}
	if !ok {
		if err := unrecorded(store); err != nil {
			return record.Run{}, m, err
		}
		return record.Run{}, m, m.noRunOf(ctx, req.Language)
	}
	if slot.RunID == "" {
		return record.Run{}, m, m.noneFinished(ctx, req.Language, slot)
	}
	run, err := store.Run(slot.RunID)
	if n := len(slot.Running); n > 0 {
		run.Running = slot.Running[n-1]
	}
	return run, m, err
}

// noneFinished says that no run has finished yet, and which one goes on.
func (m *memory) noneFinished(ctx context.Context, language string, slot session.Slot) error {
	none := &NoRunError{Language: language, Earlier: m.earlier(ctx, language)}
	for _, id := range slot.Running {
		if m.store.Alive(id) {
			none.Running = id
		}
	}
	return none
}

// noRunOf says that a language has no run, or that nothing has: a language that
// was never run, beside others that were, is most likely a slip.
func (m *memory) noRunOf(ctx context.Context, language string) error {
	languages, err := m.store.Languages()
	if err != nil {
		return err
	}
	if language == "" || len(languages) == 0 {
		return &NoRunError{Language: language, Earlier: m.earlier(ctx, language)}
	}
	return &UsageError{
		Reason: fmt.Sprintf("there is no %s run in this session", language),
		Fix:    "languages that have runs: " + strings.Join(languages, ", "),
	}
}

// openRecords finds the records of the workspace without asking any plugin: the
// nearest directory, from where the user stands upwards, that has some.
func (h *Host) openRecords(where Where) (*session.Store, error) {
	root, err := workspace.FindRoot(where.Dir, where.Exact, nil)
	var none *workspace.NoProjectError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	for _, dir := range append([]string{root.Path}, none.Looked...) {
		if store, ok := session.Existing(h.records(dir)); ok {
			return store, nil
		}
	}
	return nil, &NoRunError{}
}
