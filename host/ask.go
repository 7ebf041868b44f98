package host

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// RunnerFlag is a flag of a runner that a front offers as its own.
type RunnerFlag struct {
	// Name has its dashes.
	Name, Value string
}

// ask is a request in the terms of one plugin.
type ask struct {
	selection  sdk.Selection
	runnerArgs []string
}

// asks turns a request into those of the plugins. It refuses before anything
// runs: what one language cannot honour must not run its tests regardless.
func asks(projects []project, req RunRequest) ([]ask, error) {
	all := make([]ask, len(projects))
	for i, p := range projects {
		var err error
		if all[i], err = askOf(p, req); err != nil {
			var usage *UsageError
			if len(projects) > 1 && errors.As(err, &usage) {
				usage.Fix = "name the language it is meant for with --lang"
			}
			return nil, err
		}
	}
	return all, nil
}

// givenFlag is a flag of the fronts that a plugin may take.
type givenFlag struct {
	set, taken bool
	flag       string
}

// askOf gives a [*UsageError] for what the plugin does not take.
func askOf(p project, req RunRequest) (ask, error) {
	packages, err := p.root.Rebase(req.Packages)
	if err != nil {
		return ask{}, &UsageError{Reason: err.Error()}
	}
	s := sdk.Selection{Suites: packages, PathPattern: req.MatchPath, SuitePattern: req.MatchContract, TestPattern: req.Filter}
	takes := func(selector sdk.Selector) bool { return slices.Contains(p.id.Selectors, selector) }
	flags := []givenFlag{
		{len(s.Suites) > 0, takes(sdk.SelectSuites), "--package"},
		{s.PathPattern != "", takes(sdk.SelectPathPattern), "--match-path"},
		{s.SuitePattern != "", takes(sdk.SelectSuitePattern), "--match-contract"},
		{s.TestPattern != "", takes(sdk.SelectTestPattern), "--filter"},
		{req.Seed != "", p.id.Seed, "--seed"},
	}
	var names []string
	for _, f := range flags {
		if f.taken {
			names = append(names, f.flag)
		}
	}
	taken := "it takes " + strings.Join(append(names, p.id.RunnerFlags...), ", ")
	for _, given := range flags {
		if given.set && !given.taken {
			return ask{}, &UsageError{Reason: fmt.Sprintf("%s does not take %s", p.id.Language, given.flag), Fix: taken}
		}
	}
	a := ask{selection: s, runnerArgs: slices.Clone(req.RunnerArgs)}
	for _, f := range req.RunnerFlags {
		if !slices.Contains(p.id.RunnerFlags, f.Name) {
			return ask{}, &UsageError{Reason: fmt.Sprintf("%s does not take %s", p.id.Language, f.Name), Fix: taken}
		}
		a.runnerArgs = append(a.runnerArgs, f.Name, f.Value)
	}
	return a, checkWords(a)
}
