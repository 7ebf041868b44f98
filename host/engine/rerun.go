package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Rerun runs exactly what is outstanding in the session.
func Rerun(ctx context.Context, h *ledger.Keeper, req api.RerunRequest, listeners ...api.Listener) (api.RerunAnswer, error) {
	projects, err := h.Projects(ctx, req.Where, req.Languages)
	if err != nil {
		return api.RerunAnswer{}, err
	}
	if err := project.SeveralLanguages(projects, req.OneLanguage); err != nil {
		return api.RerunAnswer{}, err
	}
	answer := api.RerunAnswer{NoRunYet: true, Green: true}
	var missing []string
	for i, p := range projects {
		some, err := rerunLanguage(ctx, h, p, &req, &answer, listeners)
		if err != nil {
			return answer, err
		}
		if !some {
			missing = append(missing, p.ID.Language)
		}
		if ctx.Err() != nil && i+1 < len(projects) {
			return answer, ctx.Err() // the other languages were not run
		}
	}
	if answer.NoRunYet {
		answer.Notices = append(answer.Notices, api.NoRunYet)
		return answer, nil
	}
	for _, language := range missing {
		answer.Green = false
		answer.Notices = append(answer.Notices, api.NoRunYet+" ("+language+")")
	}
	return answer, nil
}

// rerunLanguage runs what is outstanding of one language, or says that nothing is.
// some is false where the session has no run of it and nothing is outstanding.
func rerunLanguage(ctx context.Context, h *ledger.Keeper, p project.Project, req *api.RerunRequest, answer *api.RerunAnswer, listeners api.Listeners) (some bool, err error) {
	store, err := h.Store(p.Root.Path)
	if err != nil {
		return false, err
	}
	id := cmp.Or(req.RunID, ledger.NewRunID())
	// What another run leaves outstanding is known when that has ended.
	release, doubts, err := h.Lane(ctx, store, id, listeners)
	if err != nil {
		return false, err
	}
	defer release()
	req.Doubts = doubts
	memory, err := h.Settled(ctx, store)
	if err != nil {
		return false, err
	}
	slot, ok, err := store.Slot(p.ID.Language)
	if err != nil {
		return false, err
	}
	set, err := h.Before(ctx, memory, p.ID.Language)
	if err != nil {
		return false, err
	}
	if (!ok || slot.RunID == "") && set.Len() == 0 {
		return false, nil
	}
	answer.NoRunYet = false
	if set.Len() == 0 {
		notice, green := nothingOutstanding(ctx, memory, slot, p.ID.Language)
		answer.Notices = append(answer.Notices, notice)
		answer.Green = answer.Green && green
		return true, nil
	}
	meant, err := findRed(ctx, memory, req.Of, p.ID.Language, set)
	if err != nil {
		return true, err
	}
	if meant.Len() == 0 {
		answer.Notices = append(answer.Notices, fmt.Sprintf("nothing that was red in run %s is outstanding any more; outstanding since other runs: %s (%s)", req.Of, set.Counts(), p.ID.Language))
		answer.Green = false
		return true, nil
	}
	runs, err := rerunParts(ctx, h, p, memory, slot, set, meant, *req, id, listeners)
	answer.Runs = append(answer.Runs, runs...)
	req.RunID = ""
	return true, err
}

// rerunParts runs what is meant of a set of outstanding tests, what was red in one way
// after the other: each is a run, as a run has one set of arguments and one environment.
func rerunParts(ctx context.Context, h *ledger.Keeper, p project.Project, memory *ledger.Ledger, slot artifacts.Slot, set, meant outstanding.Set, req api.RerunRequest, id string, listeners api.Listeners) ([]api.Run, error) {
	timeout := api.ClampTimeout(req.Timeout)
	p = h.Probed(ctx, p)
	p.Ws.Cache = h.CacheDir(memory.Artifacts, p)
	choices := chooseTargets(ctx, h, p, memory, slot, meant, req, timeout)
	var runs []api.Run
	for i, c := range choices {
		if i > 0 {
			var err error
			if set, err = h.Before(ctx, memory, p.ID.Language); err != nil || ctx.Err() != nil {
				return runs, errors.Join(err, ctx.Err()) // the rest stays outstanding
			}
			id, req.Doubts = ledger.NewRunID(), nil
		}
		this := rerunPart{choice: c, number: i + 1, of: len(choices), before: runs}
		this.next = choices[i+1:]
		run, err := rerunProject(ctx, h, memory, slot, set, meant.Counts(), this, req, id, listeners)
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
	}
	// What somebody asks of the last run is meant of what is wrong.
	if at := api.Worst(runs); at+1 < len(runs) {
		if err := memory.Artifacts.Finish(context.WithoutCancel(ctx), runs[at]); err != nil {
			h.Cfg.Logger.Warn("the last run of the session could not be set", "error", err)
		}
	}
	return runs, nil
}

// findRed is the part of what is outstanding that was red in a run: all of it where
// no run is named.
func findRed(ctx context.Context, m *ledger.Ledger, ref, language string, set outstanding.Set) (outstanding.Set, error) {
	if ref == "" {
		return set, nil
	}
	run, err := m.StoredRun(ctx, ref, language)
	if err != nil {
		return outstanding.Set{}, err
	}
	red := map[api.Test]bool{}
	for _, t := range slices.Concat(run.Unfinished, run.NeverStarted) {
		red[t] = true
	}
	err = m.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
		red[api.Test{Suite: f.Suite, Test: f.Test}] = true
		return ctx.Err() == nil
	})
	if err != nil {
		return outstanding.Set{}, err
	}
	return set.Only(func(e outstanding.Entry) bool { return e.RunID == run.RunID || e.LastRunID == run.RunID || red[e.Test] }), ctx.Err()
}

