package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// TestsRequest asks which tests exist.
type TestsRequest struct {
	Where Where
	// Language is one of the detected languages, or the name of its plugin. It may
	// be empty where there is only one.
	Language string
	// Packages, MatchPath, MatchContract, Filter and RunnerArgs are as in
	// [RunRequest]: the tests that such a run would run are listed. Of runner
	// arguments a plugin may only heed those that decide which tests exist.
	Packages      []string
	MatchPath     string
	MatchContract string
	Filter        string
	RunnerArgs    []string
	// All asks for all of them on one page; otherwise Limit is the most tests of a page,
	// and clamped. Bytes also bounds what they
	// take as JSON; 0 does not.
	All          bool
	Limit, Bytes int
	// Cursor is the NextCursor of the page before; empty asks for the first one.
	Cursor string
}

// The limits of a page of tests.
const (
	DefaultTestsLimit = 200
	MaxTestsLimit     = 2000
)

const (
	// testsDeadline bounds a listing that somebody waits for: it may have to compile
	// what a run would compile.
	testsDeadline = DefaultTimeout
	// testsPatience is how long a listing waits for a run beside which it must not
	// compile. The shortest time-out of a client, 60 s, leaves it time for itself.
	testsPatience = 20 * time.Second
)

// Tests lists the tests that a run would run, without running any. Several
// languages, of which none is named, are a [*LanguagesError]; a plugin that cannot
// list a [*NoListingError]; a run beside which nothing can be listed a
// [*BusyError]. What could not be listed is in the answer, which is not complete
// then.
func (h *Host) Tests(ctx context.Context, req TestsRequest) (record.TestList, error) {
	p, a, err := h.listed(ctx, req)
	if err != nil {
		return record.TestList{}, err
	}
	list := record.TestList{
		Schema: record.TestsSchema, Language: p.id.Language, Workspace: p.root.Path,
		Plugin: record.Plugin{Name: p.id.Name, Version: p.id.Version, Override: p.override, Lock: p.lock},
		Selection: record.Selection{
			Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract,
			Filter: req.Filter, RunnerArgs: req.RunnerArgs,
		},
		Warnings: aboutProject(p),
	}
	key, err := json.Marshal([]any{list.Workspace, list.Language, list.Selection})
	if err != nil {
		return list, err
	}
	p = h.probed(ctx, p)
	// What a run would leave out, and refuse, is what its commands are composed of.
	plan, err := p.plugin.TestCmd(ctx, sdk.TestRequest{Workspace: p.ws, Selection: a.selection, RunnerArgs: a.runnerArgs, Deadline: testsDeadline})
	if err != nil {
		return list, usageOr(err)
	}
	list.Selection.Configured = plan.NarrowedBy
	found, err := h.foundTests(ctx, p, sdk.ListRequest{Selection: a.selection, RunnerArgs: a.runnerArgs, Selected: true})
	if err != nil {
		return list, err
	}
	list.Warnings = append(list.Warnings, found.warnings...)
	return list, found.page(&list, key, req)
}

// listed finds the project that is meant, and puts the request in its terms.
func (h *Host) listed(ctx context.Context, req TestsRequest) (project, ask, error) {
	var languages []string
	if req.Language != "" {
		languages = []string{req.Language}
	}
	projects, err := h.projects(ctx, req.Where, languages)
	if err == nil {
		err = severalLanguages(projects, true)
	}
	if err != nil {
		return project{}, ask{}, err
	}
	p := projects[0]
	a, err := askOf(p, RunRequest{
		Packages: req.Packages, MatchPath: req.MatchPath, MatchContract: req.MatchContract, Filter: req.Filter, RunnerArgs: req.RunnerArgs,
	})
	switch {
	case err != nil:
		return p, a, err
	case !p.id.List:
		return p, a, &NoListingError{Plugin: p.id.Name, Version: p.id.Version, Language: p.id.Language}
	}
	return p, a, errors.Join(p.missing...)
}

// foundTests executes the listing.
func (h *Host) foundTests(ctx context.Context, p project, req sdk.ListRequest) (*foundTests, error) {
	l, err := h.listing(ctx, p, req)
	switch {
	case errors.Is(err, errNoListing):
		return nil, &NoListingError{Plugin: p.id.Name, Version: p.id.Version, Language: p.id.Language}
	case err != nil:
		return nil, usageOr(err)
	}
	if l.exclusive() {
		release, err := h.laneForTests(ctx, p)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	found := &foundTests{warnings: l.plan.Warnings, named: map[string]bool{}}
	for _, name := range req.Selection.Suites {
		found.named[name] = false
	}
	err = l.execute(ctx, testsDeadline, found)
	if err == nil && found.failed == 0 && len(req.Selection.Suites) > 1 {
		err = h.missed(ctx, p, req, found)
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		found.Error(fmt.Sprintf("the listing took longer than %v", testsDeadline))
	case err != nil:
		return nil, usageOr(err)
	}
	return found, nil
}

// missed finds which of several names and patterns of suites stand for nothing. A
// plugin says nothing of a suite that does not exist, and the tests of the others
// look like all that was asked for.
func (h *Host) missed(ctx context.Context, p project, req sdk.ListRequest, found *foundTests) error {
	for _, name := range req.Selection.Suites {
		if found.named[name] {
			continue
		}
		req.Selection.Suites = []string{name}
		l, err := h.listing(ctx, p, req)
		if err != nil {
			return err
		}
		var any anySuite
		if err := l.execute(ctx, testsDeadline, &any); err != nil {
			return err
		}
		if !any {
			found.warnings = append(found.warnings, "nothing was found of "+name+": it may not exist")
		}
	}
	return nil
}

// anySuite tells whether a listing has anything at all.
type anySuite bool

func (a *anySuite) Suite(sdk.ListedSuite) { *a = true }
func (a *anySuite) Part(sdk.ListedPart)   {}
func (a *anySuite) Error(string)          {}

// laneForTests waits until no run goes on in the workspace, for a while.
func (h *Host) laneForTests(ctx context.Context, p project) (release func(), err error) {
	store, err := h.store(p.root.Path)
	if err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, testsPatience)
	defer cancel()
	busy := &BusyError{}
	release, _, err = h.lane(waiting, store, "", Observer{Waiting: func(holder session.Holder) { busy.Holder = holder }})
	if err != nil && ctx.Err() == nil {
		return nil, busy
	}
	return release, err
}

// usageOr is the error of a plugin, as one of usage where it is one.
func usageOr(err error) error {
	if usage := asUsage(err); usage != nil {
		return usage
	}
	return err
}
