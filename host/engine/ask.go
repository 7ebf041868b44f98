package engine

import (
	"errors"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Ask is a request in the terms of one plugin.
type Ask struct {
	Selection  sdk.Selection
	RunnerArgs []string
}

// asks turns a request into those of the plugins. It refuses before anything
// runs: what one language cannot honour must not run its tests regardless.
func asks(projects []project.Project, req api.RunRequest) ([]Ask, error) {
	all := make([]Ask, len(projects))
	for i, p := range projects {
		var err error
		if all[i], err = AskOf(p, req); err != nil {
			var refused *api.NotTakenError
			if errors.As(err, &refused) {
				refused.Several = len(projects) > 1
			}
			return nil, err
		}
	}
	return all, nil
}

// AskOf gives a [*api.NotTakenError] for what the plugin does not take.
func AskOf(p project.Project, req api.RunRequest) (Ask, error) {
	packages, err := p.Root.Rebase(req.Packages)
	if err != nil {
		return Ask{}, &api.UsageError{Reason: err.Error()}
	}
	s := sdk.Selection{Suites: packages, PathPattern: req.MatchPath, SuitePattern: req.MatchContract, TestPattern: req.Filter}
	takes := func(selector sdk.Selector) bool { return slices.Contains(p.ID.Selectors, selector) }
	params := []struct {
		given, taken bool
		name         string
	}{
		{len(s.Suites) > 0, takes(sdk.SelectSuites), api.ParamPackages},
		{s.PathPattern != "", takes(sdk.SelectPathPattern), api.ParamMatchPath},
		{s.SuitePattern != "", takes(sdk.SelectSuitePattern), api.ParamMatchContract},
		{s.TestPattern != "", takes(sdk.SelectTestPattern), api.ParamFilter},
		{req.Seed != "", p.ID.Seed, api.ParamSeed},
	}
	var names []string
	for _, param := range params {
		if param.taken {
			names = append(names, param.name)
		}
	}
	refuse := func(name string) error {
		return &api.NotTakenError{Language: p.ID.Language, Given: name, Takes: append(names, p.ID.RunnerFlags...)}
	}
	for _, param := range params {
		if param.given && !param.taken {
			return Ask{}, refuse(param.name)
		}
	}
	a := Ask{Selection: s, RunnerArgs: slices.Clone(req.RunnerArgs)}
	for _, f := range req.RunnerFlags() {
		if !slices.Contains(p.ID.RunnerFlags, f.Name) {
			return Ask{}, refuse(f.Name)
		}
		a.RunnerArgs = append(a.RunnerArgs, f.Name, f.Value)
	}
	return a, checkWords(a)
}
