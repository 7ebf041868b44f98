package query

import (
	"context"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/metrics"
)

// MeasureAnswer compares the last run that measured something with another.
type MeasureAnswer struct {
	metrics.Comparison
	// NowAge and BeforeAge are how long ago the runs ended.
	NowAge, BeforeAge time.Duration
	// RunnerArgs are those of the run now: a run to compare it with needs them, too.
	RunnerArgs []string
}

// Measures compares what the tests of the session's last run measured with what
// those of an earlier one did: an answer for each language. Whatever run
// measured something last is meant, also a rerun or one of a few tests; it
// speaks of its own tests only. It never starts a plugin.
func Measures(ctx context.Context, h *ledger.Keeper, req api.MeasureRequest) ([]MeasureAnswer, error) {
	store, err := openMeasureRecords(ctx, h, req.Where)
	if err != nil {
		return nil, err
	}
	var other *api.Run
	if req.Against != "" && req.Against != api.AgainstLast && req.Against != api.AgainstBaseline {
		run, err := h.StoredRun(ctx, store, req.Against, req.Language)
		if err != nil {
			return nil, err
		}
		if req.Language != "" && run.Language != req.Language {
			return nil, &api.UsageError{Reason: fmt.Sprintf("run %s is one of %s and not of %s", run.RunID, run.Language, req.Language)}
		}
		other, req.Language = &run, run.Language
	}
	histories, err := loadMeasured(ctx, h, store, req.Language, req.Names)
	if err != nil {
		return nil, err
	}
	var answers []MeasureAnswer
	for _, past := range histories {
		answer, err := compareMeasures(ctx, h, past, req, other)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, ctx.Err()
}

// compareMeasures answers for one language; other is the run that was named, if one was.
func compareMeasures(ctx context.Context, h *ledger.Keeper, past measuredRuns, req api.MeasureRequest, other *api.Run) (MeasureAnswer, error) {
	if past.now == nil {
		return MeasureAnswer{Comparison: metrics.Nothing(past.language, req.Names, nil, past.never())}, nil
	}
	now := metrics.SourceOf(*past.now)
	answer := MeasureAnswer{NowAge: h.Age(past.now.Run), RunnerArgs: past.now.Run.Selection.RunnerArgs}
	before, why, err := past.before(ctx, req.Against, other)
	if err != nil {
		return answer, err
	}
	if before == nil {
		answer.Comparison = metrics.Nothing(past.language, req.Names, &now, why)
	} else {
		answer.Comparison = metrics.Compare(metrics.Request{
			Before: *before, Now: *past.now, Names: req.Names, ThresholdPercent: req.ThresholdPercent,
		})
		answer.BeforeAge = h.Age(before.Run)
	}
	answer.Later = past.later
	if len(past.later) > 0 {
		last := past.later[0]
		answer.Message = fmt.Sprintf("run %s, the latest, measured nothing (%s); of run %s before it: %s", last.RunID, last.Verdict, now.RunID, answer.Message)
	}
	return answer, nil
}

// openMeasureRecords opens the records, with an end for every run that has one.
func openMeasureRecords(ctx context.Context, h *ledger.Keeper, where api.Where) (*artifacts.Store, error) {
	store, err := h.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	return store, h.SettleAll(ctx, store)
}

// loadMeasured are those of a language; of each that measured something where none
// is named; and one of no language, if none did.
func loadMeasured(ctx context.Context, h *ledger.Keeper, store *artifacts.Store, language string, names []string) ([]measuredRuns, error) {
	languages := []string{language}
	if language == "" {
		all, err := store.Languages()
		if err != nil {
			return nil, err
		}
		if languages = all; len(all) == 0 {
			return nil, &api.NoRunError{}
		}
	} else if slot, ok, err := store.Slot(language); err != nil {
		return nil, err
	} else if !ok || slot.RunID == "" {
		return nil, (&ledger.Ledger{Keeper: h, Artifacts: store}).NoRunOf(ctx, language)
	}
	var found []measuredRuns
	latest := measuredRuns{store: store, names: names}
	for _, l := range languages {
		past := measuredRuns{store: store, language: l, names: names}
		if err := past.find(ctx); err != nil {
			return nil, err
		}
		if past.now != nil || language != "" {
			found = append(found, past)
		} else if len(languages) == 1 {
			latest = past
		}
	}
	if len(found) == 0 {
		found = append(found, latest)
	}
	return found, nil
}
