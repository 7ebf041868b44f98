package covering

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/testlist"
)

// indexing is an index that is being made.
type indexing struct {
	host    *ledger.Keeper
	project project.Project
	ask     engine.Ask
	req     api.IndexRequest
	// id names it for those who wait.
	id       string
	deadline time.Time
	observer api.Observer
	kept     *coveragestore.Store
	graph    *coverage.Graph
	// known is what was measured before, by suite.
	known map[string]*coverage.Suite
	index api.Index
}

// Index runs the tests of the suites that changed since they were indexed, each alone,
// and keeps which lines it executes. The observer is told what goes on: Started gets no
// run, since an index is none, and no result of it proves anything. Several languages,
// of which none is named, are a [*LanguagesError]; a plugin that cannot is a
// [*NoIndexError]. An error means that nothing was measured.
func Index(ctx context.Context, h *ledger.Keeper, req api.IndexRequest, obs api.Observer) (api.Index, error) {
	req.Budget = min(cmp.Or(max(req.Budget, 0), api.DefaultIndexBudget), api.MaxIndexBudget)
	req.SuiteBudget = min(cmp.Or(max(req.SuiteBudget, 0), api.DefaultSuiteBudget), api.MaxIndexBudget)
	p, a, err := testlist.PlanListing(ctx, h, api.TestsRequest{
		Where: req.Where, Language: req.Language, Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract, RunnerArgs: req.RunnerArgs,
	})
	var list *api.NoListingError
	if errors.As(err, &list) || err == nil && (!p.ID.Index || !p.ID.Dependencies) {
		return api.Index{}, &api.NoIndexError{Plugin: p.ID.Name, Version: p.ID.Version, Language: p.ID.Language}
	}
	if err != nil {
		return api.Index{}, err
	}
	store, err := h.Store(p.Root.Path)
	if err != nil {
		return api.Index{}, err
	}
	x := &indexing{host: h, ask: a, req: req, id: ledger.NewRunID(), observer: obs, kept: ledger.Measurements(store)}
	release, doubts, err := h.Lane(ctx, store, x.id, obs)
	if err != nil {
		return api.Index{}, err
	}
	defer release()
	x.project = h.Probed(ctx, p)
	x.project.Ws.Cache = h.CacheDir(store, p)
	began := h.Cfg.Now()
	x.deadline = time.Now().Add(req.Budget)
	x.index = api.Index{
		Schema: api.IndexSchema, Language: p.ID.Language, Workspace: p.Root.Path, StartedAt: began.UTC(),
		Plugin:  api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		BudgetS: req.Budget.Seconds(), SuiteBudgetS: req.SuiteBudget.Seconds(),
		Suites: []api.IndexedSuite{}, Findings: []api.OrderFinding{}, Warnings: append(engine.AboutProject(p), doubts...),
	}
	if err := x.make(ctx); err != nil {
		return x.index, err
	}
	x.index.DurationS = h.Cfg.Now().Sub(began).Seconds()
	if size, err := x.kept.Size(ctx); err == nil {
		x.index.Bytes = size
	}
	return x.index, nil
}
