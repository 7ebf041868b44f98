package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/procgroup"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/translate"
	"github.com/proctorhq/proctor/sdk"
)

// Run runs the tests of every detected language, one language after the other, and returns
// a run for each. An error means that a language, and those after it, did not run:
// whatever happens after a run has begun is in the run itself.
func Run(ctx context.Context, k *ledger.Keeper, req api.RunRequest, listeners ...api.Listener) ([]api.Run, error) {
	return runAll(ctx, k, req, nil, listeners)
}

// runAll runs everything, or a part of a division.
func runAll(ctx context.Context, k *ledger.Keeper, req api.RunRequest, d *Division, listeners api.Listeners) ([]api.Run, error) {
	projects, err := findProjects(ctx, k, req.Where, req.Languages, req.OneLanguage)
	if err != nil {
		return nil, err
	}
	launches, err := newLaunches(k, projects, req)
	if err != nil {
		return nil, err
	}
	unknown, err := translate.NameUnknownLanguages(k, projects, req)
	if err != nil {
		return nil, err
	}
	launches[0].doubts = api.Notes(api.NoteProject, unknown...) // said once
	var runs []api.Run
	for i, l := range launches {
		if i > 0 {
			l.req.RunID = "" // the first run has the one that was requested
		}
		run, err := l.run(ctx, d, listeners)
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
		if ctx.Err() != nil && !l.isLast {
			return runs, ctx.Err() // the other languages did not run
		}
	}
	return runs, nil
}

// findProjects finds the projects of a request: one for each language.
func findProjects(ctx context.Context, k *ledger.Keeper, where api.Where, languages []string, one bool) ([]project.Project, error) {
	projects, err := k.Projects(ctx, where, languages)
	if err == nil {
		err = project.CheckOneLanguage(projects, one)
	}
	return projects, err
}

// launch is a request to run the tests of one project.
type launch struct {
	keeper  *ledger.Keeper
	project project.Project
	// req has the timeout that applies once the launch is open, asked is what it means to
	// the plugin.
	req   api.RunRequest
	asked translate.Request
	// store and options are known once it is open.
	store   *artifacts.Store
	options config.Options
	// doubts are the first notes of the run.
	doubts []api.Note
	// isLast means that no other language follows.
	isLast bool
}

// newLaunches translates a request for each of its projects.
func newLaunches(k *ledger.Keeper, projects []project.Project, req api.RunRequest) ([]*launch, error) {
	asked, err := translate.ForAll(k, projects, req)
	if err == nil {
		err = errors.Join(checkAffected(projects, req), checkShard(projects, req))
	}
	if err != nil {
		return nil, err
	}
	var all []*launch
	for i, p := range projects {
		all = append(all, &launch{keeper: k, project: p, req: req, asked: asked[i], isLast: i+1 == len(projects)})
	}
	return all, nil
}

// open opens the record of the project, and completes the request by its settings.
func (l *launch) open() error {
	var err error
	if l.store, err = l.keeper.Store(l.project.Root.Path); err != nil {
		return err
	}
	if l.options, err = l.keeper.Options(l.project); err != nil {
		return err
	}
	if l.req.DefaultTimeout && l.options.Timeout != nil {
		l.req.Timeout = *l.options.Timeout
	}
	l.req.RunID = cmp.Or(l.req.RunID, ledger.NewRunID())
	return nil
}

// run plans the run, of a part of a division if there is one, and conducts it.
func (l *launch) run(ctx context.Context, d *Division, listeners api.Listeners) (api.Run, error) {
	if err := l.open(); err != nil {
		return api.Run{}, err
	}
	release, doubts, err := ledger.LockRuns(ctx, l.keeper, l.store, l.req.RunID, listeners)
	if err != nil {
		return api.Run{}, err
	}
	defer release()
	l.doubts = append(doubts, l.doubts...)
	plan, err := l.plan(ctx)
	if err != nil {
		return plan.Run, err
	}
	plan.isLast = l.isLast && l.keeper.Cfg.OneRequest
	if l.req.IsByChange() && plan.Err == nil {
		if err := l.chooseAffected(ctx, plan); err != nil {
			return plan.Run, err // nothing ran
		}
	}
	if l.req.Shard != "" {
		if err := (sharding{plan, l}).chooseShard(ctx, d); err != nil {
			return plan.Run, err
		}
	}
	done, err := Conduct(ctx, l.keeper, plan, listeners)
	return done.Run, err
}

