package translate

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
)

// Request is a run request in the terms of one plugin.
type Request struct {
	Selection  sdk.Selection
	RunnerArgs []string
	// Neutral are runner arguments that do not affect what a result proves. They are
	// passed on, but neither recorded with the selection nor repeated by a rerun.
	Neutral []string
	// Defaults is how many of the first RunnerArgs come from a configuration file;
	// NarrowedBy says which of that file's flags leave tests out.
	Defaults   int
	NarrowedBy []string
}

// ForAll translates a request for each plugin, before anything runs: if one language
// cannot honor it, no tests run.
func ForAll(k *ledger.Keeper, projects []project.Project, req api.RunRequest) ([]Request, error) {
	all := make([]Request, len(projects))
	if len(projects) == 1 {
		var err error
		if req, err = pathForPackages(projects[0], req); err != nil {
			return nil, err
		}
	}
	for i, p := range projects {
		if err := checkFlags(p, projects, req.RunnerArgs); err != nil {
			return nil, err
		}
		var err error
		if all[i], err = ForPlugin(k, p, req); err != nil {
			if refused, ok := errors.AsType[*api.NotTakenError](err); ok {
				refused.Several = len(projects) > 1
			}
			return nil, err
		}
	}
	return all, nil
}

// checkFlags refuses a flag of another of several languages, of which the runner of this one
// might make something else: -race is -r ace to forge.
func checkFlags(p project.Project, all []project.Project, args []string) error {
	for _, other := range all {
		flags, _ := project.SplitArgs(other.ID.RunnerFlags, args)
		for _, f := range flags {
			if _, _, ok := project.TakeFlag(p.ID.RunnerFlags, f.Words); !ok {
				return &api.NotTakenError{Language: p.ID.Language, Given: f.Name, Several: true}
			}
		}
	}
	return nil
}

// pathForPackages turns packages into a path pattern if the language has none to name: an
// argument of the command names a place to test in every language.
func pathForPackages(p project.Project, req api.RunRequest) (api.RunRequest, error) {
	takes := func(s sdk.Selector) bool { return slices.Contains(p.ID.Selectors, s) }
	if len(req.Packages) == 0 || req.MatchPath != "" || takes(sdk.SelectSuites) || !takes(sdk.SelectPathPattern) {
		return req, nil
	}
	var paths []string
	for _, given := range req.Packages {
		path, isPlain, err := pathFor(p, given)
		switch {
		case err != nil:
			return req, err
		case path == "":
			req.Packages = nil // everything
			return req, nil
		case !isPlain && len(req.Packages) > 1:
			return req, &api.UsageError{Reason: given + " cannot be named beside others", Fix: "name files and directories that exist, or this alone"}
		}
		paths = append(paths, path)
	}
	if req.MatchPath, req.Packages = paths[0], nil; len(paths) > 1 {
		req.MatchPath = "{" + strings.Join(paths, ",") + "}"
	}
	return req, nil
}

// pathFor returns the path pattern of a place; "" means the whole workspace. A directory stands
// for the files below it. isPlain reports whether it is a file or a directory whose name has no
// other meaning in a pattern.
func pathFor(p project.Project, given string) (path string, isPlain bool, err error) {
	name, below := strings.CutSuffix(given, "/...")
	rebased, err := p.Root.Rebase([]string{name})
	if err != nil {
		return "", false, &api.UsageError{Reason: err.Error()}
	}
	path = strings.TrimPrefix(rebased[0], "./")
	info, err := os.Stat(filepath.Join(p.Root.Path, filepath.FromSlash(path)))
	isPlain = err == nil && !strings.ContainsAny(path, "*?[]{},!\\")
	switch isDir := err == nil && info.IsDir(); {
	case isDir && path == ".":
		return "", true, nil
	case isDir:
		return strings.TrimSuffix(path, "/") + "/*", isPlain, nil
	case below:
		return "", false, &api.UsageError{Reason: "there is no directory " + name}
	}
	return path, isPlain, nil
}

