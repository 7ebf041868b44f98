package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// look runs suspects on a clean checkout of the base. An error is one of the
// checkout: whatever happened after it stands in the sighting.
func (t *triage) look(ctx context.Context, ask []suspect, obs Observer) (g sighting, err error) {
	id := NewRunID()
	release, doubts, err := t.host.lane(ctx, t.memory.store, id, obs)
	if err != nil {
		t.answer.Cancelled = true
		return t.stoppedBy(ctx, err), nil
	}
	defer release()
	t.answer.Warnings = append(t.answer.Warnings, doubts...)
	clean, err := checkout.New(ctx, t.git)
	if err != nil {
		if ctx.Err() != nil {
			t.answer.Cancelled = true
			return t.stoppedBy(ctx, ctx.Err()), nil
		}
		return g, err
	}
	defer func() {
		if rerr := clean.Remove(); rerr != nil {
			t.warn(rerr.Error())
		}
	}()
	t.remark(clean)
	if _, err := os.Stat(clean.Root); err != nil {
		return t.stoppedBy(ctx, fmt.Errorf("%s has no such directory", t.req.Base)), nil
	}
	projects, err := t.host.projects(ctx, Where{Dir: clean.Root, Exact: true}, []string{t.project.id.Name})
	var none *workspace.NoProjectError
	var other *LanguageError
	switch {
	case errors.As(err, &none), errors.As(err, &other):
		return t.stoppedBy(ctx, fmt.Errorf("%s has no %s project there", t.req.Base, t.project.id.Language)), nil
	case err != nil:
		t.answer.RunError = err.Error()
		return t.stoppedBy(ctx, err), nil
	}
	p := t.host.probed(ctx, projects[0])
	p.ws.Cache = clean.Cache
	return t.run(ctx, p, id, ask, strings.Join(clean.Lacks, "; "), obs), nil
}

// stoppedBy is what is seen where nothing can be run.
func (t *triage) stoppedBy(ctx context.Context, err error) sighting {
	g := newSighting(nil, nil, "", "")
	g.stopped = err.Error()
	if ctx.Err() != nil {
		g.stopped = "it was interrupted"
	}
	return g
}

// remark says how the checkout differs from one by the user.
func (t *triage) remark(c *checkout.Checkout) {
	for _, lack := range c.Lacks {
		t.warn("the checkout lacks " + lack)
	}
	if len(c.Linked) > 0 {
		t.warn(fmt.Sprintf("files that git ignores were linked to, not copied (%s): what the tests write there, they write into the working tree",
			someOf(c.Linked, 3)))
	}
	if c.Copied > 0 {
		t.warn(fmt.Sprintf("files and directories that git ignores were taken from the working tree as they are now: %d", c.Copied))
	}
}

// run runs suspects in a checkout, and puts that on record as a run of its own. The
// session's last run and what is outstanding stay as they are.
func (t *triage) run(ctx context.Context, p project, id string, ask []suspect, lacks string, obs Observer) sighting {
	run := t.host.newRun(t.project, record.KindTriage, id, t.timeout)
	run.Selection.RunnerArgs, run.Selection.Configured = t.runnerArgs(), t.suspects.run.Selection.Configured
	run.Seed = t.suspects.run.Seed
	run.Message = fmt.Sprintf("of a clean checkout of %s (%s): it says nothing about the working tree", t.req.Base, t.base.Commit)
	set := setOf(ask)
	inv, ok := t.host.inventory(ctx, p, sdk.ListRequest{
		Selection: sdk.Selection{Suites: suitesOf(set)}, RunnerArgs: t.runnerArgs(), Selected: true,
	}, t.timeout)
	if !ok {
		inv = rerun.Inventory{} // nothing is known to be new
	}
	t.nameFormerly(ask, inv)
	set = setOf(ask)
	sel := rerun.Select(set, inv, len(set.Entries))
	f := &finisher{
		host: t.host, project: p, store: t.memory.store, observer: obs, runnerArgs: t.runnerArgs(),
		narrowedBy: run.Selection.Configured, sel: &sel,
	}
	if t.memory.history != nil {
		f.memory = t.memory
	}
	f.toolErr = errors.Join(p.missing...)
	var plan sdk.Plan
	if f.toolErr == nil && len(sel.Targets) > 0 {
		// The enclosing tests run whole, as they mostly did when the suspects
		// failed: a part that passes alone would look as if it had been broken since.
		plan, f.toolErr = p.plugin.RerunCmd(ctx, sdk.RerunRequest{
			Workspace: p.ws, Targets: idsOf(sel.Targets), Widen: true, RunnerArgs: t.runnerArgs(), Deadline: t.timeout, Seed: run.Seed,
		})
	}
	if len(plan.Commands) > 0 || f.toolErr != nil {
		t.execute(ctx, f, &run, plan)
	}
	return t.sighted(ctx, f, run, sel, lacks)
}

