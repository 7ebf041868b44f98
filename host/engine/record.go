package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/standing"
)

// record is where a run is kept: its artifacts, and its results in the history.
type record struct {
	plan      *Plan
	keeper    *ledger.Keeper
	artifacts *artifacts.Recorder // nil if nothing can be recorded
	history   *ledger.Writer      // nil without a history
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
// say what could not be recorded.
func beginRecord(ctx context.Context, k *ledger.Keeper, p *Plan, run *api.Run) (r *record, errs []error) {
	r = &record{plan: p, keeper: k, began: k.Cfg.Now()}
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
	// The recorder holds what says that the run is alive, so it comes before the history;
	// the rest of the files does not. No command starts before the history has the run: only
	// it tells every session of one that was killed.
	var begun sync.WaitGroup
	var unwritten error
	if p.Ledger != nil {
		if p.isOfNow() {
			run.Environment = p.Project.Setting(p.settings())
		}
		as := *run
		begun.Go(func() { r.history, unwritten = ledger.NewWriter(ctx, p.Ledger, as) })
	}
	if err == nil && p.isOfNow() && p.Ledger != nil {
		errs = append(errs, r.artifacts.Surroundings(p.surroundings()))
	}
	if !p.sparesOutstanding() {
		if err == nil {
			err = p.Store.Begin(ctx, *run)
		}
		if err != nil {
			err = errors.Join(err, artifacts.Disown(p.Store))
		}
	}
	begun.Wait()
	if p.Ledger != nil && p.isOfNow() {
		r.watch = ledger.WatchState(ctx, p.Ledger, p.sources, p.Project.Outside)
	}
	return r, slices.DeleteFunc(append(errs, err, unwritten), func(err error) bool { return err == nil })
}

// surroundings returns the environment of the run in detail: what affects results, and the
// digests of all other variables visible to its tests.
func (p *Plan) surroundings() api.Surroundings {
	s := api.Surroundings{Decides: p.Project.DecidingSettings(p.settings()), Variables: map[string]string{}, Args: p.argsKey(), Way: (*api.Way)(p.way)}
	for name, value := range s.Decides {
		if project.IsHash(value) {
			s.Decides[name] = value[:len("#")+project.SecretDigits]
		}
	}
	for _, entry := range p.Project.Environ {
		name, value, ok := strings.Cut(entry, "=")
		if _, decides := s.Decides[name]; ok && !decides && !project.IsTransient(name) && len(s.Variables) < project.MaxVariables {
			s.Variables[name] = project.Digest(value)[:project.SecretDigits]
		}
	}
	return s
}

// listeners returns the parts of the record that listen to the run.
func (r *record) listeners() api.Listeners {
	var all api.Listeners
	if r.artifacts != nil {
		all = append(all, r.artifacts)
	}
	if r.history != nil {
		all = append(all, r.history)
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
	if err == nil && r.history != nil {
		err = r.history.Restart(ctx)
	}
	return err
}

// duration returns how long the run took: from its recording on by a monotonic clock, and
// before that by the wall clock.
func (r *record) duration(started time.Time) time.Duration {
	return max(r.began.Sub(started), 0) + max(r.keeper.Cfg.Now().Sub(r.began), 0)
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
	r.addOutside(run)
}

// addOutside has the environment of a run tell states of sources outside of its workspace
// apart: one result before and one after an edit there are no evidence that a test is flaky.
func (r *record) addOutside(run *api.Run) {
	if len(r.seen.Outside) == 0 || run.Environment == "" {
		return
	}
	sum := sha256.New()
	surroundings := r.plan.surroundings()
	for _, dir := range slices.Sorted(maps.Keys(r.seen.Outside)) {
		name, state := dir, cmp.Or(r.seen.Outside[dir], "unknown in run "+run.RunID)
		if rel, err := filepath.Rel(run.Workspace, dir); err == nil {
			name = filepath.ToSlash(rel) // as in another clone beside the same
		}
		fmt.Fprintf(sum, "%d:%s%s\n", len(name), name, state)
		surroundings.Decides["sources in "+name] = state
	}
	run.Environment = history.Beside(run.Environment, hex.EncodeToString(sum.Sum(nil)[:8]))
	if r.artifacts == nil {
		return
	}
	if err := r.artifacts.Surroundings(surroundings); err != nil {
		noteUnrecorded(run, err)
	}
}

// finishHistory ends the run in the history, and completes its object with what the
// history knows. whole means that it was of everything; sound are the suites in which
// nothing failed but tests.
func (r *record) finishHistory(ctx context.Context, run *api.Run, whole bool, sound []string) error {
	if r.history == nil {
		return nil
	}
	var saved error
	if r.seen.Source != nil {
		saved = r.plan.Ledger.History.SaveState(ctx, r.seen.State)
		ledger.KeepContents(ctx, r.plan.Ledger, r.seen)
	}
	if err := errors.Join(saved, r.history.Finish(ctx, *run, whole, sound)); err != nil {
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
	if r.history != nil {
		r.history.Abandon()
		errs = append(errs, r.plan.Ledger.RemoveRuns(ctx, run.RunID))
	}
	if r.artifacts != nil {
		if !r.plan.sparesOutstanding() {
			errs = append(errs, r.plan.Store.Withdraw(ctx, run))
		}
		r.artifacts.Withdraw()
	}
	if err := errors.Join(errs...); err != nil {
		r.keeper.Cfg.Logger.Warn("the record of a run that ran nothing could not be removed", "run", run.RunID, "error", err)
	}
}
