package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// RunRequest asks for a run of tests.
type RunRequest struct {
	Where Where
	// Languages narrows to some of the detected languages; all when empty. With
	// OneLanguage, several are a [*LanguagesError].
	Languages   []string
	OneLanguage bool
	// RunID is the id that the run gets, the first one of several; empty is any.
	RunID string
	// Packages, MatchPath, MatchContract and Filter select tests.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	// RunnerArgs are passed to the runner unchanged.
	RunnerArgs []string
	// RunnerFlags follow RunnerArgs, for runners that have them.
	RunnerFlags []RunnerFlag
	// Seed decides whatever the runner draws at random; empty leaves that to
	// the project's settings, or takes any.
	Seed string
	// Precise asks for the lines that failed, where a runner does not say them:
	// failed tests are run once more.
	Precise bool
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration
	// Affected, a revision such as HEAD, chooses the tests that the changes since then
	// can break; empty chooses none by that. It goes with no other selection.
	Affected string
	// Cover measures also which lines the tests execute; nil is what the settings of
	// the workspace say, and without them no.
	Cover *bool
}

// Run runs the tests of every detected language, one language after the other,
// and returns a run for each. An error means that nothing was run: whatever
// happened after a run had begun is in the run itself.
func (h *Host) Run(ctx context.Context, req RunRequest, obs Observer) ([]record.Run, error) {
	projects, err := h.projects(ctx, req.Where, req.Languages)
	if err != nil {
		return nil, err
	}
	if err := severalLanguages(projects, req.OneLanguage); err != nil {
		return nil, err
	}
	asked, err := asks(projects, req)
	if err == nil {
		err = checkAffected(projects, req)
	}
	if err != nil {
		return nil, err
	}
	var runs []record.Run
	for i, p := range projects {
		run, err := h.runProject(ctx, p, req, asked[i], obs)
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
		req.RunID = ""
		if ctx.Err() != nil && i+1 < len(projects) {
			return runs, ctx.Err() // the other languages were not run
		}
	}
	return runs, nil
}

func (h *Host) runProject(ctx context.Context, p project, req RunRequest, a ask, obs Observer) (record.Run, error) {
	store, err := h.store(p.root.Path)
	if err != nil {
		return record.Run{}, err
	}
	settings, err := h.settings(p.root.Path)
	if err != nil {
		return record.Run{}, err
	}
	id := cmp.Or(req.RunID, NewRunID())
	release, doubts, err := h.lane(ctx, store, id, obs)
	if err != nil {
		return record.Run{}, err
	}
	defer release()
	memory, forgotten := h.settled(ctx, store)
	timeout := ClampTimeout(req.Timeout)
	p = h.probed(ctx, p)
	p.ws.Cache = h.cacheDir(store, p)
	run := h.newRun(p, record.KindRun, id, timeout)
	run.SessionID = store.SessionID()
	run.Warnings = append(run.Warnings, doubts...)
	run.Selection = record.Selection{
		Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract,
		Filter: req.Filter, RunnerArgs: a.runnerArgs,
	}
	covers, warning := h.wantsCoverage(p, req, settings.Run)
	run.Warnings = append(run.Warnings, warning...)
	plan, err := p.plugin.TestCmd(ctx, sdk.TestRequest{
		Workspace: p.ws, Selection: a.selection, RunnerArgs: a.runnerArgs, Deadline: timeout, Seed: req.Seed, Cover: covers,
	})
	if usage := asUsage(err); usage != nil {
		return run, usage
	}
	if ctx.Err() != nil {
		return run, ctx.Err() // nothing was run
	}
	f := &finisher{host: h, project: p, store: store, memory: memory, settings: settings.History, selection: a.selection, observer: obs, runnerArgs: a.runnerArgs, precise: req.Precise}
	f.toolErr = errors.Join(append([]error{err}, p.missing...)...)
	run.Selection.Configured, f.narrowedBy = plan.NarrowedBy, plan.NarrowedBy
	run.Seed = plan.Seed
	if f.toolErr == nil {
		f.way = p.wayOf(plan, a.runnerArgs)
	}
	if forgotten != nil {
		f.warn(&run, forgotten) // a run is worth more than its record
	}
	before, err := h.before(ctx, memory, p.id.Language)
	if memory != nil {
		err = errors.Join(err, memory.setOutputs(ctx, p.id.Language, plan.Outputs))
	}
	if err != nil {
		f.warn(&run, err)
	}
	if req.Affected != "" && memory == nil && forgotten != nil {
		return run, fmt.Errorf("what was changed cannot be told without the records of the workspace: %w", forgotten)
	}
	if req.Affected != "" && f.toolErr == nil {
		chosen, err := h.affected(ctx, p, memory, before, sdk.RerunRequest{
			Workspace: p.ws, RunnerArgs: a.runnerArgs, Deadline: timeout, Seed: plan.Seed,
		}, req.Affected)
		if err != nil {
			return run, err // nothing was run
		}
		plan = f.choose(&run, plan, chosen, req.Affected)
	}
	run.Commands = commandsOf(plan)
	run.Warnings = append(run.Warnings, plan.Warnings...)
	f.begin(ctx, &run)

	f.run = f.execution(&run, func() *rerun.Fold {
		return rerun.NewFold(run.RunID, before, f.scope(run.Selection, plan))
	})
	var cover *runCoverage
	if covers && f.toolErr == nil {
		cover = h.beginCoverage(ctx, p, a.runnerArgs, f.keepsCoverage(run))
		f.run.coverage = cover
	}
	totals := h.totals(ctx, p, run.Selection, f.toolErr == nil && f.sel == nil)
	if f.toolErr == nil {
		f.toolErr = f.run.execute(ctx, plan.Commands)
	}
	if n := totals(); n > 0 {
		f.totals = n
	}
	if usage := f.refusal(run); usage != nil {
		if cover != nil {
			cover.cancel()
		}
		f.withdraw(ctx, run)
		return run, usage
	}
	if cover != nil {
		f.endCoverage(ctx, &run, cover)
	}
	return f.finish(ctx, run), nil
}

