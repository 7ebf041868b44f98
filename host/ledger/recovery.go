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

// settle ends the workspace's runs that have neither a recorded end nor a living process,
// mostly because proctor was killed: each becomes incomplete, keeps what was recorded of
// it, and what it did not finish is outstanding. Otherwise the run before would pass for
// the last one.
func (l *Ledger) settle(ctx context.Context) error {
	running, err := l.History.Runs(ctx, history.RunFilter{State: api.StateRunning})
	if err != nil {
		return err
	}
	for _, row := range running {
		if err := settleRun(ctx, l, RunFromHistory(row)); err != nil {
			return err
		}
	}
	return settleSlots(ctx, l)
}

// settleSlots ends runs that only the session's slots still call running.
func settleSlots(ctx context.Context, l *Ledger) error {
	languages, err := l.Artifacts.Languages()
	if err != nil {
		return err
	}
	for _, language := range languages {
		slot, _, err := l.Artifacts.Slot(language)
		if err != nil {
			return err
		}
		for _, id := range slot.Running {
			run := api.Run{Schema: api.Schema, RunID: id, Language: language, SessionID: l.Artifacts.SessionID()}
			if err := settleRun(ctx, l, run); err != nil {
				return err
			}
		}
	}
	return settleKept(ctx, l)
}

// settleKept records what only this process remembers of the session's last runs, because
// their record was removed or could not be written.
func settleKept(ctx context.Context, l *Ledger) error {
	for _, run := range artifacts.KeptInSession(l.Artifacts) {
		_, err := l.History.Run(ctx, run.RunID)
		var unknown *history.NoRunError
		if err != nil && !errors.As(err, &unknown) {
			return err
		}
		if err == nil && artifacts.WhyNotOnRecord(l.Artifacts, run.RunID) == "" {
			continue
		}
		if err := settleRun(ctx, l, run); err != nil {
			return err
		}
	}
	return nil
}

// retellKept writes what this process knows of earlier runs to a new history.
func retellKept(ctx context.Context, l *Ledger) {
	if err := settleKept(ctx, l); err != nil {
		l.Keeper.Cfg.Logger.Warn("the last runs could not be put on record again", "error", err)
	}
}

// settleRun ends one run, unless it is in progress or another process is ending it. known
// is what is known about it without its artifacts.
func settleRun(ctx context.Context, l *Ledger, known api.Run) error {
	release, free := l.Artifacts.Claim(known.RunID)
	if !free {
		return nil
	}
	defer release()
	// It may have ended since it was seen running.
	row, err := l.History.Run(ctx, known.RunID)
	var unknown *history.NoRunError
	if err != nil && !errors.As(err, &unknown) {
		return err
	}
	onRecord := err == nil && row.ID == known.RunID
	run, err := l.Artifacts.Run(known.RunID)
	switch {
	case err == nil && run.State == api.StateFinished:
		// It ended, but the history or the slot does not say so.
		if onRecord && row.State != api.StateFinished || !onRecord && l.Artifacts.IsKept(run.RunID) {
			if err := catchUpRun(ctx, l, run, onRecord); err != nil {
				return err
			}
		}
		if err := artifacts.Restore(ctx, l.Artifacts, run.RunID); err != nil {
			return err
		}
		return leaveSlot(ctx, l, run)
	case err != nil:
		run = known // its artifacts are gone
		if onRecord && row.State == api.StateFinished {
			return leaveSlot(ctx, l, run)
		}
	}
	return abandonRun(ctx, l, run)
}

// leaveSlot makes a run the last one of its session, if the slot still calls it running.
func leaveSlot(ctx context.Context, l *Ledger, run api.Run) error {
	slot, _, err := l.Artifacts.Slot(run.Language)
	if err != nil || !slices.Contains(slot.Running, run.RunID) {
		return err
	}
	return l.Artifacts.Finish(ctx, run)
}

// RunFromHistory returns what the history knows of a run without artifacts.
func RunFromHistory(row history.Run) api.Run {
	return api.Run{
		Schema: api.Schema, RunID: row.ID, SessionID: row.SessionID, Kind: row.Kind, Language: row.Language,
		StartedAt: row.StartedAt, Plugin: api.Plugin{Name: row.Plugin, Version: row.PluginVersion},
		Environment: row.Environment, Seed: row.Seed, Origin: row.Origin,
	}
}

