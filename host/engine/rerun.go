package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Rerun runs exactly what is outstanding in the workspace.
func Rerun(ctx context.Context, k *ledger.Keeper, req api.RerunRequest, listeners ...api.Listener) (api.RerunAnswer, error) {
	projects, err := findProjects(ctx, k, req.Where, req.Languages, req.OneLanguage)
	if err != nil {
		return api.RerunAnswer{}, err
	}
	answer := api.RerunAnswer{NoRunYet: true, Green: true}
	names := &named{names: req.Names, alone: len(projects) == 1, found: map[string]bool{}}
	for i, p := range projects {
		some, err := rerunLanguage(ctx, k, p, &req, &answer, names, listeners)
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
	return answer, names.check(nil)
}

// rerunLanguage runs what is outstanding in one language, or says that nothing is. some is
// false if in addition the session has no run of the language.
func rerunLanguage(ctx context.Context, k *ledger.Keeper, p project.Project, req *api.RerunRequest, answer *api.RerunAnswer, names *named, listeners api.Listeners) (some bool, err error) {
	r, err := BeginRerun(ctx, k, p, *req, listeners)
	if err != nil {
		return false, err
	}
	defer r.End()
	r.names = names
	slot, ok, err := r.Ledger.Artifacts.Slot(p.ID.Language)
	if err != nil {
		return false, err
	}
	r.slot = slot
	if r.set, err = ledger.OutstandingBefore(ctx, k, r.Ledger, p.ID.Language); err != nil {
		return false, err
	}
	if (!ok || slot.RunID == "") && r.set.Len() == 0 {
		return false, nil
	}
	answer.NoRunYet = false
	if r.set.Len() == 0 {
		r.answerNothingOutstanding(ctx, answer)
		return true, nil
	}
	runs, err := r.runMeant(ctx, answer)
	answer.Runs = append(answer.Runs, runs...)
	if runs != nil {
		req.RunID = ""
	}
	return true, err
}

// named is what a user names of what is outstanding, in any language.
type named struct {
	names []string
	// alone means that there is only one language, so that a name without a meaning is
	// refused before anything runs.
	alone bool
	// looked reports whether anything was outstanding, and found has the names that meant
	// some of it.
	looked bool
	found  map[string]bool
}

// in returns what of a set is named: a test, what is inside one, or all of a suite.
func (n *named) in(set outstanding.Set, root workspace.Root, suites api.SuiteNames) (outstanding.Set, error) {
	around := func(e outstanding.Entry) []sdk.TestID {
		return []sdk.TestID{e.TestID, {Suite: e.Suite, Test: cmp.Or(e.Root, e.Test)}, {Suite: e.Suite}}
	}
	var ids []sdk.TestID
	for _, e := range set.Entries {
		ids = append(ids, around(e)...)
	}
	meant := map[sdk.TestID]bool{}
	paths, err := root.Rebase(n.names)
	if err != nil {
		return outstanding.Set{}, &api.UsageError{Reason: err.Error()}
	}
	for i, name := range n.names {
		for _, id := range matchNamed(ids, paths[i], suites) {
			meant[id], n.found[name] = true, true
		}
	}
	if n.looked = true; n.alone {
		if err := n.check(func(name string) string { return api.SuggestNames(api.Nearest(ids, name, suites.Call)) }); err != nil {
			return outstanding.Set{}, err
		}
	}
	return set.Only(func(e outstanding.Entry) bool {
		return slices.ContainsFunc(around(e), func(id sdk.TestID) bool { return meant[id] })
	}), nil
}

// matchNamed returns what a name means: a directory, such as ./scan, with "/..." also what is
// below it, or else a test or suite.
func matchNamed(ids []sdk.TestID, name string, suites api.SuiteNames) []sdk.TestID {
	path, below := strings.CutSuffix(name, "...")
	dir := strings.Trim(strings.TrimPrefix(path, "."), "/")
	var meant []sdk.TestID
	if below || strings.HasPrefix(name, ".") {
		for _, id := range ids {
			if id.Test == "" && suites.IsIn(id.Suite, dir, below) {
				meant = append(meant, id)
			}
		}
	}
	if len(meant) == 0 && !below {
		for _, i := range api.MatchTests(ids, cmp.Or(dir, name), suites) {
			meant = append(meant, ids[i])
		}
	}
	return meant
}

// check refuses a name that means nothing of what is outstanding; suggest may be nil.
func (n *named) check(suggest func(name string) string) error {
	for _, name := range n.names {
		if n.looked && !n.found[name] {
			err := &api.UsageError{Reason: "not outstanding: " + prose.Line(name), Advice: api.Advice{Operation: api.AdviseOutstanding}}
			if suggest != nil {
				if err.Fix = suggest(name); err.Fix != "" {
					err.Advice = api.Advice{}
				}
			}
			return err
		}
	}
	return nil
}

// Rerunning is a rerun of tests of one project. Until it ends, no other run is in progress in
// the workspace.
type Rerunning struct {
	Keeper *ledger.Keeper
	// Project has the results of its probes, and Req the timeout that applies, once
	// [Rerunning.Prepare] was called.
	Project   project.Project
	Ledger    *ledger.Ledger
	Req       api.RerunRequest
	listeners api.Listeners
	options   config.Options
	// slot is of the session's last run. set is what is outstanding, and meant what of it the
	// rerun is about: empty if that was not chosen from it.
	slot       artifacts.Slot
	set, meant outstanding.Set
	names      *named // what the user asked for; nil without a user
	// id is that of the next run.
	id      string
	release func()
}

// BeginRerun waits until no other run is in progress: what such a run leaves outstanding is
// known only when it has ended. The caller ends what it began.
func BeginRerun(ctx context.Context, k *ledger.Keeper, p project.Project, req api.RerunRequest, listeners api.Listeners) (*Rerunning, error) {
	store, err := k.Store(p.Root.Path)
	if err != nil {
		return nil, err
	}
	r := &Rerunning{Keeper: k, Project: p, Req: req, listeners: listeners, id: cmp.Or(req.RunID, ledger.NewRunID())}
	if r.release, r.Req.Doubts, err = ledger.LockRuns(ctx, k, store, r.id, listeners); err != nil {
		return nil, err
	}
	if r.Ledger, err = ledger.OpenForRun(ctx, k, store); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

// End admits other runs.
func (r *Rerunning) End() { r.release() }

// Prepare prepares to execute commands of the project.
func (r *Rerunning) Prepare(ctx context.Context) error {
	var err error
	if r.options, err = r.Keeper.Options(r.Project); err != nil {
		return err
	}
	if r.Req.DefaultTimeout && r.options.Timeout != nil {
		r.Req.Timeout = *r.options.Timeout
	}
	r.Project = r.Keeper.RunProbes(ctx, r.Project)
	r.Project.Ws.Cache = r.Keeper.CacheDir(r.Ledger.Artifacts, r.Project)
	return nil
}

// runMeant runs what the request means of what is outstanding, unless that is nothing, or
// could only end as it did before: then it says so.
func (r *Rerunning) runMeant(ctx context.Context, answer *api.RerunAnswer) ([]api.Run, error) {
	language := r.Project.ID.Language
	var err error
	if r.meant, err = r.findRed(ctx); err != nil {
		return nil, err
	}
	if len(r.Req.Names) > 0 {
		if r.meant, err = r.names.in(r.meant, r.Project.Root, ledger.SuiteNames(ctx, r.Ledger)); err != nil || r.meant.Len() == 0 {
			answer.Green = answer.Green && isLastGreen(r.Ledger, r.slot) // another language has it
			return nil, err
		}
	}
	if r.meant.Len() == 0 {
		answer.Notes = append(answer.Notes, api.Notes(api.NoteRerun, fmt.Sprintf("nothing that failed in run %s is still outstanding; outstanding since other runs: %s (%s)", r.Req.Of, r.set.Counts(), language))...)
		answer.Green = false
		return nil, nil
	}
	left, err := r.leaveQuarantined(ctx)
	if err != nil {
		return nil, err
	}
	if r.meant.Len() == 0 {
		rest, asked := ": nothing else is outstanding (", r.Req.Of != "" || len(r.Req.Names) > 0
		if asked {
			rest = ": nothing else was asked for ("
		}
		answer.Notes = append(answer.Notes, api.Notes(api.NoteQuarantine, left+rest+language+")")...)
		answer.Green = answer.Green && !asked && isLastGreen(r.Ledger, r.slot) // what was not asked for may be red
		return nil, nil
	}
	var leftOut []api.Note
	if left != "" {
		leftOut = api.Notes(api.NoteQuarantine, left)
	}
	if found := r.findMisplaced(ctx); found != "" {
		answer.Notes = append(append(answer.Notes, leftOut...), api.Note{
			Code: api.NoteQuarantine, Advice: api.Advice{Operation: api.AdviseRun},
			Text: fmt.Sprintf("%s (%s); remove the entry or correct it", found, language),
		})
		answer.Green = false
		return nil, nil
	}
	r.Req.Doubts = append(r.Req.Doubts, leftOut...)
	if err := r.Prepare(ctx); err != nil {
		return nil, err
	}
	choices := r.chooseTargets(ctx)
	// One run for each way in which they failed: a run has one set of arguments and one environment.
	return r.Conduct(ctx, len(choices), func(i int, before []api.Run) (*Plan, error) {
		if i > 0 {
			var err error
			if r.set, err = ledger.OutstandingBefore(ctx, r.Keeper, r.Ledger, language); err != nil {
				return nil, err
			}
		}
		return r.plan(ctx, rerunPart{choice: choices[i], number: i + 1, of: len(choices), before: before, next: choices[i+1:]})
	})
}

// Conduct conducts n runs, one after the other, and returns those that were conducted. plan
// plans one, knowing the runs before it. The worst run becomes the last one of the session:
// questions are about what is wrong.
func (r *Rerunning) Conduct(ctx context.Context, n int, plan func(i int, before []api.Run) (*Plan, error)) (runs []api.Run, err error) {
	for i := range n {
		if i > 0 {
			if ctx.Err() != nil {
				return runs, ctx.Err() // the rest stays outstanding
			}
			r.id, r.Req.Doubts = ledger.NewRunID(), nil // said once
		}
		part, err := plan(i, runs)
		if err != nil {
			return runs, err
		}
		done, err := Conduct(ctx, r.Keeper, part, r.listeners)
		if err != nil {
			return runs, err
		}
		runs = append(runs, done.Run)
	}
	if at := api.Worst(runs); at+1 < len(runs) {
		if err := r.Ledger.Artifacts.Finish(context.WithoutCancel(ctx), runs[at]); err != nil {
			r.Keeper.Cfg.Logger.Warn("the last run of the session could not be set", "error", err)
		}
	}
	return runs, nil
}

// findRed returns the part of what is outstanding that failed in the run that the request
// names, or all of it if it names none.
func (r *Rerunning) findRed(ctx context.Context) (outstanding.Set, error) {
	if r.Req.Of == "" {
		return r.set, nil
	}
	run, err := r.Ledger.StoredRun(ctx, r.Req.Of, r.Project.ID.Language)
	if err != nil {
		return outstanding.Set{}, err
	}
	red := map[sdk.TestID]bool{}
	for _, t := range slices.Concat(run.Unfinished, run.NeverStarted) {
		red[t] = true
	}
	err = r.Ledger.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
		red[f.TestID] = true
		return ctx.Err() == nil
	})
	if err != nil {
		return outstanding.Set{}, err
	}
	return r.set.Only(func(e outstanding.Entry) bool {
		return e.RunID == run.RunID || e.LastRunID == run.RunID || red[e.TestID]
	}), ctx.Err()
}

