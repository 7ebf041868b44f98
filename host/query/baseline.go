package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/metrics"
)

// SetBaseline makes a run the baseline of its language. Without a named run it is the
// last one, which must be of all tests: otherwise most would silently have no baseline.
func SetBaseline(ctx context.Context, k *ledger.Keeper, req api.BaselineRequest) (api.BaselineAnswer, error) {
	store, err := openMeasureRecords(ctx, k, req.Where)
	if err != nil {
		return api.BaselineAnswer{}, err
	}
	run, err := findBaseline(ctx, k, store, req)
	if err != nil {
		return api.BaselineAnswer{}, err
	}
	// The names restrict a later comparison, not the baseline.
	set, err := (&measuredRuns{store: store}).load(ctx, run)
	if err != nil {
		return api.BaselineAnswer{}, err
	}
	answer := api.BaselineAnswer{Run: run, Age: ledger.AgeOf(k, run)}
	answer.Tests, answer.LeftOut = set.Only(req.Names).CountMeasured()
	if answer.Tests == 0 {
		return answer, &api.UsageError{
			Reason: fmt.Sprintf("no test of run %s passed and measured %s", run.RunID, (&measuredRuns{names: req.Names}).noun()),
			Fix:    "take a run that did",
		}
	}
	run.Failures, run.Unfinished, run.NeverStarted, run.Requested, run.Warnings = nil, nil, nil, nil, nil
	answer.Path, err = artifacts.SetBaseline(store, artifacts.Baseline{Run: run, Results: set.Results})
	return answer, err
}

// findBaseline returns the requested run.
func findBaseline(ctx context.Context, k *ledger.Keeper, store *artifacts.Store, req api.BaselineRequest) (api.Run, error) {
	if req.Ref != "" {
		run, err := ledger.StoredRun(ctx, k, store, req.Ref, req.Language)
		if err == nil && run.State != api.StateFinished {
			err = &api.UsageError{Reason: fmt.Sprintf("run %s is still in progress", run.RunID), Fix: "wait for its end"}
		}
		return run, err
	}
	histories, err := loadMeasured(ctx, k, store, req.Language, req.Names)
	if err != nil {
		return api.Run{}, err
	}
	if len(histories) > 1 {
		var languages []string
		for _, past := range histories {
			languages = append(languages, past.language)
		}
		return api.Run{}, &api.UsageError{Reason: "several languages have measures: " + strings.Join(languages, ", "), Advice: api.Advice{Operation: api.AdviseLanguage}}
	}
	past := histories[0]
	switch {
	case past.now == nil:
		return api.Run{}, &api.UsageError{Reason: past.explainNone()}
	case len(past.later) > 0:
		last := past.later[0]
		return api.Run{}, &api.UsageError{
			Reason: fmt.Sprintf("the last run, %s, measured nothing (%s)", last.RunID, last.Verdict.Words()),
			Fix:    fmt.Sprintf("run the tests again, or name a run, such as %s", past.now.Run.RunID),
		}
	case !metrics.IsWhole(past.now.Run):
		return api.Run{}, &api.UsageError{
			Reason: fmt.Sprintf("the last run, %s, was not of all tests (%s)", past.now.Run.RunID, whyPartial(past.now.Run)),
			Fix:    fmt.Sprintf("run all tests, or name a run, such as %s", past.now.Run.RunID),
		}
	}
	return past.now.Run, nil
}

// whyPartial says why a run does not cover all tests.
func whyPartial(run api.Run) string {
	switch {
	case run.Kind == api.KindRerun:
		return "a rerun"
	case run.Selection.Narrows():
		return "filtered"
	case len(run.Selection.RunnerArgs) > 0:
		return "with runner arguments, which may leave some out"
	case run.Counts.NeverStarted > 0:
		return fmt.Sprintf("tests that never started: %d", run.Counts.NeverStarted)
	}
	return string(run.Verdict)
}