// abandonRun finishes a run that has no recorded end.
func abandonRun(ctx context.Context, l *Ledger, run api.Run) error {
	t := tally.NewTally()
	fold, err := replayRun(ctx, l, run, t)
	if err != nil {
		return err
	}
	unwritten := artifacts.IsUnwritten(l.Artifacts, run.RunID)
	if unwritten {
		fold.MarkRunUnknown(outstanding.WhyUnwritten)
	} else {
		fold.MarkRunUnknown(outstanding.WhyNoEnd)
	}
	if run.StartedAt.IsZero() {
		run.StartedAt = l.Keeper.Cfg.Now().UTC()
	}
	run.State, run.Verdict, run.ExitCode = api.StateFinished, api.Incomplete, -1
	run.Reason = "the run has no end on record: proctor was killed, or the end could not be written; what it had on record stands"
	if unwritten {
		run.Reason = "the run came to its end, which could not be written, as on a full disk; what it had on record stands"
	}
	run.Counts, run.FailuresTotal = t.Counted(), t.FailuresTotal
	run.Failures, run.Unfinished = t.Failures, t.Unfinished
	SortFailures(run.Failures)
	SetCauses(&run, t.Causes)
	if !SparesOutstanding(run.Kind) && run.Origin == "" {
		set, err := l.UpdateOutstanding(ctx, run.Language, func(current outstanding.Set) outstanding.Set { return fold.After(current, outstanding.Partial) })
		if err != nil {
			return err
		}
		run.OutstandingCounts = set.Counts()
		run.Outstanding = run.OutstandingCounts.Total()
	}
	var unknown *history.NoRunError
	if err := l.History.Amend(ctx, ToHistoryRun(run)); err != nil && !errors.As(err, &unknown) {
		return err
	}
	if err := leaveSlot(ctx, l, run); err != nil {
		return err
	}
	if !l.Artifacts.Has(run.RunID) {
		return nil // nothing of it is left to complete
	}
	return artifacts.CompleteRun(l.Artifacts, run)
}

// replayRun replays the recorded results and failures of a run to heard, and returns their
// fold. What cannot be read is missing: the caller must not take it for everything.
func replayRun(ctx context.Context, l *Ledger, run api.Run, heard api.Listener) (*outstanding.Fold, error) {
	set, err := l.Outstanding(ctx, run.Language)
	if err != nil {
		return nil, err
	}
	saw, _ := artifacts.ReadSurroundings(l.Artifacts, run.RunID)
	fold := outstanding.NewFold(run.RunID, set, outstanding.Scope{SomeTests: true, InsideTests: true, Args: saw.Args, Way: (*outstanding.Way)(saw.Way)})
	listeners := api.Listeners{heard, fold}
	err = l.Artifacts.Results(run.RunID, func(r api.Result) bool {
		listeners.Listen(&api.TestEnded{Result: r})
		return ctx.Err() == nil
	})
	unread := l.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
		listeners.Listen(&api.FailureFound{Failure: f})
		return ctx.Err() == nil
	})
	if err = errors.Join(err, unread); err != nil {
		l.Keeper.Cfg.Logger.Warn("the record of an interrupted run cannot be read to its end", "run", run.RunID, "error", err)
	}
	return fold, ctx.Err()
}

// catchUpRun adds a run to the history that ended while the history could not be written.
// What it left outstanding was not written either, unless this process remembers it.
// onRecord says whether its start was recorded.
func catchUpRun(ctx context.Context, l *Ledger, run api.Run, onRecord bool) error {
	amended := ToHistoryRun(run)
	if run.Origin != "" {
		amended.Verdict = api.Incomplete // to be added again
		return l.History.Amend(ctx, amended)
	}
	if SparesOutstanding(run.Kind) {
		return l.History.Amend(ctx, amended)
	}
	newest, err := l.History.Runs(ctx, history.RunFilter{Limit: 1})
	if err != nil {
		return err
	}
	var heard api.Listener = tally.NewTally()
	var c *Writer
	if !onRecord || len(newest) == 1 && newest[0].ID == run.RunID {
		// Nothing came after it: it is recorded again, with all its results.
		begun := run
		begun.State = api.StateRunning
		if err := l.RemoveRuns(ctx, run.RunID); err != nil {
			return err
		}
		if c, err = NewWriter(ctx, l, begun); err != nil {
			return err
		}
		heard = c
	}
	fold, err := replayRun(ctx, l, run, heard)
	if err != nil {
		return err
	}
	if kept, ok := l.Keeper.keptSets.get(l.key(run.Language)); !l.Artifacts.IsKept(run.RunID) || !ok || api.IsRed(run.Verdict) && !kept.hasRun(run.RunID) {
		if api.IsRed(run.Verdict) {
			fold.MarkRunUnknown("")
		}
		_, err = l.UpdateOutstanding(ctx, run.Language, func(current outstanding.Set) outstanding.Set { return fold.After(current, outstanding.Partial) })
	}
	switch {
	case err != nil:
		return err
	case c != nil:
		return c.Finish(ctx, run, false, nil)
	}
	return l.History.Amend(ctx, amended)
}

// SparesOutstanding reports whether runs of a kind leave the outstanding set alone: they
// are of other sources, read from a file, or part of another run.
func SparesOutstanding(kind api.Kind) bool {
	return kind == api.KindTriage || kind == api.KindIngest || kind == api.KindParsed || kind == api.KindRetry
}
