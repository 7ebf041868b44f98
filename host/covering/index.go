package covering

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	coveragestore "github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/sources"
	"github.com/proctorhq/proctor/host/testlist"
	"github.com/proctorhq/proctor/host/translate"
	"github.com/proctorhq/proctor/sdk"
)

// indexing is an index in the making.
type indexing struct {
	keeper  *ledger.Keeper
	project project.Project
	ask     translate.Request
	req     api.IndexRequest
	// id identifies the index to processes that wait for its lock.
	id        string
	deadline  time.Time
	listeners api.Listeners
	kept      *coveragestore.Store
	graph     *coverage.Graph
	// known is what was measured before, by suite.
	known map[string]*coverage.Suite
	index api.Index
}

// Index runs the tests of the suites that changed since they were indexed, each alone,
// and stores which lines it executes. The listeners receive events, but no start of a
// run, since an index is not a run and its results prove nothing. If several languages
// are possible and none is named, the error is a [*api.LanguagesError]; if the plugin
// cannot index, that is an error. After an error nothing was measured.
func Index(ctx context.Context, k *ledger.Keeper, req api.IndexRequest, listeners ...api.Listener) (api.Index, error) {
	req.Budget = min(cmp.Or(max(req.Budget, 0), api.DefaultIndexBudget), api.MaxIndexBudget)
	req.SuiteBudget = min(cmp.Or(max(req.SuiteBudget, 0), api.DefaultSuiteBudget), api.MaxIndexBudget)
	p, a, err := testlist.PlanListing(ctx, k, api.TestsRequest{
		Where: req.Where, Language: req.Language, Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract, RunnerArgs: req.RunnerArgs,
	})
	if _, ok := errors.AsType[*api.NoListingError](err); ok || err == nil && (!p.ID.Index || !p.ID.Dependencies) {
		return api.Index{}, fmt.Errorf("plugin %s %s cannot tell which lines a test executes (%s)", p.ID.Name, p.ID.Version, p.ID.Language)
	}
	if err != nil {
		return api.Index{}, err
	}
	store, err := k.Store(p.Root.Path)
	if err != nil {
		return api.Index{}, err
	}
	x := &indexing{keeper: k, ask: a, req: req, id: ledger.NewRunID(), listeners: listeners, kept: ledger.OpenMeasurements(store)}
	release, doubts, err := ledger.LockRuns(ctx, k, store, x.id, api.Listeners(listeners))
	if err != nil {
		return api.Index{}, err
	}
	defer release()
	x.project = k.RunProbes(ctx, p)
	x.project.Ws.Cache = k.CacheDir(store, p)
	began := k.Cfg.Now()
	x.deadline = time.Now().Add(req.Budget)
	x.index = api.Index{
		Schema: api.IndexSchema, Language: p.ID.Language, SuiteNoun: p.ID.SuiteNoun, Workspace: p.Root.Path, StartedAt: began.UTC(),
		Plugin:  api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		BudgetS: req.Budget.Seconds(), SuiteBudgetS: req.SuiteBudget.Seconds(),
		Suites: []api.IndexedSuite{}, Findings: []api.OrderFinding{}, Warnings: append(engine.DescribeProject(p), doubts...),
	}
	if err := x.run(ctx); err != nil {
		return x.index, err
	}
	x.index.DurationS = k.Cfg.Now().Sub(began).Seconds()
	if size, err := x.kept.Size(ctx); err == nil {
		x.index.Bytes = size
	}
	return x.index, nil
}

