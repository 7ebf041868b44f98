package host

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/record"
)

// The bounds of an index.
const (
	// DefaultIndexBudget is the time that an index may take.
	DefaultIndexBudget = 10 * time.Minute
	// MaxIndexBudget is the most that may be asked for.
	MaxIndexBudget = 2 * time.Hour
	// DefaultSuiteBudget is how much longer the tests of one suite may take one by one
	// than together.
	DefaultSuiteBudget = 30 * time.Second
)

// IndexRequest asks to find out which lines each test executes.
type IndexRequest struct {
	Where Where
	// Language is one of the detected languages, or the name of its plugin. It may be
	// empty where there is only one.
	Language string
	// Packages are names or patterns of suites, as in [RunRequest]; none is all.
	Packages []string
	// MatchPath and MatchContract choose suites by patterns, as in [RunRequest].
	MatchPath, MatchContract string
	// RunnerArgs decide how tests are built.
	RunnerArgs []string
	// Budget is the time that it may take; 0 is the default, and it is clamped.
	// SuiteBudget is how much longer the tests of one suite may take one by one than
	// together; 0 is the default.
	Budget, SuiteBudget time.Duration
	// Force measures also what did not change.
	Force bool
}

// NoIndexError says that a language cannot be indexed.
type NoIndexError struct{ Plugin, Version, Language string }

func (e *NoIndexError) Error() string {
	return "plugin " + e.Plugin + " " + e.Version + " cannot tell which lines a test executes (" + e.Language + ")"
}

// indexing is an index that is being made.
type indexing struct {
	host    *Host
	project project
	ask     ask
	req     IndexRequest
	// id names it for those who wait.
	id       string
	deadline time.Time
	observer Observer
	kept     *coveragestore.Store
	graph    *coverage.Graph
	// known is what was measured before, by suite.
	known map[string]*coverage.Suite
	index record.Index
}

// Index runs the tests of the suites that changed since they were indexed, each alone,
// and keeps which lines it executes. The observer is told what goes on: Started gets no
// run, since an index is none, and no result of it proves anything. Several languages,
// of which none is named, are a [*LanguagesError]; a plugin that cannot is a
// [*NoIndexError]. An error means that nothing was measured.
func (h *Host) Index(ctx context.Context, req IndexRequest, obs Observer) (record.Index, error) {
	req.Budget = min(cmp.Or(max(req.Budget, 0), DefaultIndexBudget), MaxIndexBudget)
	req.SuiteBudget = min(cmp.Or(max(req.SuiteBudget, 0), DefaultSuiteBudget), MaxIndexBudget)
	p, a, err := h.listed(ctx, TestsRequest{
		Where: req.Where, Language: req.Language, Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract, RunnerArgs: req.RunnerArgs,
	})
	var list *NoListingError
	if errors.As(err, &list) || err == nil && (!p.id.Index || !p.id.Dependencies) {
		return record.Index{}, &NoIndexError{Plugin: p.id.Name, Version: p.id.Version, Language: p.id.Language}
	}
	if err != nil {
		return record.Index{}, err
	}
	store, err := h.store(p.root.Path)
	if err != nil {
		return record.Index{}, err
	}
	x := &indexing{host: h, ask: a, req: req, id: NewRunID(), observer: obs, kept: measurements(store)}
	release, doubts, err := h.lane(ctx, store, x.id, obs)
	if err != nil {
		return record.Index{}, err
	}
	defer release()
	x.project = h.probed(ctx, p)
	x.project.ws.Cache = h.cacheDir(store, p)
	began := h.cfg.Now()
	x.deadline = time.Now().Add(req.Budget)
	x.index = record.Index{
		Schema: record.IndexSchema, Language: p.id.Language, Workspace: p.root.Path, StartedAt: began.UTC(),
		Plugin:  record.Plugin{Name: p.id.Name, Version: p.id.Version, Override: p.override, Lock: p.lock},
		BudgetS: req.Budget.Seconds(), SuiteBudgetS: req.SuiteBudget.Seconds(),
		Suites: []record.IndexedSuite{}, Findings: []record.OrderFinding{}, Warnings: append(aboutProject(p), doubts...),
	}
	if err := x.make(ctx); err != nil {
		return x.index, err
	}
	x.index.DurationS = h.cfg.Now().Sub(began).Seconds()
	if size, err := x.kept.Size(ctx); err == nil {
		x.index.Bytes = size
	}
	return x.index, nil
}
