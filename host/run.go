package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// RunRequest asks for a run of tests.
type RunRequest struct {
	Where Where
	// Languages narrows to some of the detected languages; all when empty.
	Languages []string
	// Packages, MatchPath, MatchContract and Filter select tests.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	// RunnerArgs are passed to the runner unchanged.
	RunnerArgs []string
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration
}

// Run runs the tests of every detected language, one language after the other,
// and returns a run for each. An error means that nothing was run: whatever
// happened after a run had begun is in the run itself.
func (h *Host) Run(ctx context.Context, req RunRequest, obs Observer) ([]record.Run, error) {
	projects, err := h.projects(ctx, req.Where, req.Languages)
	if err != nil {
		return nil, err
	}
	// Refuse before anything runs: a selection that one language cannot
	// honour must not run that language's tests unselected.
	selections := make([]sdk.Selection, len(projects))
	for i, p := range projects {
		if selections[i], err = selectionFor(p, req, len(projects) > 1); err != nil {
			return nil, err
		}
	}
	var runs []record.Run
	for i, p := range projects {
		run, err := h.runProject(ctx, p, req, selections[i], obs)
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
		if ctx.Err() != nil && i+1 < len(projects) {
			return runs, ctx.Err() // the other languages were not run
		}
	}
	return runs, nil
}

// selectionFor is the selection in the plugin's terms.
func selectionFor(p project, req RunRequest, several bool) (sdk.Selection, error) {
	packages, err := p.root.Rebase(req.Packages)
	if err != nil {
		return sdk.Selection{}, &UsageError{Reason: err.Error()}
	}
	s := sdk.Selection{Suites: packages, PathPattern: req.MatchPath, SuitePattern: req.MatchContract, TestPattern: req.Filter}
	takes := map[sdk.Selector]bool{}
	for _, t := range p.id.Selectors {
		takes[t] = true
	}
	for _, given := range []struct {
		selector sdk.Selector
		set      bool
		flag     string
	}{
		{sdk.SelectSuites, len(s.Suites) > 0, "--package"},
		{sdk.SelectPathPattern, s.PathPattern != "", "--match-path"},
		{sdk.SelectSuitePattern, s.SuitePattern != "", "--match-contract"},
		{sdk.SelectTestPattern, s.TestPattern != "", "--filter"},
	} {
		if given.set && !takes[given.selector] {
			e := &UsageError{Reason: fmt.Sprintf("%s does not take %s", p.id.Language, given.flag)}
			if several {
				e.Fix = "name the language it is meant for with --lang"
			}
			return s, e
		}
	}
	return s, nil
}

func (h *Host) runProject(ctx context.Context, p project, req RunRequest, selection sdk.Selection, obs Observer) (record.Run, error) {
	store, err := h.store(p.root.Path)
	if err != nil {
		return record.Run{}, err
	}
	settled := h.settle(ctx, store, p.id.Language)
	timeout := ClampTimeout(req.Timeout)
	run := h.newRun(p, record.KindRun, timeout)
	run.Selection = record.Selection{
		Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract,
		Filter: req.Filter, RunnerArgs: req.RunnerArgs,
	}
	plan, err := p.plugin.TestCmd(ctx, sdk.TestRequest{
		Workspace: p.ws, Selection: selection, RunnerArgs: req.RunnerArgs, Deadline: timeout,
	})
	if usage := asUsage(err); usage != nil {
		return run, usage
	}
	f := &finisher{host: h, project: p, store: store, selection: selection, observer: obs, runnerArgs: req.RunnerArgs}
	f.toolErr = errors.Join(append([]error{err}, p.missing...)...)
	run.Commands = commandsOf(plan)
	run.Warnings = append(run.Warnings, plan.Warnings...)
	if settled != nil {
		f.warn(&run, settled) // a run is worth more than its record
	}
	f.begin(ctx, &run)

	before, err := store.Outstanding(p.id.Language)
	if err != nil {
		f.warn(&run, err)
	}
	f.run = f.execution(&run, func() *rerun.Fold {
		return rerun.NewFold(run.RunID, before, scopeOf(run.Selection, f.argsKey(), plan))
	})
	totals := h.totals(ctx, p, run.Selection, f.toolErr == nil)
	if f.toolErr == nil {
		f.toolErr = f.run.execute(ctx, plan.Commands)
	}
	f.totals = <-totals
	return f.finish(ctx, run), nil
}

// scopeOf is what a run's commands cover.
func scopeOf(s record.Selection, args string, plan sdk.Plan) rerun.Scope {
	scope := rerun.Scope{
		SomeTests: s.Filter != "" || s.MatchPath != "" || s.MatchContract != "",
		Args:      args,
	}
	for _, c := range plan.Commands {
		scope.InsideTests = scope.InsideTests || c.SelectsInsideTests
	}
	return scope
}

// totals counts, beside the run, the tests that exist, where a selection leaves
// some of them out.
func (h *Host) totals(ctx context.Context, p project, s record.Selection, worthwhile bool) <-chan int {
	count := make(chan int, 1)
	if !worthwhile || !s.Narrows() {
		count <- 0
		return count
	}
	go func() {
		n := 0
		if inv, ok := h.inventory(ctx, p, sdk.Selection{}, s.RunnerArgs); ok && inv.Complete {
			for _, tests := range inv.Tests {
				n += len(tests)
			}
		}
		count <- n
	}()
	return count
}

// newRun is a run that is about to begin.
func (h *Host) newRun(p project, kind record.Kind, timeout time.Duration) record.Run {
	run := record.Run{
		Schema: record.Schema, RunID: session.NewRunID(), SessionID: h.cfg.Session, Kind: kind,
		State: record.StateRunning, Language: p.id.Language,
		Plugin:    record.Plugin{Name: p.id.Name, Version: p.id.Version, Override: p.override},
		Workspace: p.root.Path, StartedAt: h.cfg.Now().UTC(), TimeoutS: timeout.Seconds(),
		Commands: []record.Command{}, Failures: []record.Failure{},
		Unfinished: []record.Test{}, NeverStarted: []record.Test{},
	}
	for _, u := range p.untested {
		run.Warnings = append(run.Warnings, "not tested: "+u.Path+": "+u.Reason)
	}
	if p.override != "" {
		run.Warnings = append(run.Warnings, fmt.Sprintf("plugin %s is the one given with --plugin: %s", p.id.Name, p.override))
	}
	return run
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
