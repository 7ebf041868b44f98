package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Rerun runs exactly what is outstanding in the workspace.
func Rerun(ctx context.Context, h *ledger.Keeper, req api.RerunRequest, listeners ...api.Listener) (api.RerunAnswer, error) {
	projects, err := h.Projects(ctx, req.Where, req.Languages)
	if err != nil {
		return api.RerunAnswer{}, err
	}
	if err := project.CheckOneLanguage(projects, req.OneLanguage); err != nil {
		return api.RerunAnswer{}, err
	}
	answer := api.RerunAnswer{NoRunYet: true, Green: true}
	for i, p := range projects {
		some, err := rerunLanguage(ctx, h, p, &req, &answer, listeners)
		if err != nil {
			answer.NoRunYet = false // that is unknown
			return answer, err
		}
		if !some {
			answer.NotRun = append(answer.NotRun, p.ID.Language)
		}
		if ctx.Err() != nil && i+1 < len(projects) {
			return answer, ctx.Err() // the other languages did not run
		}
	}
	answer.Green = answer.Green && len(answer.NotRun) == 0
	return answer, nil
}

// rerunLanguage runs what is outstanding in one language, or says that nothing is. some is
// false if in addition the session has no run of the language.
func rerunLanguage(ctx context.Context, h *ledger.Keeper, p project.Project, req *api.RerunRequest, answer *api.RerunAnswer, listeners api.Listeners) (some bool, err error) {
	store, err := h.Store(p.Root.Path)
	if err != nil {
		return false, err
	}
	id := cmp.Or(req.RunID, ledger.NewRunID())
	// What a run in progress leaves outstanding is known only when it has ended.
	release, doubts, err := ledger.LockRuns(ctx, h, store, id, listeners)
	if err != nil {
		return false, err
	}
	defer release()
	req.Doubts = doubts
	record, err := ledger.OpenForRun(ctx, h, store)
	if err != nil {
		return false, err
	}
	slot, ok, err := store.Slot(p.ID.Language)
	if err != nil {
		return false, err
	}
	set, err := ledger.OutstandingBefore(ctx, h, record, p.ID.Language)
	if err != nil {
		return false, err
	}
	if (!ok || slot.RunID == "") && set.Len() == 0 {
		return false, nil
	}
	answer.NoRunYet = false
	if set.Len() == 0 {
		answerNothingOutstanding(ctx, record, slot, p.ID.Language, answer)
		return true, nil
	}
	meant, err := findRed(ctx, record, req.Of, p.ID.Language, set)
	if err != nil {
		return true, err
	}
	if meant.Len() == 0 {
		answer.Notes = append(answer.Notes, api.Notes(api.NoteRerun, fmt.Sprintf("nothing that failed in run %s is still outstanding; outstanding since other runs: %s (%s)", req.Of, set.Counts(), p.ID.Language))...)
		answer.Green = false
		return true, nil
	}
	meant, left, err := withoutQuarantined(ctx, h, p, record, meant)
	if err != nil {
		return true, err
	}
	if meant.Len() == 0 {
		answer.Notes = append(answer.Notes, api.Notes(api.NoteQuarantine, left+": nothing else is outstanding ("+p.ID.Language+")")...)
		answer.Green = answer.Green && isLastGreen(record, slot)
		return true, nil
	}
	var leftOut []api.Note
	if left != "" {
		leftOut = api.Notes(api.NoteQuarantine, left)
	}
	if found := stillMisplaced(ctx, h, p, record, meant); found != "" {
		answer.Notes = append(append(answer.Notes, leftOut...), api.Note{
			Code: api.NoteQuarantine, Advice: api.Advice{Operation: api.AdviseRun},
			Text: fmt.Sprintf("%s (%s); remove the entry or correct it", found, p.ID.Language),
		})
		answer.Green = false
		return true, nil
	}
	req.Doubts = append(req.Doubts, leftOut...)
	runs, err := rerunParts(ctx, h, p, record, slot, set, meant, *req, id, listeners)
	answer.Runs = append(answer.Runs, runs...)
	req.RunID = ""
	return true, err
}

// rerunParts reruns the tests of meant, one run for each way in which they failed: a run
// has one set of arguments and one environment.
func rerunParts(ctx context.Context, h *ledger.Keeper, p project.Project, record *ledger.Ledger, slot artifacts.Slot, set, meant outstanding.Set, req api.RerunRequest, id string, listeners api.Listeners) ([]api.Run, error) {
	options, err := h.Options(p)
	if err != nil {
		return nil, err
	}
	if req.DefaultTimeout && options.Timeout != nil {
		req.Timeout = *options.Timeout
	}
	p = h.RunProbes(ctx, p)
	p.Ws.Cache = h.CacheDir(record.Artifacts, p)
	choices := chooseTargets(ctx, h, p, record, slot, meant, req, req.Timeout)
	return ConductParts(ctx, h, record, len(choices), listeners, func(i int, before []api.Run) (*Plan, error) {
		if i > 0 {
			var err error
			if set, err = ledger.OutstandingBefore(ctx, h, record, p.ID.Language); err != nil {
				return nil, err
			}
			id, req.Doubts = ledger.NewRunID(), nil
		}
		this := rerunPart{choice: choices[i], number: i + 1, of: len(choices), before: before, next: choices[i+1:]}
		return planRerun(ctx, h, record, slot, set, meant.Counts(), this, req, id)
	})
}

