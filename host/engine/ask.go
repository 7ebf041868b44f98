package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Ask is a request in the terms of one plugin.
type Ask struct {
	Selection  sdk.Selection
	RunnerArgs []string
}

// askAll turns a request into those of the plugins. It refuses before anything
// runs: what one language cannot honour must not run its tests regardless.
func askAll(projects []project.Project, req api.RunRequest) ([]Ask, error) {
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

// AskOf returns a [*api.NotTakenError] for what the plugin does not support.
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

const (
	// maxAskedWord bounds one word of a request. Linux allows arguments of up to 128
	// KiB; a plugin puts the name of an option before it, or quotes it.
	maxAskedWord = 100 << 10
	// maxAsked bounds their total: what a command allows, with room for proctor's own
	// words.
	maxAsked = 512 << 10
)

// checkWords refuses what cannot be an argument of a command.
func checkWords(a Ask) error {
	total := 0
	check := func(what, word string) error {
		total += len(word) + 1
		switch {
		case len(word) > maxAskedWord:
			return &api.UsageError{Reason: fmt.Sprintf("%s has %d bytes, and a command takes %d", what, len(word), maxAskedWord), Fix: "select in another way, such as by a pattern"}
		case total > maxAsked:
			return &api.UsageError{Reason: fmt.Sprintf("what selects tests has more than %d bytes together, which is more than a command takes", maxAsked), Fix: "select in another way, such as by a pattern"}
		case strings.ContainsRune(word, 0):
			return &api.UsageError{Reason: what + " holds a NUL character, which no argument can have"}
		}
		return nil
	}
	var errs []error
	for _, word := range a.Selection.Suites {
		errs = append(errs, check("a package name", word))
	}
	for _, word := range a.RunnerArgs {
		errs = append(errs, check("a runner argument", word))
	}
	errs = append(errs, check("the filter", a.Selection.TestPattern), check("the path pattern", a.Selection.PathPattern), check("the suite pattern", a.Selection.SuitePattern))
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// AsUsage turns a plugin's rejection of a request into a usage error; nil for anything
// else.
func AsUsage(err error) *api.UsageError {
	var e *sdk.Error
	if errors.As(err, &e) && (e.Reason == sdk.InvalidSelection || e.Reason == sdk.InvalidArguments) {
		return &api.UsageError{Reason: e.Message}
	}
	return nil
}