// plan plans the run. Changes or a shard may then choose some of its tests. An error means
// that nothing must run.
func (l *launch) plan(ctx context.Context) (*Plan, error) {
	k, p := l.keeper, l.project
	settings, err := k.Settings(p.Root.Path)
	if err != nil {
		return &Plan{}, err
	}
	led, forgotten := ledger.OpenForRun(ctx, k, l.store)
	p = k.RunProbes(ctx, p)
	p.Ws.Cache = k.CacheDir(l.store, p)
	plan := NewPlan(k, p, api.KindRun, l.req.RunID, l.req.Timeout)
	plan.Store, plan.Ledger, plan.Retention = l.store, led, settings.History
	plan.Run.SessionID = l.store.SessionID()
	plan.Run.Warnings = append(plan.Run.Warnings, l.doubts...)
	if plan.quarantine, err = loadQuarantine(k, p); err != nil {
		return plan, err
	}
	plan.retries = l.options.RetriesWith(l.req.Retries, l.req.RetryLimit, api.DefaultRetryLimit)
	if forgotten != nil {
		noteUnrecorded(&plan.Run, forgotten) // run without a record rather than not at all
	}
	if err := l.compose(ctx, plan); err != nil {
		return plan, err
	}
	if l.req.Affected != "" && led == nil && forgotten != nil {
		return plan, fmt.Errorf("what changed is unknown without the workspace's records: %w", forgotten)
	}
	return plan, nil
}