// ConductParts conducts n runs of a rerun, one after the other, and returns those that were
// conducted. plan plans a part, knowing the runs before it. The worst run becomes the last
// one of the session: questions are about what is wrong.
func ConductParts(ctx context.Context, h *ledger.Keeper, record *ledger.Ledger, n int, listeners api.Listeners, plan func(i int, before []api.Run) (*Plan, error)) (runs []api.Run, err error) {
	for i := range n {
		if i > 0 && ctx.Err() != nil {
			return runs, ctx.Err() // the rest stays outstanding
		}
		part, err := plan(i, runs)
		if err != nil {
			return runs, err
		}
		done, err := Conduct(ctx, h, part, listeners)
		if err != nil {
			return runs, err
		}
		runs = append(runs, done.Run)
	}
	if at := api.Worst(runs); at+1 < len(runs) {
		if err := record.Artifacts.Finish(context.WithoutCancel(ctx), runs[at]); err != nil {
			h.Cfg.Logger.Warn("the last run of the session could not be set", "error", err)
		}
	}
	return runs, nil
}

// findRed returns the part of what is outstanding that failed in a run, or all of it if no
// run is named.
func findRed(ctx context.Context, m *ledger.Ledger, ref, language string, set outstanding.Set) (outstanding.Set, error) {
	if ref == "" {
		return set, nil
	}
	run, err := m.StoredRun(ctx, ref, language)
	if err != nil {
		return outstanding.Set{}, err
	}
	red := map[sdk.TestID]bool{}
	for _, t := range slices.Concat(run.Unfinished, run.NeverStarted) {
		red[t] = true
	}
	err = m.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
		red[f.TestID] = true
		return ctx.Err() == nil
	})
	if err != nil {
		return outstanding.Set{}, err
	}
	return set.Only(func(e outstanding.Entry) bool {
		return e.RunID == run.RunID || e.LastRunID == run.RunID || red[e.TestID]
	}), ctx.Err()
}

// answerNothingOutstanding adds that there is nothing to rerun. That is a pass only if the
// last run passed.
func answerNothingOutstanding(ctx context.Context, m *ledger.Ledger, slot artifacts.Slot, language string, answer *api.RerunAnswer) {
	last, err := m.Artifacts.Run(slot.RunID)
	text := ""
	switch {
	case err != nil:
		text = fmt.Sprintf("nothing is outstanding, but the last run cannot be read: %v", err)
	case last.Verdict != api.Passed:
		text = "nothing is outstanding, and " + api.NoPass(last, language)
	default:
		answer.Passed = append(answer.Passed, api.PassedLanguage{Language: language, Stale: m.Stale(ctx, last, nil)})
		return
	}
	answer.Green = false
	answer.Notes = append(answer.Notes, api.Notes(api.NoteRerun, text)...)
}

// rerunPart is one run of a rerun: the tests that failed in one way.
type rerunPart struct {
	choice
	number, of int
	// before are the parts that have run, next those that follow.
	before []api.Run
	next   []choice
}

// describe says which part of the rerun a run is, and what became of the others: a part
// that passed must not be mistaken for the whole rerun.
func (p rerunPart) describe() []string {
	var notes []string
	if len(p.changed) > 0 {
		notes = append(notes, "run with "+strings.Join(p.changed, " ")+", as when these tests failed")
	}
	if p.of == 1 {
		return notes
	}
	text := fmt.Sprintf("part %d of %d of this rerun: what failed with %s", p.number, p.of, nameWay(p.way))
	for _, run := range p.before {
		text += fmt.Sprintf("; run %s before it: %s: %s", run.RunID, run.Verdict.Words(), run.Reason)
	}
	if len(p.next) > 0 {
		text += "; what failed with " + nameWay(p.next[0].way) + " runs next"
	}
	return append(notes, text)
}

