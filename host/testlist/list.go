package testlist

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/translate"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// TestsDeadline bounds a listing that somebody waits for: it may have to compile
	// what a run would compile.
	TestsDeadline = api.DefaultTimeout
	// testsPatience is how long a listing waits for a run that forbids compiling at the
	// same time. The shortest timeout of a client, 60 s, leaves it time for itself.
	testsPatience = 20 * time.Second
)

// Tests lists the tests that a run would run, without running any. If several languages
// are possible and none is named, the error is a [*api.LanguagesError]; if the plugin
// cannot list, a [*api.NoListingError]; if a run excludes a listing, a
// [*api.BusyError]. What could not be listed is in the answer, which is then
// incomplete.
func Tests(ctx context.Context, k *ledger.Keeper, req api.TestsRequest) (api.TestList, error) {
	p, a, err := PlanListing(ctx, k, req)
	if err != nil {
		return api.TestList{}, err
	}
	list := api.TestList{
		Schema: api.TestsSchema, Language: p.ID.Language, SuiteNoun: p.ID.SuiteNoun, Workspace: p.Root.Path,
		Plugin: api.Plugin{Name: p.ID.Name, Version: p.ID.Version, Override: p.Override, Lock: p.Lock},
		Selection: api.Selection{
			Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract,
			Filter: req.Filter, RunnerArgs: req.RunnerArgs,
		},
		Warnings: engine.DescribeProject(p),
	}
	key, err := json.Marshal([]any{list.Workspace, list.Language, list.Selection})
	if err != nil {
		return list, err
	}
	p = k.WithCache(k.RunProbes(ctx, p))
	// The composed commands show what a run would leave out or refuse.
	plan, err := p.Plugin.TestCmd(ctx, sdk.TestRequest{Workspace: p.Ws, Selection: a.Selection, RunnerArgs: a.RunnerArgs, Deadline: TestsDeadline})
	if err != nil {
		return list, UsageOr(err)
	}
	list.Selection.Configured = plan.NarrowedBy
	found, err := findTests(ctx, k, p, sdk.ListRequest{Selection: a.Selection, RunnerArgs: a.RunnerArgs, Selected: true})
	if err != nil {
		return list, err
	}
	list.Warnings = append(list.Warnings, found.warnings...)
	return list, found.page(&list, key, req)
}

// PlanListing finds the requested project, and translates the request for it.
func PlanListing(ctx context.Context, k *ledger.Keeper, req api.TestsRequest) (project.Project, translate.Request, error) {
	var languages []string
	if req.Language != "" {
		languages = []string{req.Language}
	}
	projects, err := k.Projects(ctx, req.Where, languages)
	if err == nil {
		err = project.CheckOneLanguage(projects, true)
	}
	if err != nil {
		return project.Project{}, translate.Request{}, err
	}
	p := projects[0]
	all, err := translate.ForAll(k, projects, api.RunRequest{
		Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract, Filter: req.Filter, RunnerArgs: req.RunnerArgs,
	})
	switch {
	case err != nil:
		return p, translate.Request{}, err
	case !p.ID.List:
		return p, all[0], &api.NoListingError{Plugin: p.ID.Name, Version: p.ID.Version, Language: p.ID.Language}
	}
	return p, all[0], errors.Join(p.Missing...)
}

// findTests executes the listing.
func findTests(ctx context.Context, k *ledger.Keeper, p project.Project, req sdk.ListRequest) (*FoundTests, error) {
	l, err := k.PlanListing(ctx, p, req)
	switch {
	case errors.Is(err, project.ErrNoListing):
		return nil, &api.NoListingError{Plugin: p.ID.Name, Version: p.ID.Version, Language: p.ID.Language}
	case err != nil:
		return nil, UsageOr(err)
	}
	if l.IsExclusive() {
		release, err := WaitForRuns(ctx, k, p)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	found := &FoundTests{warnings: api.Notes(api.NotePlugin, l.Plan.Warnings...), Named: map[string]bool{}}
	for _, name := range req.Selection.Suites {
		found.Named[name] = false
	}
	err = l.Execute(ctx, TestsDeadline, found)
	if err == nil && found.failed == 0 && len(req.Selection.Suites) > 1 {
		err = findMissed(ctx, k, p, req, found)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		found.Error(fmt.Sprintf("the listing took longer than %v", TestsDeadline))
	case err != nil:
		return nil, UsageOr(err)
	}
	return found, nil
}

// findMissed finds which of several names and patterns match no suite. A plugin says
// nothing about a missing suite, and the others' tests would look complete.
func findMissed(ctx context.Context, k *ledger.Keeper, p project.Project, req sdk.ListRequest, found *FoundTests) error {
	for _, name := range req.Selection.Suites {
		if found.Named[name] {
			continue
		}
		req.Selection.Suites = []string{name}
		l, err := k.PlanListing(ctx, p, req)
		if err != nil {
			return err
		}
		var any anySuite
		if err := l.Execute(ctx, TestsDeadline, &any); err != nil {
			return err
		}
		if !any {
			found.warnings = append(found.warnings, api.Note{Code: api.NotePartly, Text: "no tests of " + name + " were found: it may not exist"})
		}
	}
	return nil
}

// anySuite reports whether a listing has anything at all.
type anySuite bool

func (a *anySuite) Suite(sdk.ListedSuite) { *a = true }
func (a *anySuite) Part(sdk.ListedPart)   {}
func (a *anySuite) Error(string)          {}

// WaitForRuns waits for a while until no run is in progress in the workspace.
func WaitForRuns(ctx context.Context, k *ledger.Keeper, p project.Project) (release func(), err error) {
	store, err := k.Store(p.Root.Path)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, testsPatience)
	defer cancel()
	busy := &api.BusyError{}
	release, _, err = ledger.LockRuns(waiting, k, store, "", api.ListenerFunc(func(e api.Event) {
		if e, ok := e.(*api.Waiting); ok {
			busy.Holder = e.Holder
		}
	}))
	if err != nil && ctx.Err() == nil {
		return nil, busy
	}
	return release, err
}

// UsageOr turns a plugin's error into one of usage if it is one.
func UsageOr(err error) error {
	if usage := translate.AsUsage(err); usage != nil {
		return usage
	}
	return err
}
