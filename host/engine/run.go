package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Run runs the tests of every detected language, one language after the other,
// and returns a run for each. An error means that nothing was run: whatever
// happened after a run had begun is in the run itself.
func Run(ctx context.Context, h *ledger.Keeper, req api.RunRequest, listeners ...api.Listener) ([]api.Run, error) {
	projects, err := h.Projects(ctx, req.Where, req.Languages)
	if err != nil {
		return nil, err
	}
	if err := project.SeveralLanguages(projects, req.OneLanguage); err != nil {
		return nil, err
	}
	asked, err := asks(projects, req)
	if err == nil {
		err = checkAffected(projects, req)
	}
	if err != nil {
		return nil, err
	}
	var runs []api.Run
	for i, p := range projects {
		run, err := runProject(ctx, h, p, req, asked[i], listeners)
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

func runProject(ctx context.Context, h *ledger.Keeper, p project.Project, req api.RunRequest, a Ask, listeners api.Listeners) (api.Run, error) {
	store, err := h.Store(p.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	settings, err := h.Settings(p.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	id := cmp.Or(req.RunID, ledger.NewRunID())
	release, doubts, err := h.Lane(ctx, store, id, listeners)
	if err != nil {
		return api.Run{}, err
	}
	defer release()
	memory, forgotten := h.Settled(ctx, store)
	timeout := api.ClampTimeout(req.Timeout)
	p = h.Probed(ctx, p)
	p.Ws.Cache = h.CacheDir(store, p)
	run := NewRun(h, p, api.KindRun, id, timeout)
	run.SessionID = store.SessionID()
	run.Warnings = append(run.Warnings, doubts...)
	run.Selection = api.Selection{
		Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract,
		Filter: req.Filter, RunnerArgs: a.RunnerArgs,
	}
	covers, unmeasured := wantsCoverage(h, p, req, settings.Run)
	run.Warnings = append(run.Warnings, unmeasured...)
	plan, err := p.Plugin.TestCmd(ctx, sdk.TestRequest{
		Workspace: p.Ws, Selection: a.Selection, RunnerArgs: a.RunnerArgs, Deadline: timeout, Seed: req.Seed, Cover: covers,
	})
	if usage := AsUsage(err); usage != nil {
		return run, usage
	}
	if ctx.Err() != nil {
		return run, ctx.Err() // nothing was run
	}
	f := &Finisher{Host: h, Project: p, Store: store, Memory: memory, settings: settings.History, selection: a.Selection, Listeners: listeners, RunnerArgs: a.RunnerArgs, precise: req.Precise}
	f.ToolErr = errors.Join(append([]error{err}, p.Missing...)...)
	run.Selection.Configured, f.NarrowedBy = plan.NarrowedBy, plan.NarrowedBy
	run.Seed = plan.Seed
	if f.ToolErr == nil {
		f.way = p.WayOf(plan, a.RunnerArgs)
	}
	if forgotten != nil {
		f.Warn(&run, forgotten) // a run is worth more than its record
	}
	before, err := h.Before(ctx, memory, p.ID.Language)
	if memory != nil {
		err = errors.Join(err, memory.SetOutputs(ctx, p.ID.Language, plan.Outputs))
	}
	if err != nil {
		f.Warn(&run, err)
	}
	if req.Affected != "" && memory == nil && forgotten != nil {
		return run, fmt.Errorf("what was changed cannot be told without the records of the workspace: %w", forgotten)
	}
	if req.Affected != "" && f.ToolErr == nil {
		chosen, err := planAffected(ctx, h, p, memory, before, sdk.RerunRequest{
			Workspace: p.Ws, RunnerArgs: a.RunnerArgs, Deadline: timeout, Seed: plan.Seed,
		}, req.Affected)
		if err != nil {
			return run, err // nothing was run
		}
		plan = f.choose(&run, plan, chosen, req.Affected)
	}
	run.Commands = CommandsOf(plan)
	run.Note(api.NotePlugin, plan.Warnings...)
	f.begin(ctx, &run)

	f.Run = f.Execution(&run, func() *outstanding.Fold {
		return outstanding.NewFold(run.RunID, before, f.scope(run.Selection, plan))
	})
	var cover *runCoverage
	if covers && f.ToolErr == nil {
		cover = beginCoverage(ctx, h, p, a.RunnerArgs, f.keepsCoverage(run))
		f.Run.Coverage = cover
	}
	totals := countTotals(ctx, h, p, run.Selection, f.ToolErr == nil && f.Sel == nil)
	if f.ToolErr == nil {
		f.ToolErr = f.Run.Execute(ctx, plan.Commands)
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
func (f *Finisher) scope(s api.Selection, plan sdk.Plan) outstanding.Scope {
	scope := outstanding.Scope{
		SomeTests: s.Filter != "" || s.MatchPath != "" || s.MatchContract != "",
		Args:      f.ArgsKey(), Way: f.way,
	}
	if f.Sel != nil {
		scope.Tests = f.Sel.Requested
	}
	for _, c := range plan.Commands {
		scope.InsideTests = scope.InsideTests || c.SelectsInsideTests
	}
	return scope
}

// countTotals counts the tests that exist, where a selection leaves some of them out:
// beside the run if it may, else when the result is asked for.
func countTotals(ctx context.Context, h *ledger.Keeper, p project.Project, s api.Selection, worthwhile bool) func() int {
	if !worthwhile || !s.Narrows() {
		return func() int { return 0 }
	}
	l, err := h.Listing(ctx, p, sdk.ListRequest{RunnerArgs: s.RunnerArgs})
	if err != nil {
		return func() int { return 0 }
	}
	count := func() int {
		n := 0
		if inv, ok := l.Read(ctx, project.ListDeadline); ok && inv.Complete {
			for _, tests := range inv.Tests {
				n += len(tests)
			}
		}
		return n
	}
	if l.Exclusive() {
		return count
	}
	beside := make(chan int, 1)
	go func() { beside <- count() }()
	return func() int { return <-beside }
}

// NewRun is a run that is about to begin.
func NewRun(h *ledger.Keeper, p project.Project, kind api.Kind, id string, timeout time.Duration) api.Run {
	run := api.Run{
		Schema: api.Schema, RunID: id, SessionID: h.SessionIn(p.Root.Path), Kind: kind,
		State: api.StateRunning, Language: p.ID.Language,
		Plugin:    api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		Workspace: p.Root.Path, StartedAt: h.Cfg.Now().UTC(), TimeoutS: timeout.Seconds(),
		Commands: []api.Command{}, Failures: []api.Failure{},
		Unfinished: []api.Test{}, NeverStarted: []api.Test{},
	}
	run.Warnings = append(run.Warnings, AboutProject(p)...)
	return run
}

// AboutProject is what to know of a project whatever is done with it.
func AboutProject(p project.Project) []api.Note {
	var notes []api.Note
	for _, u := range p.Untested {
		n := api.Note{Code: api.NoteNotTested, Text: "not tested: " + u.Path + ": " + u.Reason}
		if isProject(filepath.Join(p.Root.Path, u.Path), p.ID.Markers) {
			n.Advice = api.Advice{Operation: api.AdviseRunThere, Of: u.Path}
		}
		notes = append(notes, n)
	}
	if p.Override != "" {
		notes = append(notes, api.Note{Code: api.NotePluginChoice, Text: fmt.Sprintf("plugin %s is the one that you named: %s", p.ID.Name, p.Override)})
	}
	if p.Instead != "" {
		notes = append(notes, api.Note{Code: api.NotePluginChoice, Text: fmt.Sprintf("plugin %s %s is the one that %s names, instead of %s", p.ID.Name, p.ID.Version, p.Lock, p.Instead)})
	}
	return notes
}

// isProject reports whether a directory has a file that makes a project.
func isProject(dir string, markers []string) bool {
	return slices.ContainsFunc(markers, func(name string) bool {
		st, err := os.Stat(filepath.Join(dir, name))
		return err == nil && st.Mode().IsRegular()
	})
}

func CommandsOf(plan sdk.Plan) []api.Command {
	commands := []api.Command{}
	for _, c := range plan.Commands {
		dir := c.Dir
		if dir == "" {
			dir = "."
		}
		commands = append(commands, api.Command{Argv: c.Argv, Dir: dir})
	}
	return commands
}

// AsUsage turns a plugin's word that a request cannot be meant into a usage
// error; nil for anything else.
func AsUsage(err error) *api.UsageError {
	var e *sdk.Error
	if errors.As(err, &e) && (e.Reason == sdk.InvalidSelection || e.Reason == sdk.InvalidArguments) {
		return &api.UsageError{Reason: e.Message}
	}
	return nil
}
