package ledger

import (
	"context"
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/tally"
)

// settle ends the workspace's runs without a recorded end that are not in progress,
// mostly because their proctor was killed: each becomes incomplete, with what was
// recorded of it, and what it left undone is outstanding. Otherwise the previous run
// would pass for the last one. Runs in progress are left alone.
func (m *Ledger) settle(ctx context.Context) error {
	running, err := m.History.Runs(ctx, history.RunFilter{State: api.StateRunning})
	if err != nil {
		return err
	}
	for _, row := range running {
		if err := settleRun(ctx, m, Bare(row)); err != nil {
			return err
		}
	}
	return settleSlots(ctx, m)
}

// settleSlots ends runs that the session's slots still call running although the
// history does not.
func settleSlots(ctx context.Context, m *Ledger) error {
	languages, err := m.Artifacts.Languages()
	if err != nil {
		return err
	}
	for _, language := range languages {
		slot, _, err := m.Artifacts.Slot(language)
		if err != nil {
			return err
		}
		for _, id := range slot.Running {
			run := api.Run{Schema: api.Schema, RunID: id, Language: language, SessionID: m.Artifacts.SessionID()}
			if err := settleRun(ctx, m, run); err != nil {
				return err
			}
		}
	}
	return settleKept(ctx, m)
}

// settleKept records what only this process remembers of the session's last runs: their
// record was removed, or could not be written before.
func settleKept(ctx context.Context, m *Ledger) error {
	for _, run := range artifacts.KeptInSession(m.Artifacts) {
		_, err := m.History.Run(ctx, run.RunID)
		var unknown *history.NoRunError
		if err != nil && !errors.As(err, &unknown) {
			return err
		}
		if err == nil && artifacts.WhyNotOnRecord(m.Artifacts, run.RunID) == "" {
			continue
		}
		if err := settleRun(ctx, m, run); err != nil {
			return err
		}
	}
	return nil
}

// retellKept writes what this process knows of earlier runs to a new history.
func retellKept(ctx context.Context, m *Ledger) {
	if err := settleKept(ctx, m); err != nil {
		m.Keeper.Cfg.Logger.Warn("the last runs could not be put on record again", "error", err)
	}
}

// settleRun ends one run, unless it is in progress or somebody else is doing so. known
// is what is known of it without its artifacts.
func settleRun(ctx context.Context, m *Ledger, known api.Run) error {
	release, free := m.Artifacts.Claim(known.RunID)
	if !free {
		return nil
	}
	defer release()
	// It may have ended since somebody saw it running.
	row, err := m.History.Run(ctx, known.RunID)
	var unknown *history.NoRunError
	if err != nil && !errors.As(err, &unknown) {
		return err
	}
	onRecord := err == nil && row.ID == known.RunID
	run, err := m.Artifacts.Run(known.RunID)
	switch {
	case err == nil && run.State == api.StateFinished:
		// It ended, and only the history or the slot was not told.
		if onRecord && row.State != api.StateFinished || !onRecord && m.Artifacts.IsKept(run.RunID) {
			if err := catchUpRun(ctx, m, run, onRecord); err != nil {
				return err
			}
		}
		if err := artifacts.Restore(ctx, m.Artifacts, run.RunID); err != nil {
			return err
		}
		return leaveSlot(ctx, m, run)
	case err != nil:
		run = known // its record is gone
		if onRecord && row.State == api.StateFinished {
			return leaveSlot(ctx, m, run)
		}
	}
	return abandonRun(ctx, m, run)
}

// leaveSlot makes a run that its session's slot calls running the last one.
func leaveSlot(ctx context.Context, m *Ledger, run api.Run) error {
	slot, _, err := m.Artifacts.Slot(run.Language)
	if err != nil || !slices.Contains(slot.Running, run.RunID) {
		return err
	}
	return m.Artifacts.Finish(ctx, run)
}

// Bare returns a run that is left only as a row in the history.
func Bare(row history.Run) api.Run {
	return api.Run{
		Schema: api.Schema, RunID: row.ID, SessionID: row.SessionID, Kind: row.Kind, Language: row.Language,
		StartedAt: row.StartedAt, Plugin: api.Plugin{Name: row.Plugin, Version: row.PluginVersion},
		Environment: row.Environment, Seed: row.Seed, Origin: row.Origin,
	}
}

