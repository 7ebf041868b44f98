package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// RerunRequest asks for another run of what is outstanding.
type RerunRequest struct {
	Where     Where
	Languages []string
	// OneLanguage: several languages are a [*LanguagesError].
	OneLanguage bool
	// Of narrows to what was red in this run and still is outstanding: a run id, or
	// the unique beginning of one; empty is all that is outstanding.
	Of string
	// RunID is the id that the run gets, the first one of several; empty is any.
	RunID string
	// Limit is the most outstanding tests to run; it is clamped.
	Limit int
	// Precise is as in [RunRequest].
	Precise bool
	// Timeout is clamped; 0 is the default.
	Timeout time.Duration

	// doubts are what is wrong beside the run.
	doubts []string
}

// RerunAnswer is what became of a rerun: a run for each language that had
// something outstanding, and a sentence for each that had not.
type RerunAnswer struct {
	Runs    []record.Run
	Notices []string
	// NoRunYet: the session has no run at all.
	NoRunYet bool
	// Green: of each language without a run here, the last run passed and
	// nothing is outstanding.
	Green bool
}

// Worst is the run to go on with: the last one that is no pass, else the last. There
// must be one.
func (a RerunAnswer) Worst() *record.Run { return &a.Runs[worst(a.Runs)] }

// Rerun runs exactly what is outstanding in the session.
func (h *Host) Rerun(ctx context.Context, req RerunRequest, obs Observer) (RerunAnswer, error) {
	projects, err := h.projects(ctx, req.Where, req.Languages)
	if err != nil {
		return RerunAnswer{}, err
	}
	if err := severalLanguages(projects, req.OneLanguage); err != nil {
		return RerunAnswer{}, err
	}
	answer := RerunAnswer{NoRunYet: true, Green: true}
	var missing []string
	for i, p := range projects {
		some, err := h.rerunLanguage(ctx, p, &req, &answer, obs)
		if err != nil {
			return answer, err
		}
		if !some {
			missing = append(missing, p.id.Language)
		}
		if ctx.Err() != nil && i+1 < len(projects) {
			return answer, ctx.Err() // the other languages were not run
		}
	}
	if answer.NoRunYet {
		answer.Notices = append(answer.Notices, report.NoRunYet)
		return answer, nil
	}
	for _, language := range missing {
		answer.Green = false
		answer.Notices = append(answer.Notices, report.NoRunYet+" ("+language+")")
	}
	return answer, nil
}

// rerunLanguage runs what is outstanding of one language, or says that nothing is.
// some is false where the session has no run of it and nothing is outstanding.
func (h *Host) rerunLanguage(ctx context.Context, p project, req *RerunRequest, answer *RerunAnswer, obs Observer) (some bool, err error) {
	store, err := h.store(p.root.Path)
	if err != nil {
		return false, err
	}
	id := cmp.Or(req.RunID, NewRunID())
	// What another run leaves outstanding is known when that has ended.
	release, doubts, err := h.lane(ctx, store, id, obs)
	if err != nil {
		return false, err
	}
	defer release()
	req.doubts = doubts
	memory, err := h.settled(ctx, store)
	if err != nil {
		return false, err
	}
	slot, ok, err := store.Slot(p.id.Language)
	if err != nil {
		return false, err
	}
	set, err := h.before(ctx, memory, p.id.Language)
	if err != nil {
		return false, err
	}
	if (!ok || slot.RunID == "") && set.Len() == 0 {
		return false, nil
	}
	answer.NoRunYet = false
	if set.Len() == 0 {
		notice, green := memory.nothingOutstanding(ctx, slot, p.id.Language)
		answer.Notices = append(answer.Notices, notice)
		answer.Green = answer.Green && green
		return true, nil
	}
	meant, err := memory.redIn(ctx, req.Of, p.id.Language, set)
	if err != nil {
		return true, err
	}
	if meant.Len() == 0 {
		answer.Notices = append(answer.Notices, fmt.Sprintf("nothing that was red in run %s is outstanding any more; outstanding since other runs: %s (%s)", req.Of, set.Counts(), p.id.Language))
		answer.Green = false
		return true, nil
	}
	runs, err := h.rerunParts(ctx, p, memory, slot, set, meant, *req, id, obs)
	answer.Runs = append(answer.Runs, runs...)
	req.RunID = ""
	return true, err
}