// scope is what a run's commands cover.
func (f *finisher) scope(s record.Selection, plan sdk.Plan) rerun.Scope {
	scope := rerun.Scope{
		SomeTests: s.Filter != "" || s.MatchPath != "" || s.MatchContract != "",
		Args:      f.argsKey(), Way: f.way,
	}
	if f.sel != nil {
		scope.Tests = f.sel.Requested
	}
	for _, c := range plan.Commands {
		scope.InsideTests = scope.InsideTests || c.SelectsInsideTests
	}
	return scope
}

// totals counts the tests that exist, where a selection leaves some of them out:
// beside the run if it may, else when the result is asked for.
func (h *Host) totals(ctx context.Context, p project, s record.Selection, worthwhile bool) func() int {
	if !worthwhile || !s.Narrows() {
		return func() int { return 0 }
	}
	l, err := h.listing(ctx, p, sdk.ListRequest{RunnerArgs: s.RunnerArgs})
	if err != nil {
		return func() int { return 0 }
	}
	count := func() int {
		n := 0
		if inv, ok := l.read(ctx, listDeadline); ok && inv.Complete {
			for _, tests := range inv.Tests {
				n += len(tests)
			}
		}
		return n
	}
	if l.exclusive() {
		return count
	}
	beside := make(chan int, 1)
	go func() { beside <- count() }()
	return func() int { return <-beside }
}

// newRun is a run that is about to begin.
func (h *Host) newRun(p project, kind record.Kind, id string, timeout time.Duration) record.Run {
	run := record.Run{
		Schema: record.Schema, RunID: id, SessionID: h.session(p.root.Path), Kind: kind,
		State: record.StateRunning, Language: p.id.Language,
		Plugin:    record.Plugin{Name: p.id.Name, Version: p.id.Version, Override: p.override, Lock: p.lock},
		Workspace: p.root.Path, StartedAt: h.cfg.Now().UTC(), TimeoutS: timeout.Seconds(),
		Commands: []record.Command{}, Failures: []record.Failure{},
		Unfinished: []record.Test{}, NeverStarted: []record.Test{},
	}
	run.Warnings = append(run.Warnings, aboutProject(p)...)
	return run
}

// aboutProject is what to know of a project whatever is done with it.
func aboutProject(p project) []string {
	var texts []string
	for _, u := range p.untested {
		texts = append(texts, "not tested: "+u.Path+": "+u.Reason)
	}
	if p.override != "" {
		texts = append(texts, fmt.Sprintf("plugin %s is the one that you named: %s", p.id.Name, p.override))
	}
	if p.instead != "" {
		texts = append(texts, fmt.Sprintf("plugin %s %s is the one that %s names, instead of %s", p.id.Name, p.id.Version, p.lock, p.instead))
	}
	return texts
}

func commandsOf(plan sdk.Plan) []record.Command {
	commands := []record.Command{}
	for _, c := range plan.Commands {
		dir := c.Dir
		if dir == "" {
			dir = "."
		}
		commands = append(commands, record.Command{Argv: c.Argv, Dir: dir})
	}
	return commands
}

// asUsage turns a plugin's word that a request cannot be meant into a usage
// error; nil for anything else.
func asUsage(err error) *UsageError {
	var e *sdk.Error
	if errors.As(err, &e) && (e.Reason == sdk.InvalidSelection || e.Reason == sdk.InvalidArguments) {
		return &UsageError{Reason: e.Message}
	}
	return nil
}
