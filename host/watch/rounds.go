package watch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/translate"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// Rounds runs the rounds of a workspace.
type Rounds struct {
	keeper *ledger.Keeper
	// request is what every round runs with: the workspace, the runner's arguments, the
	// time limit.
	request api.RunRequest
	// known is what was prepared for the round; nil if nothing was.
	known *ledger.Known
	// onRecord are the suites of the runs on record that the round counts changes from.
	onRecord map[string][]api.ExpectedSuite

	*bases
}

// bases are the runs that changes are counted from, by language: everything that earlier
// changes could break has run since, or is outstanding.
type bases struct {
	mu sync.Mutex
	of map[string]base
	// updates is as in [Result].
	updates map[string]string
}

type base struct {
	run, state string
	// args and setting are what else decided how its tests ended.
	args    []string
	setting string
	// sources is the state itself, if known.
	sources fingerprint.State
}

func (b *bases) get(language string) (base, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known, ok := b.of[language]
	return known, ok
}

func (b *bases) put(language string, known base) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of[language] = known
}

// newRounds returns the rounds of a workspace before the first one.
func newRounds(k *ledger.Keeper, req api.RunRequest) *Rounds {
	return &Rounds{keeper: k, request: req, bases: &bases{of: map[string]base{}, updates: map[string]string{}}}
}

// projects finds the projects of a request, and learns how their tests write what they expect
// anew.
func (r *Rounds) projects(ctx context.Context, req api.RunRequest) ([]project.Project, error) {
	projects, err := r.keeper.Projects(ctx, req.Where, req.Languages)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range projects {
		r.updates[p.ID.Language] = updateFlag(p)
	}
	return projects, err
}

// Prepare finds the projects, and what their tests are built from.
func (r *Rounds) Prepare(ctx context.Context) *ledger.Known {
	known := &ledger.Known{Languages: r.request.Languages}
	projects, err := r.projects(ctx, r.request)
	if err != nil {
		return known // the run reports it
	}
	known.Projects = projects
	for _, p := range projects {
		since, ok := r.get(p.ID.Language)
		if !ok || !p.ID.Dependencies || r.request.Narrows() {
			continue
		}
		known.Earlier = append(known.Earlier, since.sources)
		if graph := engine.ListGraphAhead(ctx, r.keeper, p, r.request); graph != nil {
			known.Graphs = append(known.Graphs, *graph)
		}
	}
	return known
}

// Run runs a round.
func (r *Rounds) Run(ctx context.Context, round Round, l api.Listener) (result Result) {
	if round.Known != nil {
		// What the keeper knows in advance holds for one round only.
		r = &Rounds{keeper: r.keeper.WithKnown(round.Known), request: r.request, known: round.Known, bases: r.bases}
		round.Known = nil
	}
	req := r.request
	if !round.Narrow.IsZero() {
		result.Runs, result.Err = r.runPart(ctx, req, round.Narrow, l)
		return r.finish(ctx, result)
	}
	switch round.What {
	case Everything:
		result.Runs, result.Err = r.run(ctx, req, l)
	case Failed:
		result.Runs, result.Err = r.rerun(ctx, req, l)
	case Affected:
		req.Affected = "HEAD"
		result.Runs, result.Err = r.run(ctx, req, l)
	case Update:
		result.Runs, result.Err = r.update(ctx, req, l)
	case Changed:
		result.Runs, result.Err = r.runChanged(ctx, req, round.State, l)
	}
	return r.finish(ctx, result)
}