// planRerun plans one run of a rerun.
func planRerun(ctx context.Context, h *ledger.Keeper, record *ledger.Ledger, slot artifacts.Slot, set outstanding.Set, all api.OutstandingCounts, c rerunPart, req api.RerunRequest, id string) (*Plan, error) {
	settings, err := h.Settings(c.project.Root.Path)
	if err != nil {
		return nil, err
	}
	timeout := req.Timeout
	p := NewPlan(h, c.project, api.KindRerun, id, timeout)
	if p.quarantine, err = loadQuarantine(h, c.project); err != nil {
		return nil, err
	}
	options, err := h.Options(c.project)
	if err != nil {
		return nil, err
	}
	p.retries = options.RetriesWith(req.Retries, req.RetryLimit, api.DefaultRetryLimit)
	if c.misplaced {
		p.defaults = len(c.args) // a run with these arguments was judged as one of everything
	}
	p.Store, p.Ledger, p.Retention = record.Artifacts, record, settings.History
	p.Chosen, p.absent, p.before, p.way, p.precise = &c.Selection, c.absent, set, c.way, req.Precise
	p.Err = errors.Join(c.project.Missing...)
	for _, later := range c.next {
		p.next = append(p.next, later.way)
	}
	p.Run.SessionID = record.Artifacts.SessionID()
	p.Run.Warnings = append(p.Run.Warnings, req.Doubts...)
	p.Run.Note(api.NoteRerun, c.describe()...)
	p.Run.Selection.RunnerArgs, p.Run.Selection.Configured, p.Run.Seed = c.args, c.configured, c.seed
	var composed sdk.Plan
	if p.Err == nil && len(c.Targets) > 0 {
		composed, p.Err = c.project.Plugin.RerunCmd(ctx, sdk.RerunRequest{
			Workspace: c.project.Ws, Targets: IDsOf(c.Targets), RunnerArgs: c.args, Deadline: timeout, Seed: c.seed,
		})
		if p.way == nil && p.Err == nil {
			p.way = c.project.WayOf(composed, c.args)
		}
	}
	p.SetCommands(composed)
	if left := findUncomposed(c.Targets, composed); p.Err == nil && len(left) > 0 {
		p.Run.Note(api.NoteRerun, describeUncomposed(c.project.ID.Name, left))
		p.uncomposed = map[sdk.TestID]bool{}
		for _, t := range left {
			p.uncomposed[t.TestID] = true
		}
	}
	p.Run.Warnings = append(p.Run.Warnings, c.describeWaiting(all)...)
	// A session that has a run was told before.
	if since, foreign := ledger.ForeignSince(ctx, record, set); foreign && slot.RunID == "" {
		p.Run.Note(api.NoteOutstanding, since)
	}
	return p, ctx.Err()
}

// Targets are tests to rerun that the outstanding set did not choose.
type Targets struct {
	outstanding.Selection
	// Args and Seed are what they ran with.
	Args []string
	Seed string
	// Misplaced reports whether that run, judged as one of everything, found a quarantine of a
	// test that does not exist.
	Misplaced bool
}

// PlanTargets plans a rerun of targets.
func PlanTargets(ctx context.Context, h *ledger.Keeper, m *ledger.Ledger, p project.Project, t Targets, req api.RerunRequest, id string) (*Plan, error) {
	slot, _, err := m.Artifacts.Slot(p.ID.Language)
	if err != nil {
		return nil, err
	}
	set, err := ledger.OutstandingBefore(ctx, h, m, p.ID.Language)
	if err != nil {
		return nil, err
	}
	c := choice{project: p, Selection: t.Selection, args: t.Args, seed: t.Seed, misplaced: t.Misplaced, absent: outstanding.Absences{}}
	return planRerun(ctx, h, m, slot, set, api.OutstandingCounts{}, rerunPart{choice: c, number: 1, of: 1}, req, id)
}

// judgeTargets determines the outcome of each test requested by name.
func (c *conclusion) judgeTargets() {
	if !c.plan.isOfTargets() {
		return
	}
	c.first.fold.Knows.Stopped = c.first.Exit().Cancelled
	decided := map[sdk.TestID]api.Requested{}
	if c.fallback != nil {
		for _, r := range outstanding.Judge(c.fallback.fold).Requested {
			decided[r.TestID] = r
		}
	}
	for _, r := range outstanding.Judge(c.first.fold).Requested {
		// A fallback that did not run the test says nothing about it.
		if d, ok := decided[r.TestID]; ok &&
			(d.Outcome != api.OutcomeDidNotRun || r.Outcome == api.OutcomeDidNotRun) {
			r = d
		}
		c.run.Requested = append(c.run.Requested, r)
	}
	c.run.Requested = append(c.run.Requested, c.plan.Chosen.Gone...)
}

// explainUncomposed explains why requested tests did not run for which the plugin has no
// command. Those that are gone come last and have a reason already.
func (c *conclusion) explainUncomposed() {
	if len(c.plan.uncomposed) == 0 {
		return
	}
	for i := range len(c.run.Requested) - len(c.plan.Chosen.Gone) {
		r := &c.run.Requested[i]
		if r.Outcome == api.OutcomeDidNotRun && c.plan.uncomposed[r.TestID] {
			r.Why = "plugin " + c.plan.Project.ID.Name + " has no command for it"
		}
	}
}

// SuitesOf returns the suites of a set, each once.
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

// IDsOf returns the ids of targets.
func IDsOf(targets []outstanding.Target) []sdk.TestID {
	var ids []sdk.TestID
	for _, t := range targets {
		ids = append(ids, t.TestID)
	}
	return ids
}
