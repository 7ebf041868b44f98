package standing

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

// Annotate adds to each failure of a run its test's standing as of that run.
func Annotate(ctx context.Context, led *ledger.Ledger, run *api.Run, row history.Run) error {
	if len(run.Failures) == 0 || run.Kind == api.KindTriage {
		return nil
	}
	var tests []sdk.TestID
	asked := map[sdk.TestID]bool{}
	ask := func(t sdk.TestID) {
		if !asked[t] {
			asked[t] = true
			tests = append(tests, t)
		}
	}
	for _, f := range run.Failures {
		ask(f.TestID)
		ask(sdk.TestID{Suite: f.Suite}) // what a fixture's failure stands for
	}
	standings, err := Standings(ctx, led, run.Language, tests, row.SessionID, row.Order+1)
	if err != nil {
		return err
	}
	for i := range run.Failures {
		f := &run.Failures[i]
		if f.Suite == "" && f.Test == "" && ledger.SaysOnlyUnfinished(f.Kind) {
			continue // an aborted run says nothing about an earlier one
		}
		if run.Cancelled && ledger.SaysOnlyUnfinished(f.Kind) && slices.Contains(run.Unfinished, f.TestID) {
			continue // the user interrupted it, which says nothing about the test
		}
		s, ok := standings[f.TestID]
		if !ok || s.Classification == "" {
			s, ok = standings[sdk.TestID{Suite: f.Suite}]
		}
		if !ok || s.Classification == "" {
			continue
		}
		if f.TestID == (sdk.TestID{}) {
			countThisError(&s)
		}
		f.Standing = &s
	}
	return nil
}

// countThisError makes the standing of a run as a whole that of its last error. What it failed
// with before was another one: a red run that was built in between has no result to say so.
func countThisError(s *api.Standing) {
	alike := 1
	for _, streak := range []*api.SameFailure{s.SameFailure, s.SimilarFailure} {
		if streak != nil {
			alike = max(alike, streak.Run)
		}
	}
	if alike < s.FailedRuns {
		s.FailedRuns, s.FailedRunsAtLeast, s.Changed, s.ChangedTotal = alike, false, nil, 0
	}
}

// Reread adds what the history knows to a run that is read again: the standing of its
// failures, and what happened to the sources, which may have been opened before. If that
// fails, the run is returned without it.
func Reread(ctx context.Context, led *ledger.Ledger, run *api.Run, sources *fingerprint.Opening) {
	if led.History == nil {
		return
	}
	row, err := led.History.Run(ctx, run.RunID)
	if err != nil || row.ID != run.RunID {
		return // not in the history
	}
	if err := Annotate(ctx, led, run, row); err != nil {
		led.Keeper.Cfg.Logger.Warn("the history could not be read", "error", err)
	}
	run.Stale = led.Stale(ctx, *run, sources)
}