// nothingOutstanding says that there is nothing to rerun, in the seed's words
// only when the last run really was green, and whether its passes are older than
// the last edits.
func nothingOutstanding(ctx context.Context, m *ledger.Ledger, slot artifacts.Slot, language string) (notice string, green bool) {
	last, err := m.Artifacts.Run(slot.RunID)
	switch {
	case err != nil:
		return fmt.Sprintf("nothing is outstanding, but the last run cannot be read: %v", err), false
	case last.Verdict != api.Passed:
		return "nothing is outstanding, and " + api.NoPass(last, language), false
	}
	notice = api.NothingToRerun(language)
	if line := api.StaleSentence(m.Stale(ctx, last)); line != "" {
		notice += "\n" + line
	}
	return notice, true
}

// rerunProject runs a part of the outstanding tests, of which all are meant.
func rerunProject(ctx context.Context, h *ledger.Keeper, memory *ledger.Ledger, slot artifacts.Slot, set outstanding.Set, all api.OutstandingCounts, c rerunPart, req api.RerunRequest, id string, listeners api.Listeners) (api.Run, error) {
	store, p := memory.Artifacts, c.project
	settings, err := h.Settings(p.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	timeout := api.ClampTimeout(req.Timeout)
	run := NewRun(h, p, api.KindRerun, id, timeout)
	run.SessionID = store.SessionID()
	run.Warnings = append(run.Warnings, req.Doubts...)
	run.Note(api.NoteRerun, c.notes()...)
	run.Selection.RunnerArgs, run.Selection.Configured, run.Seed = c.args, c.configured, c.seed
	args, sel := c.args, c.Selection
	f := &Finisher{Host: h, Project: p, Store: store, Memory: memory, settings: settings.History, Listeners: listeners, RunnerArgs: args, NarrowedBy: run.Selection.Configured, Sel: &sel, absent: c.absent, precise: req.Precise}
	f.ToolErr = errors.Join(p.Missing...)
	f.way = c.way
	for _, later := range c.next {
		f.next = append(f.next, later.way)
	}
	var plan sdk.Plan
	if f.ToolErr == nil && len(sel.Targets) > 0 {
		plan, f.ToolErr = p.Plugin.RerunCmd(ctx, sdk.RerunRequest{
			Workspace: p.Ws, Targets: IDsOf(sel.Targets), RunnerArgs: args, Deadline: timeout, Seed: run.Seed,
		})
	}
	if f.way == nil && f.ToolErr == nil && len(sel.Targets) > 0 {
		f.way = p.WayOf(plan, args)
	}
	run.Commands = CommandsOf(plan)
	run.Note(api.NotePlugin, plan.Warnings...)
	if left := uncomposed(sel.Targets, plan); f.ToolErr == nil && len(left) > 0 {
		run.Note(api.NoteRerun, noCommandFor(p.ID.Name, left))
		f.uncomposed = map[api.Test]bool{}
		for _, t := range left {
			f.uncomposed[t.Test] = true
		}
	}
	run.Warnings = append(run.Warnings, c.left(all)...)
	// Whoever has a run in this session was told before.
	if since, foreign := memory.ForeignSince(ctx, set); foreign && slot.RunID == "" {
		run.Note(api.NoteOutstanding, since)
	}
	if ctx.Err() != nil {
		return run, ctx.Err() // nothing was run, and nothing is known that was not
	}
	f.begin(ctx, &run)
	f.Run = f.Execution(&run, func() *outstanding.Fold {
		return outstanding.NewFold(run.RunID, set, outstanding.Scope{Tests: sel.Requested, InsideTests: true, Args: f.ArgsKey(), Way: f.way})
	})
	f.Run.Keep = true
	if f.ToolErr == nil {
		f.ToolErr = f.Run.Execute(ctx, plan.Commands)
	}
	if f.ToolErr == nil && ctx.Err() == nil {
		f.widen(ctx, &run, set)
	}
	f.Report(&run)
	return f.finish(ctx, run), nil
}

// Report says what became of each requested test.
func (f *Finisher) Report(run *api.Run) {
	if f.Run.fold == nil {
		f.Run.Begin()
	}
	decided := map[api.Test]api.Requested{}
	if f.widened != nil {
		for _, r := range outstanding.Judge(f.widened.fold).Requested {
			decided[api.Test{Suite: r.Suite, Test: r.Test}] = r
		}
	}
	for _, r := range outstanding.Judge(f.Run.fold).Requested {
		// A fallback that did not get to the test says nothing about it.
		if d, ok := decided[api.Test{Suite: r.Suite, Test: r.Test}]; ok &&
			(d.Outcome != api.OutcomeDidNotRun || r.Outcome == api.OutcomeDidNotRun) {
			r = d
		}
		run.Requested = append(run.Requested, r)
	}
	run.Requested = append(run.Requested, f.Sel.Gone...)
}

func SuitesOf(set outstanding.Set) []string {
	var suites []string
	seen := map[string]bool{}
	for _, e := range set.Entries {
		if !seen[e.Suite] && e.Suite != "" {
			seen[e.Suite] = true
			suites = append(suites, e.Suite)
		}
	}
	return suites
}

func IDsOf(targets []outstanding.Target) []sdk.TestID {
	var ids []sdk.TestID
	for _, t := range targets {
		ids = append(ids, sdk.TestID(t.Test))
	}
	return ids
}
