package query

import (
	"context"
	"errors"
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/metrics"
)

// measuredRuns is what the runs of a language in a session measured, newest first.
type measuredRuns struct {
	store    *artifacts.Store
	language string
	names    []string
	// now is the last run that measured something; nil if none did.
	now *metrics.Set
	// later are those after it, earlier those before it.
	later   []metrics.Source
	earlier []api.Run
}

// find looks for the last run that measured something.
func (p *measuredRuns) find(ctx context.Context) error {
	runs := p.store.Finished(p.language)
	for i, run := range runs {
		set, err := p.load(ctx, run)
		if err != nil {
			return err
		}
		if n, _ := set.Measured(); n > 0 {
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

// never says that no run measured anything.
func (p *measuredRuns) never() string {
	why := "no run of this session measured " + p.noun()
	if len(p.later) > 0 {
		why += fmt.Sprintf(" (the last one, %s, ended as %s)", p.later[0].RunID, p.later[0].Verdict)
	}
	return why + "; make one in which tests that measure it pass"
}

func (p *measuredRuns) noun() string {
	if len(p.names) == 0 {
		return "anything"
	}
	return p.names[0] // the others are parts of it
}

// before finds what to compare with; without it, why says what is missing.
func (p *measuredRuns) before(ctx context.Context, against string, other *api.Run) (set *metrics.Set, why string, err error) {
	id := p.now.Run.RunID
	switch {
	case other != nil && other.RunID == id:
		return nil, fmt.Sprintf("run %s is itself the last one that measured %s; name another, or run the tests again", id, p.noun()), nil
	case other != nil && other.State != api.StateFinished:
		return nil, fmt.Sprintf("run %s goes on; wait for its end, or name another", other.RunID), nil
	case other != nil:
		found, err := p.load(ctx, *other)
		return &found, "", err
	case against == api.AgainstBaseline:
		return p.baseline()
	}
	return p.previous(ctx)
}

func (p *measuredRuns) baseline() (*metrics.Set, string, error) {
	b, ok, err := p.store.Baseline(p.language)
	switch {
	case err != nil:
		return nil, "", err
	case !ok:
		return nil, fmt.Sprintf("no baseline of %s is set in this workspace; set one from the run that is to be compared with", p.language), nil
	case b.Run.RunID == p.now.Run.RunID:
		return nil, fmt.Sprintf("the baseline is run %s itself, and no later one measured %s; run the tests again", b.Run.RunID, p.noun()), nil
	}
	return &metrics.Set{Run: b.Run, Results: b.Results, Baseline: true}, "", nil
}

// maxPrevious is how many runs are looked at for the one to compare with, once one
// of them has a test in common.
const maxPrevious = 20

// previous is the nearest run before that measured at least half of the same tests;
// else the one that measured most of them; if no run measured any, the nearest that
// measured anything, of which the comparison then says that it has nothing in
// common.
func (p *measuredRuns) previous(ctx context.Context) (*metrics.Set, string, error) {
	var best *metrics.Set
	most := -1
	wanted, _ := p.now.Measured()
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
		if n, _ := set.Measured(); n == 0 {
			continue
		}
		if common := set.Shares(*p.now); common > most {
			most, best = common, &set
		}
		if most > 0 && 2*most >= wanted {
			break
		}
	}
	if best != nil {
		return best, "", nil
	}
	return nil, fmt.Sprintf("run %s is the only one of this session that measured %s; run the tests again after a change, or name a run", p.now.Run.RunID, p.noun()), nil
}
