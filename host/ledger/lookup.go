package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Earlier returns what other sessions left outstanding in a language, or in all; nil if
// nothing. It never fails: it accompanies an answer.
func (m *Ledger) Earlier(ctx context.Context, language string) *api.Earlier {
	if m.History == nil {
		return nil
	}
	languages := []string{language}
	if language == "" {
		var err error
		if languages, err = m.Languages(ctx); err != nil {
			return nil
		}
	}
	var found *api.Earlier
	for _, l := range languages {
		set, err := m.Outstanding(ctx, l)
		if err != nil || set.Len() == 0 {
			continue
		}
		e := describeSince(ctx, m, set)
		switch {
		case found == nil:
			found = &e
		case !e.At.IsZero() && e.At.Before(found.At):
			e.Add(*found)
			found = &e
		default:
			found.Add(e)
		}
	}
	return found
}

// describeSince says since when a set is outstanding: its first entry was added first.
func describeSince(ctx context.Context, m *Ledger, set outstanding.Set) api.Earlier {
	e := api.Earlier{Count: set.Len(), Kinds: set.Counts()}
	run, err := m.History.Run(ctx, set.Entries[0].RunID)
	if err != nil {
		return e // it is no longer on record
	}
	e.RunID, e.SessionID, e.At = run.ID, run.SessionID, run.StartedAt
	e.AgeS = max(m.Keeper.Cfg.Now().Sub(run.StartedAt), 0).Seconds()
	e.Own = run.SessionID == m.Artifacts.SessionID()
	return e
}

// ForeignSince says what of a set other sessions made outstanding, and since when. Where
// no session counts, none is foreign.
func ForeignSince(ctx context.Context, m *Ledger, set outstanding.Set) (string, bool) {
	if m.Artifacts.LastOf() == "" {
		return "", false
	}
	var foreign outstanding.Set
	theirs := map[string]bool{}
	for _, e := range set.Entries {
		is, known := theirs[e.RunID]
		if !known && len(theirs) < maxSinceRuns {
			run, err := m.History.Run(ctx, e.RunID)
			is = err == nil && run.SessionID != m.Artifacts.SessionID()
			theirs[e.RunID] = is
		}
		if is {
			foreign.Entries = append(foreign.Entries, e)
		}
	}
	if foreign.Len() == 0 {
		return "", false
	}
	e := describeSince(ctx, m, foreign)
	return e.String(), true
}

// maxSinceRuns bounds how many runs are looked up to say since when a set is
// outstanding.
const maxSinceRuns = 50

// SlipAdvice says what to do about a suite that a rerun could not set up: it may never
// have existed.
func SlipAdvice(run api.Run, requested []outstanding.Target) api.Advice {
	for _, failure := range run.Failures {
		whole := func(t outstanding.Target) bool { return t.TestID == sdk.TestID{Suite: failure.Suite} && t.Suite != "" }
		if failure.Kind == sdk.KindSetup && slices.ContainsFunc(requested, whole) {
			return api.Advice{Operation: api.AdviseDropSlip, Of: failure.Suite}
		}
	}
	return api.Advice{}
}

// EachLanguage returns requests for the last run of each language of the session, if
// req names neither a run nor a language: each language has a last run of its own, and
// omitting one could hide what failed in it.
func EachLanguage(ctx context.Context, h *Keeper, req api.LastRun) ([]api.LastRun, error) {
	if req.Ref != "" || req.Language != "" {
		return []api.LastRun{req}, nil
	}
	store, err := h.OpenRecords(req.Where)
	var none *api.NoRunError
	if errors.As(err, &none) {
		return []api.LastRun{req}, nil // the answer is that there is none
	}
	if err != nil {
		return nil, err
	}
	languages, err := store.Languages()
	if err != nil || len(languages) == 0 {
		return []api.LastRun{req}, err
	}
	requests := make([]api.LastRun, len(languages))
	for i, language := range languages {
		requests[i] = req
		requests[i].Language = language
	}
	return requests, ctx.Err()
}

// Age returns how long ago a run ended.
func Age(h *Keeper, run api.Run) time.Duration {
	end := run.StartedAt.Add(time.Duration(run.DurationS * float64(time.Second)))
	return max(h.Cfg.Now().Sub(end), 0)
}