// abandonRun finishes a run that has no recorded end.
func abandonRun(ctx context.Context, m *Ledger, run api.Run) error {
	t := tally.NewTally()
	fold, err := replayRun(ctx, m, run, t)
	if err != nil {
		return err
	}
	unwritten := artifacts.IsUnwritten(m.Artifacts, run.RunID)
	if unwritten {
		fold.MarkRunUnknown(outstanding.WhyUnwritten)
	} else {
		fold.MarkRunUnknown(outstanding.WhyNoEnd)
	}
	if run.StartedAt.IsZero() {
		run.StartedAt = m.Keeper.Cfg.Now().UTC()
	}
	run.State, run.Verdict, run.ExitCode = api.StateFinished, api.Incomplete, -1
	run.Reason = "the run has no end on record: proctor was killed, or the end could not be written; what it had on record stands"
	if unwritten {
		run.Reason = "the run came to its end, which could not be written, as on a full disk; what it had on record stands"
	}
	run.Counts, run.FailuresTotal = t.Counted(), t.FailuresTotal
	run.Failures, run.Unfinished = t.Failures, t.Unfinished
	SortFailures(run.Failures)
	Sign(&run, t.Causes)
	if !LeavesNothing(run.Kind) && run.Origin == "" {
		set, err := m.UpdateOutstanding(ctx, run.Language, func(current outstanding.Set) outstanding.Set { return fold.After(current, outstanding.Partial) })
		if err != nil {
			return err
		}
		run.Outstanding, run.OutstandingCounts = set.Len(), set.Counts()
	}
	var unknown *history.NoRunError
	if err := m.History.Amend(ctx, HistoryRun(run)); err != nil && !errors.As(err, &unknown) {
		return err
	}
	if err := leaveSlot(ctx, m, run); err != nil {
		return err
	}
	if !m.Artifacts.Has(run.RunID) {
		return nil // nothing of it is left to complete
	}
	return artifacts.CompleteRun(m.Artifacts, run)
}

// replayRun reads what is on record of a run that ended without telling the history. What
// cannot be read is missing: the caller must not take it for everything.
func replayRun(ctx context.Context, m *Ledger, run api.Run, heard api.Listener) (*outstanding.Fold, error) {
	set, err := m.Outstanding(ctx, run.Language)
	if err != nil {
		return nil, err
	}
	saw, _ := artifacts.ReadSurroundings(m.Artifacts, run.RunID)
	fold := outstanding.NewFold(run.RunID, set, outstanding.Scope{SomeTests: true, InsideTests: true, Args: saw.Args, Way: (*outstanding.Way)(saw.Way)})
	listeners := api.Listeners{heard, fold}
	err = m.Artifacts.Results(run.RunID, func(r api.Result) bool {
		listeners.Listen(&api.TestEnded{Result: r})
		return ctx.Err() == nil
	})
	unread := m.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
		listeners.Listen(&api.FailureFound{Failure: f})
		return ctx.Err() == nil
	})
	if err = errors.Join(err, unread); err != nil {
		m.Keeper.Cfg.Logger.Warn("the record of a run that was cut off cannot be read whole", "run", run.RunID, "error", err)
	}
	return fold, ctx.Err()
}

// catchUpRun adds a run to the history that ended when that could not be written. What it
// left outstanding was not written either, unless this process remembers it. onRecord
// reports whether its start was recorded.
func catchUpRun(ctx context.Context, m *Ledger, run api.Run, onRecord bool) error {
	amended := HistoryRun(run)
	if run.Origin != "" {
		amended.Verdict = api.Incomplete // to be added again
		return m.History.Amend(ctx, amended)
	}
	if LeavesNothing(run.Kind) {
		return m.History.Amend(ctx, amended)
	}
	newest, err := m.History.Runs(ctx, history.RunFilter{Limit: 1})
	if err != nil {
		return err
	}
	var heard api.Listener = tally.NewTally()
	var c *Writer
	if !onRecord || len(newest) == 1 && newest[0].ID == run.RunID {
		// Nothing came after it: it is recorded again, with all its results.
		begun := run
		begun.State = api.StateRunning
		if err := m.TakeOff(ctx, run.RunID); err != nil {
			return err
		}
		if c, err = NewWriter(ctx, m, begun); err != nil {
			return err
		}
		heard = c
	}
	fold, err := replayRun(ctx, m, run, heard)
	if err != nil {
		return err
	}
	if kept, ok := m.Keeper.keptSets.get(m.key(run.Language)); !m.Artifacts.IsKept(run.RunID) || !ok || api.IsRed(run.Verdict) && !kept.hasRun(run.RunID) {
		if api.IsRed(run.Verdict) {
			fold.MarkRunUnknown("")
		}
		_, err = m.UpdateOutstanding(ctx, run.Language, func(current outstanding.Set) outstanding.Set { return fold.After(current, outstanding.Partial) })
	}
	switch {
	case err != nil:
		return err
	case c != nil:
		return c.Finish(ctx, run, false, nil)
	}
	return m.History.Amend(ctx, amended)
}

// LeavesNothing reports whether runs of a kind say nothing about what is outstanding:
// they are of other sources, read from a file, or a part of another run, as retries are.
func LeavesNothing(kind api.Kind) bool {
	return kind == api.KindTriage || kind == api.KindIngest || kind == api.KindParsed || kind == api.KindRetry
}
