package query

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// found is what a name stands for: one test, or those of a file or suite, or both if a suite
// has results of its own.
type found struct {
	test  *history.Test
	file  string
	tests []history.Test
}

// findTests looks up a test, a file or a suite, comparing names like [api.MatchTests]. If it
// finds nothing, or several, the error is a [*api.UsageError].
func findTests(ctx context.Context, led *ledger.Ledger, language, name string) (found, error) {
	tests, err := led.History.Tests(ctx, history.TestFilter{Language: language, Name: name})
	if err != nil {
		return found{}, err
	}
	names := ledger.SuiteNames(ctx, led)
	for _, long := range names.Long(name) {
		more, err := led.History.Tests(ctx, history.TestFilter{Language: language, Name: long})
		if err != nil {
			return found{}, err
		}
		tests = addTests(tests, more)
	}
	if len(tests) == 0 {
		if tests, err = led.History.Tests(ctx, history.TestFilter{Language: language}); err != nil {
			return found{}, err
		}
		return findLoosely(ctx, led, language, name, tests, names)
	}
	meant := findNamed(tests, name, names)
	switch {
	case len(meant) == 1 && meant[0].TestKey.Test == "":
		suite := meant[0]
		return found{test: &suite, tests: slices.DeleteFunc(tests, func(t history.Test) bool { return t.Suite != suite.Suite || t.TestKey == suite.TestKey })}, nil
	case len(meant) == 1:
		return found{test: &meant[0]}, nil
	case len(meant) > 1 && slices.ContainsFunc(meant, func(t history.Test) bool { return t.TestKey.Test != "" }):
		return found{}, ambiguousError("tests", name, meant, names)
	}
	if of, err := findFile(ctx, led, language, name); err != nil || of.file != "" {
		return of, err
	}
	return found{tests: ofSuite(tests, name, names)}, nil
}

// addTests adds those that are not among the tests yet.
func addTests(tests, more []history.Test) []history.Test {
	known := make(map[history.TestKey]bool, len(tests))
	for _, t := range tests {
		known[t.TestKey] = true
	}
	return append(tests, slices.DeleteFunc(more, func(t history.Test) bool { return known[t.TestKey] })...)
}

// ofSuite returns the tests of the suite that has a short name, else those of all whose
// names end with it.
func ofSuite(tests []history.Test, name string, names api.SuiteNames) []history.Test {
	own := slices.DeleteFunc(slices.Clone(tests), func(t history.Test) bool { return names.Short(t.Suite) != name })
	if len(own) > 0 {
		return own
	}
	return tests
}

// findLoosely looks for a name that no recorded name equals or ends with: it may be a
// file, or a test that the runner spells differently.
func findLoosely(ctx context.Context, led *ledger.Ledger, language, name string, all []history.Test, names api.SuiteNames) (found, error) {
	if of, err := findFile(ctx, led, language, name); err != nil || of.file != "" {
		return of, err
	}
	switch meant := endingSuites(all, name); len(meant) {
	case 0:
	case 1:
		return findTests(ctx, led, language, meant[0])
	default:
		return found{}, severalError("suites", name, meant)
	}
	switch meant := findNamed(all, name, names); len(meant) {
	case 0:
	case 1:
		return found{test: &meant[0]}, nil
	default:
		return found{}, ambiguousError("tests", name, meant, names)
	}
	unknown := &api.UsageError{
		Reason: fmt.Sprintf(`no test or file "%s" is on record`, prose.Line(name)),
		Advice: api.Advice{Operation: api.AdviseHistory},
	}
	if len(all) == 0 && language == "" {
		unknown.Fix, unknown.Advice = nothingOnRecord, api.Advice{}
	}
	if near := api.SuggestNames(api.Nearest(listIDs(all), name, names.Call)); near != "" {
		unknown.Fix, unknown.Advice = near, api.Advice{}
	}
	return found{}, unknown
}

// endingSuites returns the suites whose names end with a class or a contract of this name.
func endingSuites(tests []history.Test, name string) []string {
	suites := map[string]bool{}
	for _, t := range tests {
		if strings.HasSuffix(t.Suite, ":"+name) {
			suites[t.Suite] = true
		}
	}
	return slices.Sorted(maps.Keys(suites))
}

func listIDs(tests []history.Test) []sdk.TestID {
	ids := make([]sdk.TestID, 0, len(tests))
	for _, t := range tests {
		ids = append(ids, t.TestKey.TestID)
	}
	return ids
}

// findFile looks up a file, by its path in the workspace or the end of that.
func findFile(ctx context.Context, led *ledger.Ledger, language, name string) (found, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	tests, err := led.History.Tests(ctx, history.TestFilter{Language: language, File: name})
	if err != nil {
		return found{}, err
	}
	files := map[string][]history.Test{}
	for _, t := range tests {
		files[t.File] = append(files[t.File], t)
	}
	if len(files[name]) > 0 {
		return found{file: name, tests: files[name]}, nil
	}
	paths := slices.Sorted(maps.Keys(files))
	switch len(paths) {
	case 0:
		return found{}, nil
	case 1:
		return found{file: paths[0], tests: tests}, nil
	}
	return found{}, severalError("files", name, paths)
}

// findNamed returns those of the tests that a name stands for.
func findNamed(tests []history.Test, name string, suites api.SuiteNames) []history.Test {
	var meant []history.Test
	for _, i := range api.MatchTests(listIDs(tests), name, suites) {
		meant = append(meant, tests[i])
	}
	return meant
}

// ambiguousError names the tests that a name could stand for.
func ambiguousError(what, name string, tests []history.Test, suites api.SuiteNames) error {
	names := make([]string, 0, len(tests))
	for _, t := range tests {
		text := suites.Call(t.TestKey.TestID)
		if t.Language != tests[0].Language || t.Language != tests[len(tests)-1].Language {
			text += " (" + t.Language + ")"
		}
		names = append(names, text)
	}
	slices.Sort(names)
	return severalError(what, name, names)
}

func severalError(what, name string, names []string) error {
	text := prose.Listed(names, len(names), ledger.MaxMatches, prose.Line)
	return &api.UsageError{
		Reason: fmt.Sprintf(`"%s" names several %s: %s`, prose.Line(name), what, text),
		Advice: api.Advice{Operation: api.AdviseName},
	}
}