// ForPlugin translates a request for a project's plugin. It returns an
// [*api.NotTakenError] for a parameter that the plugin does not support.
func ForPlugin(k *ledger.Keeper, p project.Project, req api.RunRequest) (Request, error) {
	packages, err := p.Root.Rebase(req.Packages)
	if err != nil {
		return Request{}, &api.UsageError{Reason: err.Error()}
	}
	a := Request{Selection: sdk.Selection{Suites: packages, PathPattern: req.MatchPath, SuitePattern: req.MatchContract, TestPattern: req.Filter}}
	if err := project.CheckHarmless(p, req.RunnerArgs); req.OnlyHarmless && err != nil {
		return Request{}, err
	}
	if err := a.takeArgs(p.ID.RunnerFlags, req.RunnerArgs); err != nil {
		return Request{}, err
	}
	options, err := k.Options(p)
	if err != nil {
		return Request{}, err
	}
	if err := a.takeDefaults(p, options.Args, req); err != nil {
		return Request{}, err
	}
	s := a.Selection
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
		return &api.NotTakenError{Language: p.ID.Language, Given: name, Takes: names}
	}
	for _, param := range params {
		if param.given && !param.taken {
			return Request{}, refuse(param.name)
		}
	}
	for _, f := range req.RunnerFlags() {
		if !slices.ContainsFunc(p.ID.RunnerFlags, func(known sdk.RunnerFlag) bool { return known.Name == f.Name }) {
			return Request{}, refuse(f.Name)
		}
		a.RunnerArgs = append(a.RunnerArgs, f.Name, f.Value)
	}
	return a, checkWords(a)
}

// takeArgs sorts the arguments for the runner. A flag that selects tests becomes part of
// the selection, so that the run counts as filtered.
func (a *Request) takeArgs(declared []sdk.RunnerFlag, words []string) error {
	flags, rest := project.SplitArgs(declared, words)
	for _, f := range flags {
		pattern, name := a.pattern(f.Selector)
		switch {
		case f.Effect == sdk.FlagNeutral:
			a.Neutral = append(a.Neutral, f.Words...)
		case pattern == nil:
			a.RunnerArgs = append(a.RunnerArgs, f.Words...)
		case *pattern != "" && *pattern != f.Argument:
			return &api.UsageError{Reason: fmt.Sprintf("%s %s selects tests, and so does %q", f.Name, f.Argument, *pattern), Fix: "give only one " + name}
		default:
			*pattern = f.Argument
		}
	}
	a.RunnerArgs = append(a.RunnerArgs, rest...)
	return nil
}

// pattern returns the field of the selection that a selector sets, and a name for it; nil
// if the selector has none or takes several values.
func (a *Request) pattern(s sdk.Selector) (pattern *string, name string) {
	switch s {
	case sdk.SelectTestPattern:
		return &a.Selection.TestPattern, "pattern of test names"
	case sdk.SelectPathPattern:
		return &a.Selection.PathPattern, "pattern of paths"
	case sdk.SelectSuitePattern:
		return &a.Selection.SuitePattern, "pattern of suites"
	}
	return nil, ""
}

const (
	// maxAskedWord bounds one word of a request. Linux allows arguments of up to 128
	// KiB; a plugin puts the name of an option before it, or quotes it.
	maxAskedWord = 100 << 10
	// maxAsked bounds their total: what a command line holds, with room for proctor's
	// own words.
	maxAsked = 512 << 10
)

// checkWords refuses what cannot be an argument of a command.
func checkWords(a Request) error {
	total := 0
	check := func(what, word string) error {
		total += len(word) + 1
		switch {
		case len(word) > maxAskedWord:
			return &api.UsageError{Reason: fmt.Sprintf("%s has %d bytes; a command line takes at most %d", what, len(word), maxAskedWord), Fix: "select in another way, such as by a pattern"}
		case total > maxAsked:
			return &api.UsageError{Reason: fmt.Sprintf("the selection has more than %d bytes, which is more than a command line takes", maxAsked), Fix: "select in another way, such as by a pattern"}
		case strings.ContainsRune(word, 0):
			return &api.UsageError{Reason: what + " contains a NUL character, which no argument can"}
		}
		return nil
	}
	var errs []error
	for _, word := range a.Selection.Suites {
		errs = append(errs, check("a package name", word))
	}
	for _, word := range slices.Concat(a.Neutral, a.RunnerArgs) {
		errs = append(errs, check("a runner argument", word))
	}
	errs = append(errs, check("the filter", a.Selection.TestPattern), check("the path pattern", a.Selection.PathPattern), check("the suite pattern", a.Selection.SuitePattern))
	return cmp.Or(errs...)
}

// AsUsage turns a plugin's rejection of a request into a usage error; nil for anything
// else.
func AsUsage(err error) *api.UsageError {
	if e, ok := errors.AsType[*sdk.Error](err); ok && (e.Reason == sdk.InvalidSelection || e.Reason == sdk.InvalidArguments) {
		return &api.UsageError{Reason: e.Message}
	}
	return nil
}
