package host

import (
	"context"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// settle ends those runs of a session whose proctor was killed: each becomes
// incomplete, with what was on record of it, and what it left undone is
// outstanding. Otherwise the run before would stand for the last one. A run that
// still goes on is left alone.
func (h *Host) settle(ctx context.Context, store *session.Store, language string) error {
	slot, _, err := store.Slot(language)
	if err != nil {
		return err
	}
	for _, id := range slot.Running {
		if store.Alive(id) {
			continue
		}
		run, err := store.Run(id)
		if err != nil {
			// Its record is gone; so that it is not asked for again, it still
			// has to leave the slot.
			run = record.Run{Schema: record.Schema, RunID: id, Language: language}
		}
		if err := h.abandon(ctx, store, run); err != nil {
			return err
		}
	}
	return nil
}

// settleAll does so for every language.
func (h *Host) settleAll(ctx context.Context, store *session.Store) error {
	languages, err := store.Languages()
	if err != nil {
		return err
	}
	for _, language := range languages {
		if err := h.settle(ctx, store, language); err != nil {
			return err
		}
	}
	return nil
}

// abandon finishes a killed run.
func (h *Host) abandon(ctx context.Context, store *session.Store, run record.Run) error {
	set, err := store.Outstanding(run.Language)
	if err != nil {
		return err
	}
	t := newTally()
	fold := rerun.NewFold(run.RunID, set, rerun.Scope{SomeTests: true, InsideTests: true})
	err = store.Results(run.RunID, func(r record.Result) bool {
		t.result(r)
		fold.Result(r)
		return true
	})
	if err != nil {
		return err
	}
	if err := store.Failures(run.RunID, func(f record.Failure) bool { t.failure(f); return true }); err != nil {
		return err
	}
	fold.RunUnknown()
	if run.StartedAt.IsZero() {
		run.StartedAt = h.cfg.Now().UTC()
	}
	run.State, run.Verdict, run.ExitCode = record.StateFinished, record.Incomplete, -1
	run.Reason = "proctor was killed during the run; what it had on record stands"
	run.Counts, run.FailuresTotal = t.counts, t.failuresTotal
	run.Failures, run.Unfinished = t.failures, t.unfinished
	sortFailures(run.Failures)
	set, err = store.Finish(ctx, run, set, func(current rerun.Set) rerun.Set { return fold.After(current, rerun.Partial) })
	if err != nil {
		return err
	}
	run.Outstanding = set.Len()
	if !store.Has(run.RunID) {
		return nil // nothing of it is left to complete
	}
	return store.Complete(run)
}