// runPart runs what the user wants to run. A language that refuses it, or has none of it, is of
// no concern where another one runs it.
func (r *Rounds) runPart(ctx context.Context, req api.RunRequest, n Narrow, l api.Listener) (runs []api.Run, refused error) {
	projects, err := r.projects(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, p := range projects {
		if own := n.Suites[p.ID.Language]; len(own) > 0 {
			n.Suites = maps.Clone(n.Suites)
			n.Suites[p.ID.Language] = r.dropGone(ctx, p, req, own)
		}
	}
	for _, req := range narrow(req, n, projects) {
		some, err := r.run(ctx, req, l)
		runs = append(runs, some...)
		switch {
		case err == nil:
		case isRefusal(err):
			refused = err
		default:
			return runs, err
		}
	}
	if len(runs) == 0 {
		return nil, refused
	}
	ran := func(run api.Run) bool { return run.Verdict != api.NothingRan }
	if slices.ContainsFunc(runs, ran) {
		runs = slices.DeleteFunc(runs, func(run api.Run) bool { return !ran(run) })
	}
	return runs, nil
}

// dropGone drops the suites that no longer exist: the names are from earlier runs, and the runner
// cannot set up what is gone. If it is unknown what exists, or none of them does, the runner says
// so.
func (r *Rounds) dropGone(ctx context.Context, p project.Project, req api.RunRequest, suites []api.ExpectedSuite) []api.ExpectedSuite {
	var graph *coverage.Graph
	if r.known != nil {
		if at := slices.IndexFunc(r.known.Graphs, func(g ledger.KnownGraph) bool { return g.Language == p.ID.Language }); at >= 0 {
			graph = r.known.Graphs[at].Graph
		}
	}
	if graph == nil && p.ID.Dependencies {
		if listed := engine.ListGraphAhead(ctx, r.keeper, p, req); listed != nil {
			graph = listed.Graph
		}
	}
	if graph == nil || len(graph.Errors()) > 0 {
		return suites
	}
	left := slices.DeleteFunc(slices.Clone(suites), func(s api.ExpectedSuite) bool { return graph.Suites[s.Suite] == nil })
	if len(left) == 0 {
		return suites
	}
	return left
}

func isRefusal(err error) bool {
	_, unusable := errors.AsType[*api.UsageError](err)
	_, unknown := errors.AsType[*api.NotTakenError](err)
	return unusable || unknown
}

// narrow restricts a request to what the user wants to run. The result is a request for each
// project that may have it.
func narrow(req api.RunRequest, n Narrow, projects []project.Project) (all []api.RunRequest) {
	req.Packages, req.Filter = slices.Clone(req.Packages), n.Filter
	if n.Package == "" {
		return []api.RunRequest{req}
	}
	path, found := workspace.FindDirectory(cmp.Or(req.Where.Dir, "."), n.Package)
	for _, p := range projects {
		own := n.Suites[p.ID.Language]
		if len(own) == 0 && len(n.Suites) > 0 {
			continue
		}
		req := req
		req.Languages = []string{p.ID.Language}
		var suites, files []string
		for _, s := range own {
			suites = append(suites, s.Suite)
			if rest, ok := strings.CutPrefix(s.Suite, s.File); ok && s.File != "" && !strings.Contains(rest, n.Package) {
				files = append(files, s.File)
			}
		}
		switch {
		case len(own) == 1 || len(own) > 0 && slices.Contains(p.ID.Selectors, sdk.SelectSuites):
			req.Packages = suites
		case len(own) == 0 || found:
			req.Packages = []string{path}
		case len(files) == len(own): // of which the text is a part
			req.Packages = slices.Compact(slices.Sorted(slices.Values(files)))
		default:
			req.Packages, req.MatchContract = nil, regexp.QuoteMeta(n.Package)
		}
		all = append(all, req)
	}
	return all
}

// update runs the suites with failures so that their tests rewrite their expectations.
// Their passes clear nothing, since they ran with other arguments.
func (r *Rounds) update(ctx context.Context, req api.RunRequest, l api.Listener) (runs []api.Run, err error) {
	projects, err := r.projects(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, p := range projects {
		flag := updateFlag(p)
		if flag == "" {
			continue
		}
		req := req
		req.Languages, req.Packages = []string{p.ID.Language}, nil
		for _, t := range r.outstanding(ctx, req.Languages).Tests {
			if t.Suite != "" && !slices.Contains(req.Packages, t.Suite) {
				req.Packages = append(req.Packages, t.Suite)
			}
		}
		if len(req.Packages) == 0 {
			continue
		}
		req.RunnerArgs = append(slices.Clone(req.RunnerArgs), flag)
		some, err := r.run(ctx, req, l)
		if runs = append(runs, some...); err != nil {
			return runs, err
		}
	}
	return runs, nil
}

// updateFlag returns the flag with which tests write what they expect anew; "" if there is
// none.
func updateFlag(p project.Project) string {
	at := slices.IndexFunc(p.ID.RunnerFlags, func(f sdk.RunnerFlag) bool { return f.Effect == sdk.FlagUpdates })
	if at < 0 {
		return ""
	}
	return p.ID.RunnerFlags[at].Name
}

// runChanged reruns what is outstanding and then runs what the changes can break, language
// by language. It is one run if that would be tests of the same suites twice.
func (r *Rounds) runChanged(ctx context.Context, req api.RunRequest, state string, l api.Listener) (runs []api.Run, err error) {
	if req.Narrows() {
		return r.run(ctx, req, l)
	}
	projects, err := r.projects(ctx, req)
	if err != nil {
		return nil, err
	}
	for _, p := range projects {
		req := req
		req.Languages = []string{p.ID.Language}
		since := r.base(ctx, p)
		first := since.run != "" && (since.state == state || !r.isOfSameSuites(p, since, r.outstanding(ctx, req.Languages)))
		if first {
			again, err := r.rerun(ctx, req, l)
			if runs = append(runs, again...); err != nil || ctx.Err() != nil {
				return runs, errors.Join(err, ctx.Err())
			}
			if since.state == state {
				continue
			}
		}
		req.Since = since.run
		some, err := r.run(ctx, req, l)
		if runs = append(runs, some...); err != nil {
			return runs, err
		}
		if since.run != "" && !first && ctx.Err() == nil && isLeftOut(r.outstanding(ctx, req.Languages), some) {
			again, err := r.rerun(ctx, req, l)
			if runs = append(runs, again...); err != nil {
				return runs, err
			}
		}
	}
	return runs, nil
}

// isOfSameSuites reports whether everything that is built from a changed file lies in suites
// with something outstanding: then what the changes can break has what is outstanding in it.
func (r *Rounds) isOfSameSuites(p project.Project, since base, left api.Outstanding) bool {
	if r.known == nil || r.known.Sources == nil || since.sources.ID == "" || left.Unlisted > 0 ||
		len(r.request.RunnerArgs)+len(r.request.RunnerFlags()) > 0 {
		return false
	}
	at := slices.IndexFunc(r.known.Graphs, func(g ledger.KnownGraph) bool { return g.Language == p.ID.Language })
	if at < 0 {
		return false
	}
	suites := map[string]bool{}
	for _, t := range left.Tests {
		if t.Suite == "" || len(t.RunnerArgs)+len(t.Otherwise) > 0 {
			return false // it was red with other arguments or in another environment
		}
		suites[t.Suite] = suites[t.Suite] || !t.Quarantined
	}
	now := r.known.Sources.State
	below, err := filepath.Rel(now.Top, p.Root.Path)
	if err != nil {
		return false
	}
	changes := fingerprint.Diff(since.sources, now)
	for _, change := range changes {
		path, err := filepath.Rel(below, change.Path) // the graph counts from the project's root
		if err != nil {
			return false
		}
		built := r.known.Graphs[at].Graph.BuiltFrom(filepath.ToSlash(path))
		if len(built) == 0 || slices.ContainsFunc(built, func(suite string) bool { return !suites[suite] }) {
			return false
		}
	}
	return len(changes) > 0 && len(suites) > 0
}

// isLeftOut reports whether something outstanding was red in none of these runs: it has not
// run again.
func isLeftOut(left api.Outstanding, runs []api.Run) bool {
	return left.Unlisted > 0 || slices.ContainsFunc(left.Tests, func(t api.OutstandingTest) bool {
		return !t.Quarantined && !slices.ContainsFunc(runs, func(run api.Run) bool { return run.RunID == t.LastRunID })
	})
}

// run runs what is requested, and remembers the runs that changes are counted from.
func (r *Rounds) run(ctx context.Context, req api.RunRequest, l api.Listener) ([]api.Run, error) {
	runs, err := engine.Run(ctx, r.keeper, req, l)
	for _, run := range runs {
		if run.Source != nil && !run.MixedState && isComplete(run) && (req.Since != "" || !run.Selection.Narrows()) {
			since := newBase(run)
			if s := r.keeper.SeenSources(); s != nil && s.State.ID == since.state {
				since.sources = s.State
			}
			r.put(run.Language, since)
		}
	}
	return runs, err
}

// newBase returns what changes are counted from after a run.
func newBase(run api.Run) base {
	return base{
		run: run.RunID, state: run.Source.Fingerprint,
		args: slices.Concat(run.Selection.RunnerArgs, run.Selection.Configured), setting: history.Run{Environment: run.Environment}.Setting(),
	}
}

// isComplete reports whether everything that a run selected has passed or is outstanding.
func isComplete(run api.Run) bool {
	switch run.Verdict {
	case api.Passed, api.Failed, api.BuildFailed, api.NothingRan:
		return !run.Cancelled && !run.TimedOut
	}
	return false
}

// rerun reruns what is outstanding, if anything is.
func (r *Rounds) rerun(ctx context.Context, req api.RunRequest, l api.Listener) ([]api.Run, error) {
	if left := r.outstanding(ctx, req.Languages); left.Total == left.Quarantined {
		return nil, nil
	}
	answer, err := engine.Rerun(ctx, r.keeper, api.RerunRequest{
		Where: req.Where, Languages: req.Languages, Precise: req.Precise, Timeout: req.Timeout, DefaultTimeout: req.DefaultTimeout, Retries: req.Retries, RetryLimit: req.RetryLimit, Limit: api.MaxRerunLimit,
	}, l)
	return answer.Runs, err
}

// base returns the run that changes of a project are counted from; an empty one if
// everything has to run first, as where the last run had other variables or tools.
func (r *Rounds) base(ctx context.Context, p project.Project) base {
	if known, ok := r.get(p.ID.Language); ok {
		if known.setting != p.Setting(known.args) {
			return base{}
		}
		return known
	}
	if len(r.request.RunnerArgs)+len(r.request.RunnerFlags()) > 0 {
		return base{} // earlier runs had other arguments
	}
	led, err := ledger.OpenAt(ctx, r.keeper, api.Where{Dir: p.Root.Path, Exact: true})
	if err != nil {
		return base{}
	}
	whole, err := led.History.Runs(ctx, history.RunFilter{Language: p.ID.Language, Kinds: []api.Kind{api.KindRun}, State: api.StateFinished, Whole: true, Limit: 1})
	if err != nil || len(whole) == 0 || whole[0].MixedState || whole[0].Fingerprint == "" {
		return base{}
	}
	ask, err := translate.ForPlugin(r.keeper, p, r.request)
	run, rerr := led.Artifacts.Run(whole[0].ID)
	if errors.Join(err, rerr) != nil || !isComplete(run) || run.Origin != "" || run.Source == nil ||
		!slices.Equal(run.Selection.RunnerArgs, ask.RunnerArgs) {
		return base{}
	}
	since := newBase(run)
	if since.setting != p.Setting(since.args) {
		return base{}
	}
	r.put(p.ID.Language, since)
	_, expected := ledger.ExpectedSuites(ctx, led, p.ID.Language)
	if r.onRecord == nil {
		r.onRecord = map[string][]api.ExpectedSuite{}
	}
	r.onRecord[p.ID.Language] = expected()
	return since
}

// outstanding lists what is outstanding; nothing if that is unknown, as before the first
// run.
func (r *Rounds) outstanding(ctx context.Context, languages []string) api.Outstanding {
	req := api.OutstandingRequest{Where: r.request.Where, Limit: api.MaxOutstandingLimit}
	if len(languages) == 1 {
		req.Language = languages[0]
	}
	list, err := query.Outstanding(ctx, r.keeper, req)
	if err != nil {
		return api.Outstanding{}
	}
	return list
}

// finish adds what remains outstanding.
func (r *Rounds) finish(ctx context.Context, result Result) Result {
	if errors.Is(result.Err, context.Canceled) {
		result.Err = nil
	}
	result.Nouns, result.Names = ledger.SuiteWords(context.WithoutCancel(ctx), r.keeper, r.request.Where)
	for _, run := range result.Runs {
		result.Excerpts = append(result.Excerpts, query.Excerpts(context.WithoutCancel(ctx), r.keeper, run)...)
	}
	result.OnRecord, r.onRecord = r.onRecord, nil
	r.mu.Lock()
	result.Updates = maps.Clone(r.updates)
	r.mu.Unlock()
	result.Still = r.outstanding(context.WithoutCancel(ctx), r.request.Languages)
	return result
}
