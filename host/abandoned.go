package host

import (
	"context"
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// settle ends those runs of the workspace that have no end on record and do not go on,
// mostly since their proctor was killed: each becomes incomplete, with what was on record of it, and what it left undone is
// outstanding. Otherwise the run before would stand for the last one. A run that
// still goes on is left alone.
func (m *memory) settle(ctx context.Context) error {
	running, err := m.history.Runs(ctx, history.RunFilter{State: record.StateRunning})
	if err != nil {
		return err
	}
	for _, row := range running {
		if err := m.settleRun(ctx, bare(row)); err != nil {
			return err
		}
	}
	return m.settleSlots(ctx)
}

// settleSlots ends what the session's slots still call running although the
// history does not.
func (m *memory) settleSlots(ctx context.Context) error {
	languages, err := m.store.Languages()
	if err != nil {
		return err
	}
	for _, language := range languages {
		slot, _, err := m.store.Slot(language)
		if err != nil {
			return err
		}
		for _, id := range slot.Running {
			run := record.Run{Schema: record.Schema, RunID: id, Language: language, SessionID: m.store.SessionID()}
			if err := m.settleRun(ctx, run); err != nil {
				return err
			}
		}
	}
	return m.settleKept(ctx)
}

// settleKept puts on record what only this process remembers of the last runs of the
// session: their record was removed, or could not be written before.
func (m *memory) settleKept(ctx context.Context) error {
	for _, run := range m.store.Kept() {
		_, err := m.history.Run(ctx, run.RunID)
		var unknown *history.NoRunError
		if err != nil && !errors.As(err, &unknown) {
			return err
		}
		if err == nil && m.store.NotOnRecord(run.RunID) == "" {
			continue
		}
		if err := m.settleRun(ctx, run); err != nil {
			return err
		}
	}
	return nil
}

// settleRun ends one run, unless it goes on or somebody else is at it. known is
// what is known of it without its artefacts.
func (m *memory) settleRun(ctx context.Context, known record.Run) error {
	release, free := m.store.Claim(known.RunID)
	if !free {
		return nil
	}
	defer release()
	// It may have ended since somebody said that it was running.
	row, err := m.history.Run(ctx, known.RunID)
	var unknown *history.NoRunError
	if err != nil && !errors.As(err, &unknown) {
		return err
	}
	onRecord := err == nil && row.ID == known.RunID
	run, err := m.store.Run(known.RunID)
	switch {
	case err == nil && run.State == record.StateFinished:
		// It came to its end, and only the history or the slot was not told.
		if onRecord && row.State != record.StateFinished || !onRecord && m.store.IsKept(run.RunID) {
			if err := m.catchUp(ctx, run, onRecord); err != nil {
				return err
			}
		}
		if err := m.store.Restore(ctx, run.RunID); err != nil {
			return err
		}
		return m.leaveSlot(ctx, run)
	case err != nil:
		run = known // its record is gone
		if onRecord && row.State == record.StateFinished {
			return m.leaveSlot(ctx, run)
		}
	}
	return m.abandon(ctx, run)
}

// leaveSlot makes a run that its session's slot calls running the last one.
func (m *memory) leaveSlot(ctx context.Context, run record.Run) error {
	slot, _, err := m.store.Slot(run.Language)
	if err != nil || !slices.Contains(slot.Running, run.RunID) {
		return err
	}
	return m.store.Finish(ctx, run)
}

// settleAll opens the history beside the records, if there is one, and ends runs
// that have no end.
func (h *Host) settleAll(ctx context.Context, store *session.Store) error {
	_, err := h.reading(ctx, store)
	return err
}

// bare is a run of which nothing but its line in the history is left.
func bare(row history.Run) record.Run {
	return record.Run{
		Schema: record.Schema, RunID: row.ID, SessionID: row.SessionID, Kind: row.Kind, Language: row.Language,
		StartedAt: row.StartedAt, Plugin: record.Plugin{Name: row.Plugin, Version: row.PluginVersion},
		Environment: row.Environment, Seed: row.Seed, Origin: row.Origin,
	}
}

// abandon finishes a run that has no end on record.
func (m *memory) abandon(ctx context.Context, run record.Run) error {
	t := newTally()
	fold, err := m.replay(ctx, run, t)
	if err != nil {
		return err
	}
	unwritten := m.store.IsUnwritten(run.RunID)
	if unwritten {
		fold.RunUnknown(rerun.WhyUnwritten)
	} else {
		fold.RunUnknown(rerun.WhyNoEnd)
	}
	if run.StartedAt.IsZero() {
		run.StartedAt = m.host.cfg.Now().UTC()
	}
	run.State, run.Verdict, run.ExitCode = record.StateFinished, record.Incomplete, -1
	run.Reason = "the run has no end on record: proctor was killed, or the end could not be written; what it had on record stands"
	if unwritten {
		run.Reason = "the run came to its end, which could not be written, as on a full disk; what it had on record stands"
	}
	run.Counts, run.FailuresTotal = t.counted(), t.failuresTotal
	run.Failures, run.Unfinished = t.failures, t.unfinished
	sortFailures(run.Failures)
	sign(&run, t.causes)
	if !leavesNothing(run.Kind) && run.Origin == "" {
		set, err := m.updateOutstanding(ctx, run.Language, func(current rerun.Set) rerun.Set { return fold.After(current, rerun.Partial) })
		if err != nil {
			return err
		}
		run.Outstanding, run.OutstandingCounts = set.Len(), set.Counts()
	}
	var unknown *history.NoRunError
	if err := m.history.Amend(ctx, historyRun(run)); err != nil && !errors.As(err, &unknown) {
		return err
	}
	if err := m.leaveSlot(ctx, run); err != nil {
		return err
	}
	if !m.store.Has(run.RunID) {
		return nil // nothing of it is left to complete
	}
	return m.store.Complete(run)
}

// replay reads what is on record of a run that ended without telling the history.
// What cannot be read of it is missing: the caller must not take it for all.
func (m *memory) replay(ctx context.Context, run record.Run, heard recorder) (*rerun.Fold, error) {
	set, err := m.outstanding(ctx, run.Language)
	if err != nil {
		return nil, err
	}
	saw, _ := m.store.Surroundings(run.RunID)
	fold := rerun.NewFold(run.RunID, set, rerun.Scope{SomeTests: true, InsideTests: true, Args: saw.Args, Way: (*rerun.Way)(saw.Way)})
	err = m.store.Results(run.RunID, func(r record.Result) bool {
		heard.Result(r)
		fold.Result(r)
		return ctx.Err() == nil
	})
	unread := m.store.Failures(run.RunID, func(f record.Failure) bool {
		heard.Failure(f)
		id := record.Test{Suite: f.Suite, Test: f.Test}
		fold.Failure(id, whyOf(f.Kind))
		fold.Blame(id, f.Kind == sdk.KindSignal)
		return ctx.Err() == nil
	})
	if err = errors.Join(err, unread); err != nil {
		m.host.cfg.Logger.Warn("the record of a run that was cut off cannot be read whole", "run", run.RunID, "error", err)
	}
	return fold, ctx.Err()
}

// catchUp takes into the history a run that came to its end when that could not be
// written there. What it left outstanding was not written either, unless this process
// remembers it. onRecord: that it began was.
func (m *memory) catchUp(ctx context.Context, run record.Run, onRecord bool) error {
	amended := historyRun(run)
	if run.Origin != "" {
		amended.Verdict = record.Incomplete // to be taken in again
		return m.history.Amend(ctx, amended)
	}
	if leavesNothing(run.Kind) {
		return m.history.Amend(ctx, amended)
	}
	newest, err := m.history.Runs(ctx, history.RunFilter{Limit: 1})
	if err != nil {
		return err
	}
	var heard recorder = newTally()
	var c *chronicle
	if !onRecord || len(newest) == 1 && newest[0].ID == run.RunID {
		// Nothing came after it: it is told anew, with all its results.
		begun := run
		begun.State = record.StateRunning
		if err := m.takeOff(ctx, run.RunID); err != nil {
			return err
		}
		if c, err = m.chronicle(ctx, begun); err != nil {
			return err
		}
		heard = c
	}
	fold, err := m.replay(ctx, run, heard)
	if err != nil {
		return err
	}
	if kept, ok := m.host.keeping.get(m.key(run.Language)); !m.store.IsKept(run.RunID) || !ok || isRed(run.Verdict) && !kept.tells(run.RunID) {
		if isRed(run.Verdict) {
			fold.RunUnknown("")
		}
		_, err = m.updateOutstanding(ctx, run.Language, func(current rerun.Set) rerun.Set { return fold.After(current, rerun.Partial) })
	}
	switch {
	case err != nil:
		return err
	case c != nil:
		return c.finish(ctx, run, false, nil)
	}
	return m.history.Amend(ctx, amended)
}

// leavesNothing tells whether a run of a kind says nothing about what is
// outstanding: it was of other sources, or read from a file.
func leavesNothing(kind record.Kind) bool {
	return kind == record.KindTriage || kind == record.KindIngest || kind == record.KindParsed
}