// rerunParts runs what is meant of a set of outstanding tests, what was red in one way
// after the other: each is a run, as a run has one set of arguments and one environment.
func (h *Host) rerunParts(ctx context.Context, p project, memory *memory, slot session.Slot, set, meant rerun.Set, req RerunRequest, id string, obs Observer) ([]record.Run, error) {
	timeout := ClampTimeout(req.Timeout)
	p = h.probed(ctx, p)
	p.ws.Cache = h.cacheDir(memory.store, p)
	choices := h.choose(ctx, p, memory, slot, meant, req, timeout)
	var runs []record.Run
	for i, c := range choices {
		if i > 0 {
			var err error
			if set, err = h.before(ctx, memory, p.id.Language); err != nil || ctx.Err() != nil {
				return runs, errors.Join(err, ctx.Err()) // the rest stays outstanding
			}
			id, req.doubts = NewRunID(), nil
		}
		this := rerunPart{choice: c, number: i + 1, of: len(choices), before: runs}
		this.next = choices[i+1:]
		run, err := h.rerunProject(ctx, memory, slot, set, meant.Counts(), this, req, id, obs)
		if err != nil {
			return runs, err
		}
		runs = append(runs, run)
	}
	// What somebody asks of the last run is meant of what is wrong.
	if at := worst(runs); at+1 < len(runs) {
		if err := memory.store.Finish(context.WithoutCancel(ctx), runs[at]); err != nil {
			h.cfg.Logger.Warn("the last run of the session could not be set", "error", err)
		}
	}
	return runs, nil
}

// redIn is the part of what is outstanding that was red in a run: all of it where
// no run is named.
func (m *memory) redIn(ctx context.Context, ref, language string, set rerun.Set) (rerun.Set, error) {
	if ref == "" {
		return set, nil
	}
	run, err := m.storedRun(ctx, ref, language)
	if err != nil {
		return rerun.Set{}, err
	}
	red := map[record.Test]bool{}
	for _, t := range slices.Concat(run.Unfinished, run.NeverStarted) {
		red[t] = true
	}
	err = m.store.Failures(run.RunID, func(f record.Failure) bool {
		red[record.Test{Suite: f.Suite, Test: f.Test}] = true
		return ctx.Err() == nil
	})
	if err != nil {
		return rerun.Set{}, err
	}
	return set.Only(func(e rerun.Entry) bool { return e.RunID == run.RunID || e.LastRunID == run.RunID || red[e.Test] }), ctx.Err()
}

// nothingOutstanding says that there is nothing to rerun, in the seed's words
// only when the last run really was green, and whether its passes are older than
// the last edits.
func (m *memory) nothingOutstanding(ctx context.Context, slot session.Slot, language string) (notice string, green bool) {
	last, err := m.store.Run(slot.RunID)
	switch {
	case err != nil:
		return fmt.Sprintf("nothing is outstanding, but the last run cannot be read: %v", err), false
	case last.Verdict != record.Passed:
		return "nothing is outstanding, and " + noPass(last, language), false
	}
	notice = report.NothingToRerun(language)
	if line := report.Stale(m.stale(ctx, last)); line != "" {
		notice += "\n" + line
	}
	return notice, true
}