// run determines what to measure, and measures it.
func (x *indexing) run(ctx context.Context) error {
	var err error
	x.graph, err = project.ListDependencies(ctx, x.keeper.Host, x.project, x.ask.Selection, x.ask.RunnerArgs, time.Until(x.deadline))
	if err != nil {
		return testlist.UsageOr(err)
	}
	x.index.Warnings = append(x.index.Warnings, api.Notes(api.NotePlugin, x.graph.Errors()...)...)
	if x.known, err = ledger.ReadMeasuredSuites(ctx, x.kept, x.project, x.ask.RunnerArgs); err != nil {
		return err
	}
	now := sources.NewDigests(x.project.Root.Path)
	var changed []string
	for _, name := range x.graph.SuiteNames() {
		switch node := x.graph.Suites[name]; {
		case len(node.Tests) == 0 && node.Incomplete != "":
			x.note(api.IndexedSuite{Suite: name, State: api.IndexFailed, Granularity: api.GranularityImport, Why: node.Incomplete})
		case len(node.Tests) == 0:
			x.note(api.IndexedSuite{Suite: name, State: api.IndexEmpty, Granularity: api.GranularityTest})
		case !x.req.Force && x.isFresh(name, now):
			x.noteFresh(name)
		default:
			changed = append(changed, name)
		}
	}
	x.announce(changed)
	if len(changed) > 0 {
		if err := x.measure(ctx, changed); err != nil {
			return err
		}
	}
	if isUnrestricted(x.req) && len(x.graph.Errors()) == 0 && ctx.Err() == nil {
		err = x.kept.Drop(ctx, x.project.ID.Language, func(suite string) bool { return x.graph.Suites[suite] != nil })
	}
	x.summarize()
	return err
}

// isUnrestricted reports whether nothing restricts the index.
func isUnrestricted(r api.IndexRequest) bool {
	return len(r.Packages) == 0 && r.MatchPath == "" && r.MatchContract == "" && len(r.RunnerArgs) == 0
}

// announce reports what will be measured.
func (x *indexing) announce(changed []string) {
	index := x.index
	index.Suites = slices.Clone(index.Suites)
	for _, name := range changed {
		index.Suites = append(index.Suites, api.IndexedSuite{Suite: name})
	}
	x.listeners.Listen(&api.Indexing{Index: index})
}

// isFresh reports whether nothing changed since a suite was indexed.
func (x *indexing) isFresh(name string, now *sources.Digests) bool {
	s := x.known[name]
	// A run's measurement of a suite has no reason: an index may know more.
	if s == nil || s.Cut || s.Granularity != api.GranularityTest && s.Why == "" || !x.isCurrent(s, now) {
		return false
	}
	return s.Granularity != api.GranularityTest || hasAll(s, x.graph.Suites[name].Tests)
}

// isCurrent reports whether a suite is built from what it was built from when it was measured,
// and its tests would read the same.
func (x *indexing) isCurrent(s *coverage.Suite, now *sources.Digests) bool {
	name, built := s.Suite, 0
	for _, file := range x.graph.Files(name) {
		if !s.Built[file] {
			return false
		}
		built++
	}
	if built != len(s.Built) || x.graph.Suites[name].Opaque != s.Opaque {
		return false
	}
	for path, digest := range s.Inputs {
		if now.Of(path) != digest {
			return false
		}
	}
	return true
}

// hasAll reports whether all tests were measured.
func hasAll(s *coverage.Suite, tests []string) bool {
	has := map[string]bool{}
	for _, t := range s.Tests {
		has[t.Name] = true
	}
	return !slices.ContainsFunc(tests, func(name string) bool { return !has[name] })
}

func (x *indexing) note(s api.IndexedSuite) { x.index.Suites = append(x.index.Suites, s) }

func (x *indexing) noteFresh(name string) {
	s := x.known[name]
	x.note(api.IndexedSuite{Suite: name, State: api.IndexFresh, Granularity: s.Granularity, Tests: len(s.Tests), Why: s.Why})
	x.noteFindings(s)
}

// noteFindings records what was found out about a suite's tests.
func (x *indexing) noteFindings(s *coverage.Suite) {
	x.index.Findings = append(x.index.Findings, coverage.Findings(s)...)
	x.index.Partial = append(x.index.Partial, coverage.Partial(s)...)
}

