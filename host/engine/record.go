package engine

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/standing"
)

// record is where a run is kept: its artifacts, and its results in the history.
type record struct {
	plan      *Plan
	host      *ledger.Keeper
	artifacts *artifacts.Recorder // nil if nothing can be recorded
	// history is nil without a history. It follows while the runner starts, as does the
	// environment in detail: see [record.writer] and [record.await].
	history *ledger.Writer
	late    sync.WaitGroup
	lateErr error
	// began is when the run was recorded, by a monotonic clock.
	began time.Time
	// watch determines the sources of the run, if they are not known beforehand.
	watch *ledger.StateWatch
	seen  ledger.Seen
	// known is the ledger once its history has the run, its end, and what it left
	// outstanding.
	known *ledger.Ledger
}

// beginRecord records a run: from here on it exists, however proctor ends. The errors
// say what could not be recorded; those of what follows are left to [record.await].
func beginRecord(ctx context.Context, h *ledger.Keeper, p *Plan, run *api.Run) (r *record, errs []error) {
	r = &record{plan: p, host: h, began: h.Cfg.Now()}
	if p.Seen != nil {
		r.seen = *p.Seen
	}
	if p.Store == nil {
		return r, nil
	}
	rec, err := artifacts.NewRecorder(p.Store, *run)
	if err == nil {
		r.artifacts = rec
	}
	// The recorder holds what says that the run is alive, so it comes before the history.
	if p.Ledger != nil {
		if p.isOfNow() {
			run.Environment = p.Project.Setting(p.settings())
		}
		as := *run
		r.late.Go(func() { r.lateErr = r.beginLate(ctx, as) })
	}
	if !p.sparesOutstanding() {
		if err == nil {
			err = p.Store.Begin(ctx, *run)
		}
		if err != nil {
			err = errors.Join(err, artifacts.Disown(p.Store))
		}
	}
	if err != nil || p.sparesOutstanding() {
		errs = append(errs, r.await()) // no slot says that there is such a run
	}
	if p.Ledger != nil && p.isOfNow() {
		r.watch = ledger.WatchState(ctx, p.Ledger)
	}
	return r, slices.DeleteFunc(append(errs, err), func(err error) bool { return err == nil })
}

// beginLate records what is not needed for a run to be on record: without a row, the
// session's slot says that it was in progress.
func (r *record) beginLate(ctx context.Context, run api.Run) (err error) {
	r.history, err = ledger.NewWriter(ctx, r.plan.Ledger, run)
	if r.artifacts != nil && r.plan.isOfNow() {
		err = errors.Join(err, r.artifacts.Surroundings(r.plan.surroundings()))
	}
	return err
}

// await waits until all of the beginning is on record. Its error says, once, what is not.
func (r *record) await() error {
	r.late.Wait()
	err := r.lateErr
	r.lateErr = nil
	return err
}

// writer returns what writes the run to the history; nil without a history.
func (r *record) writer() *ledger.Writer {
	r.late.Wait()
	return r.history
}

// listeners returns the parts of the record that listen to the run.
func (r *record) listeners() api.Listeners {
	// No result is recorded before all of the beginning is.
	all := api.Listeners{api.ListenerFunc(func(e api.Event) {
		if w := r.writer(); w != nil {
			w.Listen(e)
		}
	})}
	if r.artifacts != nil {
		all = append(all, r.artifacts)
	}
	return all
}

// reader reads what was recorded of the run; nil if nothing was.
func (r *record) reader() api.Record {
	if r.artifacts == nil {
		return nil
	}
	return artifacts.RecordOf(r.plan.Store, r.plan.Run.RunID)
}

// restart discards what was recorded: the events are about to be sent again.
func (r *record) restart(ctx context.Context) error {
	err := r.artifacts.Rewrite(func(api.Result) bool { return false }, func(api.Failure) bool { return false })
	if w := r.writer(); err == nil && w != nil {
		err = w.Restart(ctx)
	}
	return err
}

// duration returns how long the run took: from its recording on by a monotonic clock, and
// before that by the wall clock.
func (r *record) duration(started time.Time) time.Duration {
	return max(r.began.Sub(started), 0) + max(r.host.Cfg.Now().Sub(r.began), 0)
}

// addSources determines the state of the sources, once the commands have ended.
func (r *record) addSources(ctx context.Context, run *api.Run) {
	if r.watch == nil {
		return
	}
	r.seen = r.watch.End(context.WithoutCancel(ctx))
	switch {
	case r.seen.Err != nil:
		run.Note(api.NoteSources, "the state of the sources is unknown: "+r.seen.Err.Error())
	case len(r.seen.Changed) > 0:
		run.MixedState = true
		run.Note(api.NoteSources, ledger.MixedWarning(r.seen.Changed))
	}
	run.Source = r.seen.Source
}

// finishHistory ends the run in the history, and completes its object with what the
// history knows. whole means that it was of everything; sound are the suites in which
// nothing failed but tests.
func (r *record) finishHistory(ctx context.Context, run *api.Run, whole bool, sound []string) error {
	w := r.writer()
	if w == nil {
		return nil
	}
	var saved error
	if r.seen.Source != nil {
		saved = r.plan.Ledger.History.SaveState(ctx, r.seen.State)
		ledger.KeepContents(ctx, r.plan.Ledger, r.seen)
	}
	if err := errors.Join(saved, w.Finish(ctx, *run, whole, sound)); err != nil {
		return err
	}
	err := standing.Record(ctx, r.plan.Ledger, run, r.plan.Retention.Entries)
	if err == nil {
		r.known = r.plan.Ledger
	}
	return err
}

// finish ends the record of a run.
func (r *record) finish(ctx context.Context, run *api.Run) error {
	var err error
	if r.artifacts != nil {
		err = r.artifacts.Finish(*run)
	}
	if r.plan.isForRecord() {
		return err
	}
	if err != nil {
		noteUnrecorded(run, err)
	}
	if r.plan.sparesOutstanding() {
		return nil
	}
	// Last: after a crash before this, the run counts as killed, and what it did not
	// finish is outstanding.
	if err := ledger.FinishSlot(ctx, r.plan.Store, r.known, *run); err != nil {
		noteUnrecorded(run, errors.Join(err, artifacts.Disown(r.plan.Store)))
	}
	if r.plan.Ledger != nil {
		if err := r.plan.Ledger.Prune(ctx, r.plan.Retention); err != nil {
			run.Note(api.NoteRecord, "old records were not removed: "+err.Error())
		}
	}
	return nil
}

// withdraw removes the record of a run that turned out to run nothing.
func (r *record) withdraw(ctx context.Context, run api.Run) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishLimit)
	defer cancel()
	var errs []error
	if r.watch != nil {
		r.watch.End(ctx)
	}
	if w := r.writer(); w != nil {
		w.Abandon()
		errs = append(errs, r.plan.Ledger.RemoveRuns(ctx, run.RunID))
	}
	if r.artifacts != nil {
		if !r.plan.sparesOutstanding() {
			errs = append(errs, r.plan.Store.Withdraw(ctx, run))
		}
		r.artifacts.Withdraw()
	}
	if err := errors.Join(errs...); err != nil {
		r.host.Cfg.Logger.Warn("the record of a run that ran nothing could not be removed", "run", run.RunID, "error", err)
	}
}
