package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/workspace"
)

// Age is how long ago a run ended.
func (h *Keeper) Age(run api.Run) time.Duration {
	end := run.StartedAt.Add(time.Duration(run.DurationS * float64(time.Second)))
	return max(h.Cfg.Now().Sub(end), 0)
}

// Lookup finds the run that is meant, and what is on record beside it. The run's
// warnings say what could not be read of either.
func (h *Keeper) Lookup(ctx context.Context, req api.LastRun) (api.Run, *Ledger, error) {
	run, m, err := h.lookupRun(ctx, req)
	if err != nil {
		return run, m, err
	}
	renewCauses(&run)
	run.Warnings = append(slices.Clip(run.Warnings), m.Notes(run.RunID)...)
	return run, m, nil
}

// Notes say what an answer about a run cannot rely on.
func (m *Ledger) Notes(runID string) []string {
	var notes []string
	if note := m.Artifacts.NotOnRecord(runID); note != "" {
		notes = append(notes, note)
	}
	if m.trouble != nil {
		notes = append(notes, "what is known of earlier runs is left out: "+m.trouble.Error())
	}
	return notes
}

// lookupRun finds the run that is meant.
func (h *Keeper) lookupRun(ctx context.Context, req api.LastRun) (api.Run, *Ledger, error) {
	store, err := h.OpenRecords(req.Where)
	var none *api.NoRunError
	if errors.As(err, &none) && req.Ref != "" && req.Ref != "last" && req.Ref != "prev" {
		err = &api.UnknownRunError{Ref: req.Ref}
	}
	if err != nil {
		return api.Run{}, nil, err
	}
	m, err := h.Reading(ctx, store)
	if err != nil {
		return api.Run{}, m, err
	}
	if req.Ref != "" {
		run, err := m.StoredRun(ctx, req.Ref, req.Language)
		return run, m, err
	}
	slot, ok, err := store.Slot(req.Language)
	if err != nil {
		return api.Run{}, m, err
	}
	if !ok {
		if err := unrecorded(store); err != nil {
			return api.Run{}, m, err
		}
		return api.Run{}, m, m.NoRunOf(ctx, req.Language)
	}
	if slot.RunID == "" {
		return api.Run{}, m, m.noneFinished(ctx, req.Language, slot)
	}
	run, err := store.Run(slot.RunID)
	if n := len(slot.Running); n > 0 {
		run.Running = slot.Running[n-1]
	}
	return run, m, err
}

// noneFinished says that no run has finished yet, and which one goes on.
func (m *Ledger) noneFinished(ctx context.Context, language string, slot artifacts.Slot) error {
	none := &api.NoRunError{Language: language, Earlier: m.Earlier(ctx, language)}
	for _, id := range slot.Running {
		if m.Artifacts.Alive(id) {
			none.Running = id
		}
	}
	return none
}

// NoRunOf says that a language has no run, or that nothing has: a language that
// was never run, beside others that were, is most likely a slip.
func (m *Ledger) NoRunOf(ctx context.Context, language string) error {
	languages, err := m.Artifacts.Languages()
	if err != nil {
		return err
	}
	if language == "" || len(languages) == 0 {
		return &api.NoRunError{Language: language, Earlier: m.Earlier(ctx, language)}
	}
	return &api.UsageError{
		Reason: fmt.Sprintf("there is no %s run in this session", language),
		Fix:    "languages that have runs: " + strings.Join(languages, ", "),
	}
}

// OpenRecords finds the records of the workspace without asking any plugin: the
// nearest directory, from where the user stands upwards, that has some.
func (h *Keeper) OpenRecords(where api.Where) (*artifacts.Store, error) {
	root, err := workspace.FindRoot(where.Dir, where.Exact, nil)
	var none *api.NoProjectError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	for _, dir := range append([]string{root.Path}, none.Looked...) {
		if store, ok := artifacts.Existing(h.Records(dir)); ok {
			return store, nil
		}
	}
	return nil, &api.NoRunError{}
}

// Recorded reports whether there are records of a workspace. It starts no plugin.
func (h *Keeper) Recorded(where api.Where) bool {
	_, err := h.OpenRecords(where)
	return err == nil
}
