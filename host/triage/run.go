package triage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// look runs suspects on a clean checkout of the base. An error concerns the checkout;
// whatever happens after that is in the result.
func (t *triage) look(ctx context.Context, ask []suspect, listeners api.Listeners) (g baseResult, err error) {
	id := ledger.NewRunID()
	release, doubts, err := ledger.LockRuns(ctx, t.keeper, t.ledger.Artifacts, id, listeners)
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
			t.warn(api.NoteCheckout, rerr.Error())
		}
	}()
	t.warnAbout(clean)
	if _, err := os.Stat(clean.Root); err != nil {
		return t.stoppedBy(ctx, fmt.Errorf("%s has no such directory", t.req.Base)), nil
	}
	projects, err := t.keeper.Projects(ctx, api.Where{Dir: clean.Root, Exact: true}, []string{t.project.ID.Name})
	var none *api.NoProjectError
	var other *api.LanguageError
	switch {
	case errors.As(err, &none), errors.As(err, &other):
		return t.stoppedBy(ctx, fmt.Errorf("%s has no %s project there", t.req.Base, t.project.ID.Language)), nil
	case err != nil:
		t.answer.RunError = err.Error()
		return t.stoppedBy(ctx, err), nil
	}
	p, _ := project.RestoreEnvironment(ctx, t.keeper.Host, projects[0], t.saw)
	p = t.keeper.RunProbes(ctx, p)
	p.Ws.Cache = clean.Cache
	return t.run(ctx, p, id, ask, strings.Join(clean.Lacks, "; "), listeners)
}

// stoppedBy returns the result of a run that could not start.
func (t *triage) stoppedBy(ctx context.Context, err error) baseResult {
	g := newBaseResult(nil, nil, "", "")
	g.stopped = err.Error()
	if ctx.Err() != nil {
		g.stopped = "it was interrupted"
	}
	return g
}

// warnAbout warns how the checkout differs from one that the user makes.
func (t *triage) warnAbout(c *checkout.Checkout) {
	for _, lack := range c.Lacks {
		t.warn(api.NoteCheckout, "the checkout lacks "+lack)
	}
	if len(c.Linked) > 0 {
		t.warn(api.NoteCheckout, fmt.Sprintf("files that git ignores were linked, not copied (%s): whatever the tests write there, they write into the working tree",
			ledger.NameSome(c.Linked)))
	}
	if c.Copied > 0 {
		t.warn(api.NoteCheckout, fmt.Sprintf("files and directories that git ignores were copied from the working tree as they are now: %d", c.Copied))
	}
}

// run runs suspects in a checkout, and records that as a run which affects neither the
// session's last run nor the outstanding set.
func (t *triage) run(ctx context.Context, p project.Project, id string, ask []suspect, lacks string, listeners api.Listeners) (baseResult, error) {
	plan := engine.NewPlan(t.keeper, t.project, api.KindTriage, id, t.timeout)
	plan.Project, plan.Store = p, t.ledger.Artifacts
	if t.ledger.History != nil {
		plan.Ledger = t.ledger
	}
	run := &plan.Run
	run.Selection.RunnerArgs, run.Selection.Configured = t.runnerArgs(), t.suspects.run.Selection.Configured
	run.Seed, run.Environment = t.suspects.run.Seed, t.environment
	run.Message = fmt.Sprintf("of a clean checkout of %s (%s): it says nothing about the working tree", t.req.Base, t.base.Commit)
	plan.Seen = &ledger.Seen{State: t.base}
	if t.base.ID != "" {
		run.Source = ledger.SourceOf(t.base)
		plan.Seen.Source = run.Source
	}
	set := setOf(ask)
	inv, ok := project.ReadInventory(ctx, t.keeper.Host, p, sdk.ListRequest{
		Selection: sdk.Selection{Suites: engine.SuitesOf(set)}, RunnerArgs: t.runnerArgs(), Selected: true,
	}, t.timeout)
	if !ok {
		inv = outstanding.Inventory{} // nothing is known to be new
	}
	t.nameFormerly(ask, inv)
	set = setOf(ask)
	chosen := outstanding.Select(set, inv, len(set.Entries), "")
	plan.Chosen = &chosen
	plan.Err = errors.Join(p.Missing...)
	if plan.Err == nil && len(chosen.Targets) > 0 {
		// The enclosing tests run whole, as they mostly did when the suspects failed: a
		// subtest that passes only when run alone would look as if it was broken since.
		var composed sdk.Plan
		composed, plan.Err = p.Plugin.RerunCmd(ctx, sdk.RerunRequest{
			Workspace: p.Ws, Targets: engine.IDsOf(chosen.Targets), Widen: true, RunnerArgs: t.runnerArgs(), Deadline: t.timeout, Seed: run.Seed,
		})
		plan.SetCommands(composed)
	}
	if len(plan.Commands) == 0 && plan.Err == nil {
		return t.resultOf(ctx, engine.Outcome{Run: *run, Tally: tally.NewTally()}, plan, lacks), nil
	}
	done, err := engine.Conduct(ctx, t.keeper, plan, listeners)
	if err != nil {
		return baseResult{}, err
	}
	t.answer.RunID = run.RunID
	return t.resultOf(ctx, done, plan, lacks), nil
}

// setOf returns suspects as an outstanding set, under their names here and on the base.
func setOf(ask []suspect) outstanding.Set {
	var set outstanding.Set
	seen := map[sdk.TestID]bool{}
	for _, s := range ask {
		for _, s := range []suspect{s, s.asBefore()} {
			if id := s.target(); !seen[id] {
				seen[id] = true
				set.Entries = append(set.Entries, outstanding.Entry{TestID: id, Root: s.root, Reason: outstanding.ReasonFailed})
			}
		}
	}
	return set
}

// resultOf returns what a run showed.
func (t *triage) resultOf(ctx context.Context, done engine.Outcome, plan *engine.Plan, lacks string) baseResult {
	run := done.Run
	g := newBaseResult(done.Results, done.Tally.Failures, plan.Project.Root.Path, t.project.Root.Path)
	g.suites, g.lacks, g.runID, g.at = done.Tally.Suites, lacks, t.answer.RunID, run.StartedAt
	for _, gone := range plan.Chosen.Gone {
		g.gone[gone.TestID] = true
	}
	switch {
	case ctx.Err() != nil || run.Cancelled:
		g.stopped, t.answer.Cancelled = "it was interrupted", true
	case run.TimedOut:
		g.stopped = fmt.Sprintf("the run timed out after %.0f s", t.timeout.Seconds())
	case done.Err != nil:
		g.stopped = ledger.Excerpt(done.Err.Error())
		t.answer.RunError = run.RunError
	case run.RunError != "" && len(done.Results) == 0:
		g.stopped = ledger.Excerpt(run.RunError)
	}
	for _, w := range run.Warnings {
		if w.Code == api.NoteUnrecorded {
			t.answer.Warnings = append(t.answer.Warnings, w)
		}
	}
	return g
}