// compose has the plugin compose the requested commands. An error means that nothing must
// run.
func (l *launch) compose(ctx context.Context, p *Plan) error {
	req, a := l.req, l.asked
	p.Selection, p.neutral, p.precise = a.Selection, a.Neutral, req.Precise
	p.Run.Selection = api.Selection{
		Packages: req.Packages, MatchPath: a.Selection.PathPattern, MatchContract: a.Selection.SuitePattern,
		Filter: a.Selection.TestPattern, RunnerArgs: a.RunnerArgs,
	}
	covers, unmeasured := l.wantsCoverage()
	p.covers = covers
	p.Run.Warnings = append(p.Run.Warnings, unmeasured...)
	before, unknown := ledger.OutstandingBefore(ctx, l.keeper, p.Ledger, p.Run.Language)
	p.before = before
	cached, notCached := l.wantsCached(before)
	p.Run.Warnings = append(p.Run.Warnings, notCached...)
	if cached {
		p.trusts = p.trustsSuite
	}
	p.request = sdk.TestRequest{
		Workspace: p.Project.Ws, Selection: a.Selection, RunnerArgs: slices.Concat(a.Neutral, a.RunnerArgs), Deadline: req.Timeout, Seed: req.Seed,
		Cover: covers, AllowCached: cached,
	}
	composed, err := p.Project.Plugin.TestCmd(ctx, p.request)
	if usage := translate.AsUsage(err); usage != nil {
		return usage
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.Err = errors.Join(append([]error{err}, p.Project.Missing...)...)
	p.Run.Selection.Configured, p.Run.Seed = append(composed.NarrowedBy, a.NarrowedBy...), composed.Seed
	p.defaults, p.narrowed = a.Defaults, len(a.NarrowedBy) > 0
	if p.Err == nil {
		p.way = p.Project.WayOf(composed, a.RunnerArgs)
		p.setAgain(ctx, a)
	}
	err = unknown
	if p.Ledger != nil {
		err = errors.Join(err, ledger.SetOutputs(ctx, p.Ledger, p.Run.Language, composed.Outputs))
	}
	if err != nil {
		noteUnrecorded(&p.Run, err)
	}
	p.SetCommands(composed)
	if req.Check {
		p.check = composed.Check
	}
	return nil
}

// Outcome is a run that has ended, with what its object does not carry.
type Outcome struct {
	Run     api.Run
	Results []api.Result // only of a run of targets
	Tally   *tally.Tally
	// HasRace reports whether a data race was detected.
	HasRace bool
	// Err is the tool error, if there was one.
	Err error
}

// Conduct takes a run of any kind from its plan to its end: it is put on record, executed
// and concluded. An error means that there is no run; everything else is in the run.
func Conduct(ctx context.Context, k *ledger.Keeper, p *Plan, listeners api.Listeners) (Outcome, error) {
	run := p.Run
	var group *procgroup.Prepared
	if len(p.Commands) > 0 {
		group = procgroup.Prepare() // while the run is put on record
		defer group.Discard()
	}
	started := &api.RunStarted{SuiteNoun: p.Project.ID.SuiteNoun, SuitePrefixes: p.Project.SuitePrefixes}
	var expecting sync.WaitGroup
	expecting.Go(func() { started.Suites, started.Expected = expectSuites(ctx, p) })
	r, errs := beginRecord(ctx, k, p, &run)
	expecting.Wait()
	if len(errs) > 0 && p.isForRecord() {
		r.withdraw(ctx, run)
		return Outcome{Run: run}, errors.Join(errs...)
	}
	for _, err := range errs {
		noteUnrecorded(&run, err)
	}
	started.Run = run
	k.Cfg.Logger.Info("a run has started", "run", run.RunID, "workspace", run.Workspace, "language", run.Language)
	listeners.Listen(started)
	x := &execution{keeper: k, plan: p, record: r, run: &run}
	x.execute(ctx, group, listeners)
	if err := (&conclusion{execution: x}).conclude(ctx); err != nil {
		k.Cfg.Logger.Info("a run has ended", "run", run.RunID, "error", err)
		return Outcome{Run: run}, err
	}
	k.Cfg.Logger.Info("a run has ended", "run", run.RunID, "verdict", string(run.Verdict), "duration_s", run.DurationS)
	listeners.Listen(&api.RunFinished{Run: run, Record: r.reader()})
	hasRace := x.first.fold != nil && outstanding.HasRace(x.first.fold)
	return Outcome{Run: run, Results: x.first.Results, Tally: x.first.Col.Tally, HasRace: hasRace, Err: x.err}, nil
}

// expectSuites returns how many suites the last run of everything had, and how to learn
// which. Of a run of something else it only knows how many were named; 0 if that is unknown.
func expectSuites(ctx context.Context, p *Plan) (count int, expected func() []api.ExpectedSuite) {
	if s := p.Run.Selection; !p.isOfEverything() || s.Narrows() {
		isPattern := func(name string) bool { return strings.Contains(name, "...") }
		if p.Run.Kind == api.KindRun && s.Affected == "" && s.Shard == "" && !slices.ContainsFunc(s.Packages, isPattern) {
			count = len(s.Packages)
		}
		return count, func() []api.ExpectedSuite { return nil }
	}
	return ledger.ExpectedSuites(ctx, p.Ledger, p.Run.Language)
}

// noteUnrecorded says that the run is shown but not recorded: that never fails a run.
func noteUnrecorded(run *api.Run, err error) {
	run.Note(api.NoteUnrecorded, "shown but not recorded: "+err.Error())
}

// setAgain lets tests that are red while they rewrite what they expect run again as if they
// had compared: a rerun that rewrote it would turn them green whatever they print.
func (p *Plan) setAgain(ctx context.Context, a translate.Request) {
	args := project.WithoutUpdates(p.Project.ID.RunnerFlags, a.RunnerArgs)
	if len(args) == len(a.RunnerArgs) {
		return
	}
	req := p.request
	req.RunnerArgs = slices.Concat(a.Neutral, args)
	if composed, err := p.Project.Plugin.TestCmd(ctx, req); err == nil {
		p.again = &outstanding.Again{
			Args: p.Project.ArgsKey(slices.Concat(args, composed.NarrowedBy, a.NarrowedBy)), Way: p.Project.WayOf(composed, args),
		}
	}
}
