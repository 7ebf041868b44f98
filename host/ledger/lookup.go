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
func (led *Ledger) Earlier(ctx context.Context, language string) *api.Earlier {
	if led.History == nil {
		return nil
	}
	languages := []string{language}
	if language == "" {
		var err error
		if languages, err = led.Languages(ctx); err != nil {
			return nil
		}
	}
	var found *api.Earlier
	for _, l := range languages {
		set, err := led.Outstanding(ctx, l)
		if err != nil || set.Len() == 0 {
			continue
		}
		e := describeSince(ctx, led, set)
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

// describeSince says since when a set is outstanding: its first entry is the oldest.
func describeSince(ctx context.Context, l *Ledger, set outstanding.Set) api.Earlier {
	e := api.Earlier{Kinds: set.Counts()}
	e.Count = e.Kinds.Total()
	run, err := l.History.Run(ctx, set.Entries[0].RunID)
	if err != nil {
		return e // it is no longer on record
	}
	e.RunID, e.SessionID, e.At = run.ID, run.SessionID, run.StartedAt
	e.AgeS = max(l.Keeper.Cfg.Now().Sub(run.StartedAt), 0).Seconds()
	e.Own = run.SessionID == l.Artifacts.SessionID()
	return e
}

// ForeignSince describes which entries of a set other sessions added, and since when. If
// sessions are not told apart, none is foreign.
func ForeignSince(ctx context.Context, l *Ledger, set outstanding.Set) (string, bool) {
	if l.Artifacts.LastOf() == "" {
		return "", false
	}
	var foreign outstanding.Set
	theirs := map[string]bool{}
	for _, e := range set.Entries {
		is, known := theirs[e.RunID]
		if !known && len(theirs) < maxSinceRuns {
			run, err := l.History.Run(ctx, e.RunID)
			is = err == nil && run.SessionID != l.Artifacts.SessionID()
			theirs[e.RunID] = is
		}
		if is {
			foreign.Entries = append(foreign.Entries, e)
		}
	}
	if foreign.Len() == 0 {
		return "", false
	}
	e := describeSince(ctx, l, foreign)
	return e.String(), true
}

// maxSinceRuns bounds how many runs are looked up to say since when a set is
// outstanding.
const maxSinceRuns = 50

// AdviseMissingSuite advises on a suite that a rerun could not set up: it may never have
// existed. One with a place in its sources does: as of an import cycle, only an edit helps.
func AdviseMissingSuite(run api.Run, requested []outstanding.Target) api.Advice {
	for _, failure := range run.Failures {
		whole := func(t outstanding.Target) bool { return t.TestID == sdk.TestID{Suite: failure.Suite} && t.Suite != "" }
		if failure.Kind == sdk.KindSetup && failure.File == "" && slices.ContainsFunc(requested, whole) {
			return api.Advice{Operation: api.AdviseDropSlip, Of: failure.Suite}
		}
	}
	return api.Advice{}
}

// SplitByLanguage returns one request for each language of the session, if req names
// neither a run nor a language: each language has its own last run, and omitting one
// could hide its failures.
func SplitByLanguage(ctx context.Context, k *Keeper, req api.LastRun) ([]api.LastRun, error) {
	if req.Ref != "" || req.Language != "" {
		return []api.LastRun{req}, nil
	}
	store, err := k.OpenRecords(req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
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

// AgeOf returns how long ago a run ended.
func AgeOf(k *Keeper, run api.Run) time.Duration {
	end := run.StartedAt.Add(time.Duration(run.DurationS * float64(time.Second)))
	return max(k.Cfg.Now().Sub(end), 0)
}

// Lookup finds the referenced run and the ledger that has it. The run's warnings say what
// could not be read.
func Lookup(ctx context.Context, k *Keeper, req api.LastRun) (api.Run, *Ledger, error) {
	run, l, err := lookupRun(ctx, k, req)
	if err != nil {
		return run, l, err
	}
	renewCauses(&run)
	run.Warnings = append(slices.Clip(run.Warnings), l.Notes(run.RunID)...)
	return run, l, nil
}

// Notes returns what an answer about a run cannot rely on.
func (l *Ledger) Notes(runID string) []api.Note {
	var notes []api.Note
	if note := artifacts.WhyNotOnRecord(l.Artifacts, runID); note != "" {
		notes = append(notes, api.Note{Code: api.NoteRecord, Text: note})
	}
	if l.trouble != nil {
		notes = append(notes, api.Note{Code: api.NoteRecord, Text: "earlier runs are left out of this answer: " + l.trouble.Error()})
	}
	return notes
}

// lookupRun finds the referenced run.
func lookupRun(ctx context.Context, k *Keeper, req api.LastRun) (api.Run, *Ledger, error) {
	store, err := k.OpenRecords(req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok && req.Ref != "" && req.Ref != "last" && req.Ref != "prev" {
		err = &api.UnknownRunError{Ref: req.Ref}
	}
	if err != nil {
		return api.Run{}, nil, err
	}
	l, err := OpenToRead(ctx, k, store)
	if err != nil {
		return api.Run{}, l, err
	}
	if req.Ref != "" {
		run, err := l.StoredRun(ctx, req.Ref, req.Language)
		return run, l, err
	}
	slot, ok, err := store.Slot(req.Language)
	if err != nil {
		return api.Run{}, l, err
	}
	if !ok {
		if err := checkRecorded(store); err != nil {
			return api.Run{}, l, err
		}
		return api.Run{}, l, NoRunOf(ctx, l, req.Language)
	}
	if slot.RunID == "" {
		return api.Run{}, l, noneFinished(ctx, l, req.Language, slot)
	}
	run, err := store.Run(slot.RunID)
	if n := len(slot.Running); n > 0 {
		run.Running = slot.Running[n-1]
	}
	return run, l, err
}

// noneFinished returns the error that no run has finished yet, naming one in progress.
func noneFinished(ctx context.Context, l *Ledger, language string, slot artifacts.Slot) error {
	none := &api.NoRunError{Language: language, Earlier: l.Earlier(ctx, language)}
	for _, id := range slot.Running {
		if l.Artifacts.Alive(id) {
			none.Running = id
		}
	}
	return none
}

// NoRunOf returns the error that a language has no run, or that none has. A language that
// never ran among others that did is most likely a typo.
func NoRunOf(ctx context.Context, l *Ledger, language string) error {
	languages, err := l.Artifacts.Languages()
	if err != nil {
		return err
	}
	if language == "" || len(languages) == 0 {
		return &api.NoRunError{Language: language, Earlier: l.Earlier(ctx, language)}
	}
	return &api.UsageError{
		Reason: fmt.Sprintf("there is no %s run yet", language),
		Fix:    "languages that have runs: " + strings.Join(languages, ", "),
	}
}

// OpenRecords finds the records of a workspace without asking any plugin: in the nearest
// directory that has some, going up.
func (k *Keeper) OpenRecords(where api.Where) (*artifacts.Store, error) {
	root, err := workspace.FindRoot(where.Dir, where.Exact, nil)
	var none *api.NoProjectError
	if err != nil && !errors.As(err, &none) {
		return nil, err
	}
	for _, dir := range append([]string{root.Path}, none.Looked...) {
		if store, ok := artifacts.OpenExisting(k.Records(dir)); ok {
			return store, nil
		}
	}
	return nil, &api.NoRunError{}
}

// Recorded reports whether a workspace has records. It starts no plugin.
func (k *Keeper) Recorded(where api.Where) bool {
	_, err := k.OpenRecords(where)
	return err == nil
}

// Languages returns the languages in which something may be outstanding: those with a run
// or a set on record. If sets were lost, that is every language that ran here; if it is
// unknown which did, it is the empty one.
func (l *Ledger) Languages(ctx context.Context) ([]string, error) {
	if p, err := l.principal(ctx); err != nil || p != l {
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
	runs, err := l.History.Runs(ctx, history.RunFilter{})
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		add(run.Language)
	}
	kept, lost, err := l.History.OutstandingLanguages(ctx)
	if err != nil {
		return nil, err
	}
	slots, err := l.Artifacts.Languages()
	if err != nil {
		slots, lost = nil, true // there was something, and it cannot be read
	}
	for _, language := range append(kept, slots...) {
		add(language)
	}
	if lost || l.isLost(ctx) {
		for _, language := range artifacts.RunLanguages(l.Artifacts) {
			add(language)
		}
		if len(found) == 0 {
			add("")
		}
	}
	return found, nil
}

// OpenSetsAt is [OpenAt] for questions about what is outstanding: if runs are on record
// without a history, the answer is not "nothing".
func OpenSetsAt(ctx context.Context, k *Keeper, where api.Where) (*Ledger, error) {
	store, err := k.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	if !hasHistory(store) && !artifacts.HasRuns(store) && !artifacts.HasOther(store, historyFile) && !k.keptSets.hasAny(store.Workspace()) {
		if err := checkRecorded(store); err != nil {
			return nil, err
		}
		return nil, &api.NoRunError{}
	}
	return openNoting(ctx, k, store)
}

// ExpectedSuites returns how many suites the last run of everything had, and how to learn
// which; 0 if unknown.
func ExpectedSuites(ctx context.Context, l *Ledger, language string) (count int, expected func() []api.ExpectedSuite) {
	none := func() []api.ExpectedSuite { return nil }
	if l == nil || l.History == nil {
		return 0, none
	}
	whole, err := l.History.Runs(ctx, history.RunFilter{Language: language, Whole: true, State: api.StateFinished, Limit: lookedAt})
	if err != nil || len(whole) == 0 {
		return 0, none
	}
	// One that left tests out may have ended before it got to some suites, as with -failfast.
	last := whole[max(0, slices.IndexFunc(whole, func(r history.Run) bool { return r.Counts.NeverStarted == 0 }))]
	return last.Counts.Suites, func() []api.ExpectedSuite {
		// Also when the run was interrupted, which is when names are missing.
		suites, _ := l.History.SuitesOf(context.WithoutCancel(ctx), last.ID, last.Counts.Suites)
		return suites
	}
}

// lookedAt is how many runs of everything are looked at for one that got to every suite.
const lookedAt = 10