// measure runs the tests of suites alone and stores what they executed.
func (x *indexing) measure(ctx context.Context, suites []string) error {
	m := sources.NewMeasuring(x.project, x.ask.RunnerArgs, x.keeper.Cfg.Now().UTC())
	m.Graph = x.graph
	if err := m.Look(ctx, suites, x.keeper.SourceConfig(x.project.Root.Path)); err != nil {
		return err
	}
	batch, err := x.execute(ctx, m, suites)
	if err != nil {
		return err
	}
	// A source that does not build can keep suites that are not built from it from being
	// measured.
	for _, others := range x.findUnbroken(batch, suites) {
		if ctx.Err() != nil || time.Until(x.deadline) <= 0 {
			break
		}
		again, err := x.execute(ctx, m, others)
		if err != nil {
			return err
		}
		maps.Copy(batch.Col.Tally.Suites, again.Col.Tally.Suites)
		batch.Done = append(batch.Done, again.Done...)
	}
	// What was measured so far is stored even if the rest is abandoned.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), engine.FinishLimit)
	defer cancel()
	kept, failed := m.Suites(ctx)
	x.index.Warnings = append(x.index.Warnings, api.Notes(api.NotePlugin, m.Errors...)...)
	for _, name := range suites {
		if s := kept[name]; s != nil {
			if err := x.store(ctx, s); err != nil {
				return err
			}
			continue
		}
		x.noteLost(name, failed[name], m.Reported[name].Cut, batch)
	}
	return nil
}

// execute runs the commands that index suites.
func (x *indexing) execute(ctx context.Context, m *sources.Measuring, suites []string) (*engine.Batch, error) {
	plan, err := x.project.Plugin.IndexCmd(ctx, sdk.IndexRequest{
		Workspace: x.project.Ws, Suites: suites, RunnerArgs: x.ask.RunnerArgs,
		Deadline: time.Until(x.deadline), SuiteBudget: x.req.SuiteBudget,
	})
	if err != nil {
		return nil, testlist.UsageOr(err)
	}
	x.index.Warnings = append(x.index.Warnings, api.Notes(api.NotePlugin, plan.Warnings...)...)
	batch := &engine.Batch{
		Keeper: x.keeper, Project: x.project, RunID: x.id, Listeners: x.listeners, Deadline: x.deadline, Coverage: m,
	}
	if err := batch.Execute(ctx, plan.Commands); err != nil {
		x.index.RunError = err.Error()
	}
	t := batch.Col.Tally
	x.index.RunError = cmp.Or(x.index.RunError, t.RunErrorText())
	x.noteBroken(t.Failures, m.Reported)
	return batch, nil
}

// noteBroken records what did not build. A suite for which no time was left fails, too, as if
// it could not be set up: that is no fault of it.
func (x *indexing) noteBroken(failures []api.Failure, reported map[string]sdk.SuiteCoverage) {
	for _, f := range failures {
		outOfTime := f.Kind == sdk.KindSetup && reported[f.Suite].Cut
		if isBuild(f) && !outOfTime && !slices.ContainsFunc(x.index.Failures, func(o api.Failure) bool { return o.ID == f.ID }) {
			x.index.Failures = append(x.index.Failures, f)
		}
	}
}

func isBuild(f api.Failure) bool {
	return f.Kind == sdk.KindBuild || f.Kind == sdk.KindVet || f.Kind == sdk.KindSetup
}

// findUnbroken returns, in groups to be measured together, the suites that were not built
// although nothing they are built from is broken. If it is unknown what is, each is a group
// of its own.
func (x *indexing) findUnbroken(batch *engine.Batch, suites []string) [][]string {
	broken, known := map[string]bool{}, true
	for _, f := range batch.Col.Tally.Failures {
		if !isBuild(f) {
			continue
		}
		from := x.graph.BuiltFrom(f.File)
		known = known && f.File != "" && (len(from) > 0 || x.graph.Suites[f.Suite] != nil)
		broken[f.Suite] = true
		for _, suite := range from {
			broken[suite] = true
		}
	}
	others := slices.DeleteFunc(slices.Clone(suites), func(name string) bool {
		return broken[name] || batch.Col.Tally.Suites[name] != sdk.SuiteBuildFailed
	})
	switch {
	case len(others) == 0 || len(others) == len(suites) && len(suites) == 1:
		return nil
	case known:
		return [][]string{others}
	}
	return slices.Collect(slices.Chunk(others, 1))
}