// Lookup finds the referenced run and its record. The run's warnings say what could not
// be read of either.
func Lookup(ctx context.Context, h *Keeper, req api.LastRun) (api.Run, *Ledger, error) {
	run, m, err := lookupRun(ctx, h, req)
	if err != nil {
		return run, m, err
	}
	renewCauses(&run)
	run.Warnings = append(slices.Clip(run.Warnings), m.Notes(run.RunID)...)
	return run, m, nil
}

// Notes say what an answer about a run cannot rely on.
func (m *Ledger) Notes(runID string) []api.Note {
	var notes []api.Note
	if note := artifacts.WhyNotOnRecord(m.Artifacts, runID); note != "" {
		notes = append(notes, api.Note{Code: api.NoteRecord, Text: note})
	}
	if m.trouble != nil {
		notes = append(notes, api.Note{Code: api.NoteRecord, Text: "what is known of earlier runs is left out: " + m.trouble.Error()})
	}
	return notes
}

// lookupRun finds the referenced run.
func lookupRun(ctx context.Context, h *Keeper, req api.LastRun) (api.Run, *Ledger, error) {
	store, err := h.OpenRecords(req.Where)
	var none *api.NoRunError
	if errors.As(err, &none) && req.Ref != "" && req.Ref != "last" && req.Ref != "prev" {
		err = &api.UnknownRunError{Ref: req.Ref}
	}
	if err != nil {
		return api.Run{}, nil, err
	}
	m, err := OpenToRead(ctx, h, store)
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
		if err := checkRecorded(store); err != nil {
			return api.Run{}, m, err
		}
		return api.Run{}, m, NoRunOf(ctx, m, req.Language)
	}
	if slot.RunID == "" {
		return api.Run{}, m, noneFinished(ctx, m, req.Language, slot)
	}
	run, err := store.Run(slot.RunID)
	if n := len(slot.Running); n > 0 {
		run.Running = slot.Running[n-1]
	}
	return run, m, err
}

// noneFinished says that no run has finished yet, and which one is in progress.
func noneFinished(ctx context.Context, m *Ledger, language string, slot artifacts.Slot) error {
	none := &api.NoRunError{Language: language, Earlier: m.Earlier(ctx, language)}
	for _, id := range slot.Running {
		if m.Artifacts.Alive(id) {
			none.Running = id
		}
	}
	return none
}

// NoRunOf says that a language has no run, or that nothing has: a language that never
// ran, among others that did, is most likely a typo.
func NoRunOf(ctx context.Context, m *Ledger, language string) error {
	languages, err := m.Artifacts.Languages()
	if err != nil {
		return err
	}
	if language == "" || len(languages) == 0 {
		return &api.NoRunError{Language: language, Earlier: m.Earlier(ctx, language)}
	}
	return &api.UsageError{
		Reason: fmt.Sprintf("there is no %s run yet", language),
		Fix:    "languages that have runs: " + strings.Join(languages, ", "),
	}
}

// OpenRecords finds the records of the workspace without asking any plugin: in the
// nearest directory that has some, going up from the user's directory.
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

// Recorded reports whether a workspace has records. It starts no plugin.
func (h *Keeper) Recorded(where api.Where) bool {
	_, err := h.OpenRecords(where)
	return err == nil
}

// Languages returns those in which something may be outstanding: those with a run on
// record, and those with a set although their runs are gone. If sets were lost, it may
// be any that ran here; if nobody knows which did, it is one without a name.
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
		for _, language := range artifacts.RunLanguages(m.Artifacts) {
			add(language)
		}
		if len(found) == 0 {
			add("")
		}
	}
	return found, nil
}

// OpenSetsAt is [OpenAt] for what is outstanding, which is not nothing if runs
// are on record but their history is not.
func OpenSetsAt(ctx context.Context, h *Keeper, where api.Where) (*Ledger, error) {
	store, err := h.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !artifacts.HasRuns(store) && !artifacts.HasOther(store, historyFile) && !h.keptSets.hasAny(store.Workspace()) {
		return nil, &api.NoRunError{}
	}
	return openNoting(ctx, h, store)
}
