package query

import (
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/standing"
)

// Failures returns the last run with its first limit failures, and how old it
// is. It never starts a plugin.
func Failures(ctx context.Context, h *ledger.Keeper, req api.LastRun, limit int) (api.Run, time.Duration, error) {
	run, m, err := h.Lookup(ctx, req)
	if err != nil {
		return run, 0, err
	}
	store := m.Artifacts
	limit = api.ClampFailuresLimit(limit)
	failures := []api.Failure{}
	err = store.Failures(run.RunID, func(f api.Failure) bool {
		failures = append(failures, f)
		return len(failures) < api.MaxFailures
	})
	// The object has the first ones itself: a record that was cut must not hide them.
	if len(failures) >= len(run.Failures) {
		run.Failures = failures
	}
	ledger.SortFailures(run.Failures)
	run.Failures = run.Failures[:min(len(run.Failures), limit)]
	ledger.Sign(&run, ledger.TotalsOf(run.Causes))
	standing.Reread(ctx, m, &run)
	return run, h.Age(run), err
}

// Show returns a run with every test's result and every failure.
func Show(ctx context.Context, h *ledger.Keeper, req api.LastRun) (api.Run, time.Duration, error) {
	run, m, err := h.Lookup(ctx, req)
	if err != nil {
		return run, 0, err
	}
	store := m.Artifacts
	run.Results = []api.Result{}
	err = store.Results(run.RunID, func(r api.Result) bool {
		run.Results = append(run.Results, r)
		return ctx.Err() == nil
	})
	if err != nil {
		return run, h.Age(run), err
	}
	var failures []api.Failure
	err = store.Failures(run.RunID, func(f api.Failure) bool {
		failures = append(failures, f)
		return ctx.Err() == nil
	})
	// The object has the first ones itself: a record that was cut must not hide them.
	if len(failures) > len(run.Failures) {
		ledger.SortFailures(failures)
		run.Failures = failures
	}
	ledger.Sign(&run, ledger.TotalsOf(run.Causes))
	standing.Reread(ctx, m, &run)
	return run, h.Age(run), errors.Join(err, ctx.Err())
}