// store stores a measurement and notes it in the index.
func (x *indexing) store(ctx context.Context, s *coverage.Suite) error {
	now := s
	if before := x.known[s.Suite]; !x.req.Force {
		s = pickFuller(s, before, func() bool { return x.isCurrent(before, sources.NewDigests(x.project.Root.Path)) })
	}
	if err := x.kept.Put(ctx, s); err != nil {
		return fmt.Errorf("the measurements cannot be stored: %w", err)
	}
	state := api.IndexDone
	if now.Cut {
		state = api.IndexCut
	}
	x.note(api.IndexedSuite{Suite: s.Suite, State: state, Granularity: s.Granularity, Tests: len(s.Tests), Why: cmp.Or(s.Why, now.Why)})
	x.noteFindings(s)
	x.index.Ran += len(now.Tests)
	return nil
}

// pickFuller returns an earlier measurement of a suite in place of one for which the time ran
// out, if it has more tests and still is current: less time shows less.
func pickFuller(s, before *coverage.Suite, isCurrent func() bool) *coverage.Suite {
	if s.Cut && before != nil && len(before.Tests) > len(s.Tests) && isCurrent() {
		return before
	}
	return s
}

// noteLost records why nothing was measured of a suite.
func (x *indexing) noteLost(name string, err error, cut bool, batch *engine.Batch) {
	s := api.IndexedSuite{Suite: name, State: api.IndexFailed, Granularity: api.GranularityImport}
	outcome, reported := batch.Col.Tally.Suites[name]
	exit := batch.Exit()
	switch {
	case outcome == sdk.SuiteBuildFailed:
		s.Why = "it does not build"
	case outcome == sdk.SuiteNoTests:
		s.State, s.Why = api.IndexEmpty, "none of its tests ran"
	case cut, exit.TimedOut, time.Until(x.deadline) <= 0 && !reported:
		s.State, s.Why = api.IndexCut, "the time ran out before it was measured: give it more, or index again to continue"
	case exit.Cancelled:
		s.State, s.Why = api.IndexCut, "interrupted before it was measured"
	case err != nil:
		s.Why = err.Error()
	default:
		s.Why = "the plugin reported nothing about it"
	}
	x.note(s)
}

// summarize counts what was indexed, and says whether that is everything.
func (x *indexing) summarize() {
	states := map[api.IndexState]int{}
	whole := 0
	for _, s := range x.index.Suites {
		states[s.State]++
		x.index.Tests += s.Tests
		if s.Granularity == api.GranularitySuite {
			whole++
		}
	}
	slices.SortFunc(x.index.Suites, func(a, b api.IndexedSuite) int { return cmp.Compare(a.Suite, b.Suite) })
	slices.SortFunc(x.index.Findings, func(a, b api.OrderFinding) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	slices.SortFunc(x.index.Partial, func(a, b api.PartialTest) int {
		return cmp.Or(cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	x.index.Complete = states[api.IndexCut]+states[api.IndexFailed] == 0 && x.index.RunError == "" && len(x.graph.Errors()) == 0
	x.index.Message = fmt.Sprintf("%d tests are indexed one by one; of %d suites, %d were measured now and %d had not changed",
		x.index.Tests, len(x.index.Suites), states[api.IndexDone], states[api.IndexFresh])
	if whole > 0 {
		x.index.Message += fmt.Sprintf("; %d are known only as a whole", whole)
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		switch state {
		case api.IndexCut:
			x.index.Message += fmt.Sprintf("; the time ran out before %d were measured", states[state])
		case api.IndexFailed:
			x.index.Message += fmt.Sprintf("; %d could not be measured", states[state])
		}
	}
}
