package host

import (
	"context"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/measure"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
)

// What [MeasureRequest.Against] can be, beside a run.
const (
	// AgainstLast: the nearest run before that measured the same.
	AgainstLast = "last"
	// AgainstBaseline: what [Host.SetBaseline] set aside.
	AgainstBaseline = "baseline"
)

// MeasureRequest asks how what the tests measured has changed.
type MeasureRequest struct {
	Where Where
	// Language narrows the request; empty is each that measured something.
	Language string
	// Names are the measures that are meant; none is all.
	Names []string
	// Against is "last", "baseline", a run id or the unique beginning of one;
	// empty is "last".
	Against string
	// ThresholdPercent: changes up to this are counted and not listed.
	ThresholdPercent float64
}

// MeasureAnswer compares the last run that measured something with another.
type MeasureAnswer struct {
	measure.Comparison
	// NowAge and BeforeAge are how long ago the runs ended.
	NowAge, BeforeAge time.Duration
	// RunnerArgs are those of the run now: a run to compare it with needs them, too.
	RunnerArgs []string
}

// Measures compares what the tests of the session's last run measured with what
// those of an earlier one did: an answer for each language. Whatever run
// measured something last is meant, also a rerun or one of a few tests; it
// speaks of its own tests only. It never starts a plugin.
func (h *Host) Measures(ctx context.Context, req MeasureRequest) ([]MeasureAnswer, error) {
	store, err := h.measureRecords(ctx, req.Where)
	if err != nil {
		return nil, err
	}
	var other *record.Run
	if req.Against != "" && req.Against != AgainstLast && req.Against != AgainstBaseline {
		run, err := h.storedRun(ctx, store, req.Against, req.Language)
		if err != nil {
			return nil, err
		}
		if req.Language != "" && run.Language != req.Language {
			return nil, &UsageError{Reason: fmt.Sprintf("run %s is one of %s and not of %s", run.RunID, run.Language, req.Language)}
		}
		other, req.Language = &run, run.Language
	}
	histories, err := h.histories(ctx, store, req.Language, req.Names)
	if err != nil {
		return nil, err
	}
	var answers []MeasureAnswer
	for _, past := range histories {
		answer, err := h.compare(ctx, past, req, other)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, ctx.Err()
}

// compare answers for one language; other is the run that was named, if one was.
func (h *Host) compare(ctx context.Context, past measuredRuns, req MeasureRequest, other *record.Run) (MeasureAnswer, error) {
	if past.now == nil {
		return MeasureAnswer{Comparison: measure.Nothing(past.language, req.Names, nil, past.never())}, nil
	}
	now := measure.SourceOf(*past.now)
	answer := MeasureAnswer{NowAge: h.age(past.now.Run), RunnerArgs: past.now.Run.Selection.RunnerArgs}
	before, why, err := past.before(ctx, req.Against, other)
	if err != nil {
		return answer, err
	}
	if before == nil {
		answer.Comparison = measure.Nothing(past.language, req.Names, &now, why)
	} else {
		answer.Comparison = measure.Compare(measure.Request{
			Before: *before, Now: *past.now, Names: req.Names, ThresholdPercent: req.ThresholdPercent,
		})
		answer.BeforeAge = h.age(before.Run)
	}
	answer.Later = past.later
	if len(past.later) > 0 {
		last := past.later[0]
		answer.Message = fmt.Sprintf("run %s, the latest, measured nothing (%s); of run %s before it: %s", last.RunID, last.Verdict, now.RunID, answer.Message)
	}
	return answer, nil
}

// measureRecords opens the records, with an end for every run that has one.
func (h *Host) measureRecords(ctx context.Context, where Where) (*session.Store, error) {
	store, err := h.openRecords(where)
	if err != nil {
		return nil, err
	}
	return store, h.settleAll(ctx, store)
}

// histories are those of a language; of each that measured something where none
// is named; and one of no language, if none did.
func (h *Host) histories(ctx context.Context, store *session.Store, language string, names []string) ([]measuredRuns, error) {
	languages := []string{language}
	if language == "" {
		all, err := store.Languages()
		if err != nil {
			return nil, err
		}
		if languages = all; len(all) == 0 {
			return nil, &NoRunError{}
		}
	} else if slot, ok, err := store.Slot(language); err != nil {
		return nil, err
	} else if !ok || slot.RunID == "" {
		return nil, (&memory{host: h, store: store}).noRunOf(ctx, language)
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