// setOf are suspects as a rerun has them.
func setOf(ask []suspect) rerun.Set {
	var set rerun.Set
	seen := map[record.Test]bool{}
	for _, s := range ask {
		for _, s := range []suspect{s, s.asBefore()} {
			if id := s.target(); !seen[id] {
				seen[id] = true
				set.Entries = append(set.Entries, rerun.Entry{Test: id, Root: s.root, Reason: rerun.ReasonFailed})
			}
		}
	}
	return set
}

// execute runs the commands and ends the record.
func (t *triage) execute(ctx context.Context, f *finisher, run *record.Run, plan sdk.Plan) {
	run.Commands = commandsOf(plan)
	run.Warnings = append(run.Warnings, plan.Warnings...)
	f.seen.state, f.seen.source = t.base, sourceOf(t.base)
	if t.base.ID == "" {
		f.seen.source = nil
	}
	run.Source, run.Environment = f.seen.source, t.environment
	var err error
	if f.rec, err = f.store.Record(*run); err != nil {
		f.rec = nil
		f.warn(run, err)
	}
	if f.memory != nil {
		if f.chronicle, err = f.memory.chronicle(ctx, *run); err != nil {
			f.warn(run, err)
		}
	}
	f.observer.started(*run)
	f.run = f.execution(run, func() *rerun.Fold {
		return rerun.NewFold(run.RunID, rerun.Set{}, rerun.Scope{Tests: f.sel.Requested, Widened: true, Args: f.argsKey()})
	})
	f.run.keep = true
	f.run.begin(f.observer)
	if f.toolErr == nil {
		f.toolErr = f.run.execute(ctx, plan.Commands)
	}
	f.report(run)
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	tally, exit := f.run.col.tally, f.run.exit()
	f.fill(run, tally, exit)
	f.judge(run, tally, exit)
	f.conclude(after, run)
	if f.rec != nil {
		if err := f.rec.Finish(*run); err != nil {
			f.warn(run, err)
		}
	}
	f.observer.finished(*run)
	t.answer.RunID = run.RunID
}

// sighted is what the run showed.
func (t *triage) sighted(ctx context.Context, f *finisher, run record.Run, sel rerun.Selection, lacks string) sighting {
	var results []record.Result
	var failures []record.Failure
	suites := map[string]sdk.SuiteOutcome{}
	if f.run != nil {
		results, failures, suites = f.run.col.results, f.run.col.tally.failures, f.run.col.tally.suites
	}
	g := newSighting(results, failures, f.project.root.Path, t.project.root.Path)
	g.suites, g.lacks, g.runID, g.at = suites, lacks, t.answer.RunID, run.StartedAt
	for _, gone := range sel.Gone {
		g.gone[record.Test{Suite: gone.Suite, Test: gone.Test}] = true
	}
	switch {
	case ctx.Err() != nil || run.Cancelled:
		g.stopped, t.answer.Cancelled = "it was interrupted", true
	case run.TimedOut:
		g.stopped = fmt.Sprintf("the time ran out after %.0f s", t.timeout.Seconds())
	case f.toolErr != nil:
		g.stopped = excerpt(f.toolErr.Error())
		t.answer.RunError = run.RunError
	case run.RunError != "" && len(results) == 0:
		g.stopped = excerpt(run.RunError)
	}
	for _, w := range run.Warnings {
		if strings.HasPrefix(w, "shown but not recorded") {
			t.warn(w)
		}
	}
	return g
}
