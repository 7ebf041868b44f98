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

// asks turns a request into those of the plugins. It refuses before anything
// runs: what one language cannot honour must not run its tests regardless.
func asks(projects []project.Project, req api.RunRequest) ([]Ask, error) {
	all := make([]Ask, len(projects))
	for i, p := range projects {
		var err error
		if all[i], err = AskOf(p, req); err != nil {
			var usage *api.UsageError
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

// AskOf gives a [*api.UsageError] for what the plugin does not take.
func AskOf(p project.Project, req api.RunRequest) (Ask, error) {
	packages, err := p.Root.Rebase(req.Packages)
	if err != nil {
		return Ask{}, &api.UsageError{Reason: err.Error()}
	}
	s := sdk.Selection{Suites: packages, PathPattern: req.MatchPath, SuitePattern: req.MatchContract, TestPattern: req.Filter}
	takes := func(selector sdk.Selector) bool { return slices.Contains(p.ID.Selectors, selector) }
	flags := []givenFlag{
		{len(s.Suites) > 0, takes(sdk.SelectSuites), "--package"},
		{s.PathPattern != "", takes(sdk.SelectPathPattern), "--match-path"},
		{s.SuitePattern != "", takes(sdk.SelectSuitePattern), "--match-contract"},
		{s.TestPattern != "", takes(sdk.SelectTestPattern), "--filter"},
		{req.Seed != "", p.ID.Seed, "--seed"},
	}
	var names []string
	for _, f := range flags {
		if f.taken {
			names = append(names, f.flag)
		}
	}
	taken := "it takes " + strings.Join(append(names, p.ID.RunnerFlags...), ", ")
	for _, given := range flags {
		if given.set && !given.taken {
			return Ask{}, &api.UsageError{Reason: fmt.Sprintf("%s does not take %s", p.ID.Language, given.flag), Fix: taken}
		}
	}
	a := Ask{Selection: s, RunnerArgs: slices.Clone(req.RunnerArgs)}
	for _, f := range req.RunnerFlags() {
		if !slices.Contains(p.ID.RunnerFlags, f.Name) {
			return Ask{}, &api.UsageError{Reason: fmt.Sprintf("%s does not take %s", p.ID.Language, f.Name), Fix: taken}
		}
		a.RunnerArgs = append(a.RunnerArgs, f.Name, f.Value)
	}
	return a, checkWords(a)
}

const (
	// maxAskedWord bounds one word of a request. Linux takes arguments of up to 128 KiB;
	// a plugin puts the name of an option before it, or quotes it.
	maxAskedWord = 100 << 10
	// maxAsked bounds them all: what a command takes, with room for proctor's own words.
	maxAsked = 512 << 10
)

// checkWords refuses what no command can have as an argument.
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

// AsUsage turns a plugin's word that a request cannot be meant into a usage
// error; nil for anything else.
func AsUsage(err error) *api.UsageError {
	var e *sdk.Error
	if errors.As(err, &e) && (e.Reason == sdk.InvalidSelection || e.Reason == sdk.InvalidArguments) {
		return &api.UsageError{Reason: e.Message}
	}
	return nil
}