// answerNothingOutstanding adds that there is nothing to rerun. That is a pass only if the
// last run passed.
func (r *Rerunning) answerNothingOutstanding(ctx context.Context, answer *api.RerunAnswer) {
	language := r.Project.ID.Language
	last, err := r.Ledger.Artifacts.Run(r.slot.RunID)
	text := ""
	switch {
	case err != nil:
		text = fmt.Sprintf("nothing is outstanding, but the last run cannot be read: %v", err)
	case last.Verdict != api.Passed:
		text = "nothing is outstanding, and " + api.NoPass(last, language)
	default:
		answer.Passed = append(answer.Passed, api.PassedLanguage{Language: language, Stale: r.Ledger.Stale(ctx, last, nil)})
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
	text := p.position() + ": what failed with " + nameWay(p.way)
	for _, run := range p.before {
		text += fmt.Sprintf("; run %s before it: %s", run.RunID, run.Verdict.Words())
		if run.Verdict != api.Passed { // the reason of a pass says which part it was
			text += ": " + run.Reason
		}
	}
	if len(p.next) > 0 {
		text += "; what failed with " + nameWay(p.next[0].way) + " runs next"
	}
	return append(notes, text)
}

func (p rerunPart) position() string {
	return fmt.Sprintf("part %d of %d of this rerun", p.number, p.of)
}

// caveat is what the sentence of a pass says of the rest: the last line of a rerun must not
// hide that an earlier part failed.
func (p rerunPart) caveat() string {
	if p.of == 1 {
		return ""
	}
	text := p.position()
	for _, run := range p.before {
		if run.Verdict != api.Passed {
			text += fmt.Sprintf("; run %s before it: %s", run.RunID, run.Verdict.Words())
		}
	}
	return text
}

// plan plans one run of the rerun.
func (r *Rerunning) plan(ctx context.Context, c rerunPart) (*Plan, error) {
	settings, err := r.Keeper.Settings(c.project.Root.Path)
	if err != nil {
		return nil, err
	}
	req := r.Req
	p := NewPlan(r.Keeper, c.project, api.KindRerun, r.id, req.Timeout)
	if p.quarantine, err = loadQuarantine(r.Keeper, c.project); err != nil {
		return nil, err
	}
	p.retries = r.options.RetriesWith(req.Retries, req.RetryLimit, api.DefaultRetryLimit)
	if c.misplaced {
		p.defaults = len(c.args) // a run with these arguments was judged as one of everything
	}
	p.Store, p.Ledger, p.Retention = r.Ledger.Artifacts, r.Ledger, settings.History
	p.Chosen, p.absent, p.before, p.way, p.precise = &c.Selection, c.absent, r.set, c.way, req.Precise
	p.Err = errors.Join(c.project.Missing...)
	for _, later := range c.next {
		p.next = append(p.next, later.way)
	}
	p.Run.SessionID = r.Ledger.Artifacts.SessionID()
	p.Run.Warnings = append(p.Run.Warnings, req.Doubts...)
	p.Run.Note(api.NoteRerun, c.describe()...)
	p.part = c.caveat()
	if all := r.set.Counts(); len(req.Names) > 0 && r.meant.Counts() != all {
		p.part = strings.TrimPrefix(p.part+"; only "+strings.Join(req.Names, ", ")+", of "+all.String()+" outstanding", "; ")
	}
	p.Run.Selection.RunnerArgs, p.Run.Selection.Configured, p.Run.Seed = c.args, c.configured, c.seed
	var composed sdk.Plan
	if p.Err == nil && len(c.Targets) > 0 {
		composed, p.Err = c.project.Plugin.RerunCmd(ctx, sdk.RerunRequest{
			Workspace: c.project.Ws, Targets: IDsOf(c.Targets), RunnerArgs: c.args, Deadline: req.Timeout, Seed: c.seed,
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
	p.Run.Warnings = append(p.Run.Warnings, c.describeWaiting(r.meant.Counts())...)
	// A session that has a run was told before.
	if since, foreign := ledger.ForeignSince(ctx, r.Ledger, r.set); foreign && r.slot.RunID == "" {
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

// PlanTargets plans one run of the rerun, of targets.
func (r *Rerunning) PlanTargets(ctx context.Context, t Targets) (*Plan, error) {
	var err error
	if r.slot, _, err = r.Ledger.Artifacts.Slot(r.Project.ID.Language); err != nil {
		return nil, err
	}
	if r.set, err = ledger.OutstandingBefore(ctx, r.Keeper, r.Ledger, r.Project.ID.Language); err != nil {
		return nil, err
	}
	c := choice{project: r.Project, Selection: t.Selection, args: t.Args, seed: t.Seed, misplaced: t.Misplaced, absent: outstanding.Absences{}}
	return r.plan(ctx, rerunPart{choice: c, number: 1, of: 1})
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