// rerunProject runs a part of the outstanding tests, of which all are meant.
func (h *Host) rerunProject(ctx context.Context, memory *memory, slot session.Slot, set rerun.Set, all record.OutstandingCounts, c rerunPart, req RerunRequest, id string, obs Observer) (record.Run, error) {
	store, p := memory.store, c.project
	settings, err := h.settings(p.root.Path)
	if err != nil {
		return record.Run{}, err
	}
	timeout := ClampTimeout(req.Timeout)
	run := h.newRun(p, record.KindRerun, id, timeout)
	run.SessionID = store.SessionID()
	run.Warnings = append(run.Warnings, req.doubts...)
	run.Warnings = append(run.Warnings, c.notes()...)
	run.Selection.RunnerArgs, run.Selection.Configured, run.Seed = c.args, c.configured, c.seed
	args, sel := c.args, c.Selection
	f := &finisher{host: h, project: p, store: store, memory: memory, settings: settings.History, observer: obs, runnerArgs: args, narrowedBy: run.Selection.Configured, sel: &sel, absent: c.absent, precise: req.Precise}
	f.toolErr = errors.Join(p.missing...)
	f.way = c.way
	for _, later := range c.next {
		f.next = append(f.next, later.way)
	}
	var plan sdk.Plan
	if f.toolErr == nil && len(sel.Targets) > 0 {
		plan, f.toolErr = p.plugin.RerunCmd(ctx, sdk.RerunRequest{
			Workspace: p.ws, Targets: idsOf(sel.Targets), RunnerArgs: args, Deadline: timeout, Seed: run.Seed,
		})
	}
	if f.way == nil && f.toolErr == nil && len(sel.Targets) > 0 {
		f.way = p.wayOf(plan, args)
	}
	run.Commands = commandsOf(plan)
	run.Warnings = append(run.Warnings, plan.Warnings...)
	if left := uncomposed(sel.Targets, plan); f.toolErr == nil && len(left) > 0 {
		run.Warnings = append(run.Warnings, noCommandFor(p.id.Name, left))
		f.uncomposed = map[record.Test]bool{}
		for _, t := range left {
			f.uncomposed[t.Test] = true
		}
	}
	if left := c.left(all); left != "" {
		run.Warnings = append(run.Warnings, left)
	}
	// Whoever has a run in this session was told before.
	if since, foreign := memory.foreignSince(ctx, set); foreign && slot.RunID == "" {
		run.Warnings = append(run.Warnings, since)
	}
	if ctx.Err() != nil {
		return run, ctx.Err() // nothing was run, and nothing is known that was not
	}
	f.begin(ctx, &run)
	f.run = f.execution(&run, func() *rerun.Fold {
		return rerun.NewFold(run.RunID, set, rerun.Scope{Tests: sel.Requested, InsideTests: true, Args: f.argsKey(), Way: f.way})
	})
	f.run.keep = true
	if f.toolErr == nil {
		f.toolErr = f.run.execute(ctx, plan.Commands)
	}
	if f.toolErr == nil && ctx.Err() == nil {
		f.widen(ctx, &run, set)
	}
	f.report(&run)
	return f.finish(ctx, run), nil
}

// report says what became of each requested test.
func (f *finisher) report(run *record.Run) {
	if f.run.fold == nil {
		f.run.begin(f.observer)
	}
	decided := map[record.Test]record.Requested{}
	if f.widened != nil {
		for _, r := range rerun.Judge(f.widened.fold).Requested {
			decided[record.Test{Suite: r.Suite, Test: r.Test}] = r
		}
	}
	for _, r := range rerun.Judge(f.run.fold).Requested {
		// A fallback that did not get to the test says nothing about it.
		if d, ok := decided[record.Test{Suite: r.Suite, Test: r.Test}]; ok &&
			(d.Outcome != record.OutcomeDidNotRun || r.Outcome == record.OutcomeDidNotRun) {
			r = d
		}
		run.Requested = append(run.Requested, r)
	}
	run.Requested = append(run.Requested, f.sel.Gone...)
}

func suitesOf(set rerun.Set) []string {
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

func idsOf(targets []rerun.Target) []sdk.TestID {
	var ids []sdk.TestID
	for _, t := range targets {
		ids = append(ids, idOf(t.Test))
	}
	return ids
}
