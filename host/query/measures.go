package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/metrics"
)

// measuredRuns are the measures of a language's runs in a session, newest first.
type measuredRuns struct {
	store    *artifacts.Store
	language string
	names    []string
	// now is the last run that measured something; nil if there is none.
	now *metrics.Set
	// later are the runs after it, earlier those before it.
	later   []metrics.Source
	earlier []api.Run
}

// find looks for the last run that measured something.
func (p *measuredRuns) find(ctx context.Context) error {
	runs := artifacts.FinishedRuns(p.store, p.language)
	for i, run := range runs {
		set, err := p.load(ctx, run)
		if err != nil {
			return err
		}
		if n, _ := set.CountMeasured(); n > 0 {
			p.now, p.earlier = &set, runs[i+1:]
			return nil
		}
		p.later = append(p.later, metrics.SourceOf(set))
	}
	return nil
}

// load reads what a run measured.
func (p *measuredRuns) load(ctx context.Context, run api.Run) (metrics.Set, error) {
	set := metrics.Set{Run: run}
	err := p.store.Results(run.RunID, func(r api.Result) bool {
		set.Results = append(set.Results, metrics.Bare(r, p.names))
		return ctx.Err() == nil
	})
	return set, errors.Join(err, ctx.Err())
}

// explainNone explains that no run measured anything.
func (p *measuredRuns) explainNone() string {
	why := "no run measured " + p.noun()
	if len(p.later) > 0 {
		why += fmt.Sprintf(" (the last one, %s, ended as %s)", p.later[0].RunID, p.later[0].Verdict.Words())
	}
	return why + "; run tests that measure it and pass"
}

func (p *measuredRuns) noun() string {
	if len(p.names) == 0 {
		return "anything"
	}
	return p.names[0] // the others are parts of it
}

// findBefore finds what to compare with; if there is nothing, why says what is missing.
func (p *measuredRuns) findBefore(ctx context.Context, against string, other *api.Run) (set *metrics.Set, why string, err error) {
	id := p.now.Run.RunID
	switch {
	case other != nil && other.RunID == id:
		return nil, fmt.Sprintf("run %s is itself the last one that measured %s; name another, or run the tests again", id, p.noun()), nil
	case other != nil && other.State != api.StateFinished:
		return nil, fmt.Sprintf("run %s is still in progress; wait for its end, or name another", other.RunID), nil
	case other != nil:
		found, err := p.load(ctx, *other)
		return &found, "", err
	case against == api.AgainstBaseline:
		return p.readBaseline()
	}
	return p.findPrevious(ctx)
}

func (p *measuredRuns) readBaseline() (*metrics.Set, string, error) {
	b, ok, err := artifacts.ReadBaseline(p.store, p.language)
	switch {
	case err != nil:
		return nil, "", err
	case !ok:
		return nil, fmt.Sprintf("this workspace has no %s baseline; set one from the run to compare with", p.language), nil
	case b.Run.RunID == p.now.Run.RunID:
		return nil, fmt.Sprintf("the baseline is run %s itself, and no later one measured %s; run the tests again", b.Run.RunID, p.noun()), nil
	}
	return &metrics.Set{Run: b.Run, Results: b.Results, Baseline: true}, "", nil
}

// maxPrevious bounds how many runs are examined to compare with, once one of them has a
// test in common.
const maxPrevious = 20

// findPrevious returns the nearest earlier run that measured at least half of the same tests;
// else the one that measured most of them; else the nearest that measured anything.
func (p *measuredRuns) findPrevious(ctx context.Context) (*metrics.Set, string, error) {
	var best *metrics.Set
	most := -1
	wanted, _ := p.now.CountMeasured()
	for i, run := range p.earlier {
		if i >= maxPrevious && most > 0 {
			break
		}
		set, err := p.load(ctx, run)
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		if err != nil {
			continue // one bad file must not hide the others
		}
		if n, _ := set.CountMeasured(); n == 0 {
			continue
		}
		if common := set.CountShared(*p.now); common > most {
			most, best = common, &set
		}
		if most > 0 && 2*most >= wanted {
			break
		}
	}
	if best != nil {
		return best, "", nil
	}
	return nil, fmt.Sprintf("run %s is the only one that measured %s; run the tests again after a change", p.now.Run.RunID, p.noun()), nil
}

// Measures compares what the session's last run that measured something measured with an
// earlier run, with an answer for each language. A rerun or a run of a few tests counts,
// but only for its own tests. It starts no plugin.
func Measures(ctx context.Context, k *ledger.Keeper, req api.MeasureRequest) ([]metrics.Answer, error) {
	store, err := openMeasureRecords(ctx, k, req.Where)
	if err != nil {
		return nil, err
	}
	var other *api.Run
	if req.Against != "" && req.Against != api.AgainstLast && req.Against != api.AgainstBaseline {
		run, err := ledger.StoredRun(ctx, k, store, req.Against, req.Language)
		if err != nil {
			return nil, err
		}
		if req.Language != "" && run.Language != req.Language {
			return nil, &api.UsageError{Reason: fmt.Sprintf("run %s is of %s tests, not of %s tests", run.RunID, run.Language, req.Language)}
		}
		other, req.Language = &run, run.Language
	}
	histories, err := loadMeasured(ctx, k, store, req.Language, req.Names)
	if err != nil {
		return nil, err
	}
	var answers []metrics.Answer
	for _, past := range histories {
		answer, err := compareMeasures(ctx, k, past, req, other)
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, ctx.Err()
}

// compareMeasures answers for one language; other is the named run, if any.
func compareMeasures(ctx context.Context, k *ledger.Keeper, past measuredRuns, req api.MeasureRequest, other *api.Run) (metrics.Answer, error) {
	if past.now == nil {
		return metrics.Answer{Comparison: metrics.Nothing(past.language, req.Names, nil, past.explainNone())}, nil
	}
	now := metrics.SourceOf(*past.now)
	answer := metrics.Answer{NowAge: ledger.AgeOf(k, past.now.Run), RunnerArgs: past.now.Run.Selection.RunnerArgs}
	before, why, err := past.findBefore(ctx, req.Against, other)
	if err != nil {
		return answer, err
	}
	if before == nil {
		answer.Comparison = metrics.Nothing(past.language, req.Names, &now, why)
	} else {
		answer.Comparison = metrics.Compare(metrics.Request{
			Before: *before, Now: *past.now, Names: req.Names, ThresholdPercent: req.ThresholdPercent,
		})
		answer.BeforeAge = ledger.AgeOf(k, before.Run)
	}
	answer.Later = past.later
	if len(past.later) > 0 {
		last := past.later[0]
		answer.Message = fmt.Sprintf("run %s, the latest, measured nothing (%s); for run %s before it: %s", last.RunID, last.Verdict, now.RunID, answer.Message)
	}
	return answer, nil
}

// openMeasureRecords opens the records, after ending the runs that were killed.
func openMeasureRecords(ctx context.Context, k *ledger.Keeper, where api.Where) (*artifacts.Store, error) {
	store, err := k.OpenRecords(where)
	if err != nil {
		return nil, err
	}
	_, err = ledger.OpenToRead(ctx, k, store)
	return store, err
}

// loadMeasured returns the measured runs of a language; if none is named, of each language
// that measured something, or one without a language if none did.
func loadMeasured(ctx context.Context, k *ledger.Keeper, store *artifacts.Store, language string, names []string) ([]measuredRuns, error) {
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
		return nil, ledger.NoRunOf(ctx, (&ledger.Ledger{Keeper: k, Artifacts: store}), language)
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
