package forge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/plugins/forge/internal/testjson"
	"github.com/proctorhq/proctor/sdk"
)

// RerunCmd implements [sdk.Detector]: the fewest commands
//
//	forge test --json -vv --fuzz-seed SEED --match-path P --match-contract C --match-test T ARGUMENTS
//
// that together run exactly the targets; see package selection. A target that is
// a fixture, or has no name, stands for its whole suite. Forge's tests do not
// contain others, so widening changes nothing.
//
// The compiled contracts show what a box of filters holds besides the targets. If
// they are missing or older than the sources, every suite gets a command of its own.
//
// A command in front compiles suites that are only to be built.
//
// The first run's arguments that select tests or stop early are dropped.
// --no-match-test stays for whole suites: it decides what a suite is.
func (d *Detector) RerunCmd(ctx context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	list, err := readArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	s := settings.Read(req.Workspace)
	if req.Locate {
		return planLocating(ctx, req, list, s)
	}
	seed, err := fuzzSeed(list, s, req.Seed)
	if err != nil {
		return sdk.Plan{}, err
	}
	argv := testArgv(list, seed, verbosityLogs)
	var commands []sdk.Command
	if len(req.AlsoBuild) > 0 {
		commands = append(commands, buildCommand(s, list))
	}
	if slices.Contains(req.Targets, sdk.TestID{}) {
		// A failure of the run itself does not say what is affected.
		all := newCommand(s, slices.Concat(argv, list.Words(keptWithSuites)))
		all.Targets = req.Targets
		return sdk.Plan{Commands: append(commands, all), Way: wayOf(req.Workspace, list)}, nil
	}
	filters, asked := planFilters(ctx, req, list, s)
	for _, f := range filters {
		keep := keptWithTests
		if f.Test == "" {
			keep = keptWithSuites
		}
		c := newCommand(s, slices.Concat(argv, filterOptions(f), list.Words(keep)))
		c.Targets = filterTargets(f, asked)
		commands = append(commands, c)
	}
	return sdk.Plan{Commands: commands, Warnings: warnOfFilters(s), Way: wayOf(req.Workspace, list)}, nil
}

// buildCommand compiles everything, and runs nothing: a run with filters compiles only what
// it selects completely, and of the rest only interfaces, so that some errors would not
// show.
func buildCommand(s settings.Settings, list arguments.List) sdk.Command {
	c := listCommand(s, slices.DeleteFunc(slices.Clone(list), narrowsRun), overrideFilters(s, sdk.Selection{}))
	c.Prepares = true
	return c
}

// planFilters finds the filters for the targets of a request. asked holds the targets as
// requested.
func planFilters(ctx context.Context, req sdk.RerunRequest, list arguments.List, s settings.Settings) (filters []selection.Filter, asked map[selection.Test][]sdk.TestID) {
	asked = map[selection.Test][]sdk.TestID{}
	var wanted []selection.Test
	for _, id := range req.Targets {
		test := selection.Test{Suite: id.Suite, Name: id.Test}
		if isFixture(id.Test) {
			test.Name = ""
		}
		wanted = append(wanted, test)
		asked[test] = append(asked[test], id)
	}
	s = s.Under(slices.Concat([]string{tool, "test"}, list.Words(keptWithTests)))
	return selection.Plan(wanted, knownTests(ctx, req.Workspace, s)), asked
}

// filterTargets returns the ids that a filter runs. A filter of whole suites also runs the
// requested tests in them.
func filterTargets(f selection.Filter, asked map[selection.Test][]sdk.TestID) []sdk.TestID {
	var ids []sdk.TestID
	suites := map[string]bool{}
	for _, test := range f.Tests {
		ids = append(ids, asked[test]...)
		suites[test.Suite] = test.Name == ""
	}
	if f.Test != "" {
		return ids
	}
	for test, same := range asked {
		if test.Name != "" && suites[test.Suite] {
			ids = append(ids, same...)
		}
	}
	slices.SortStableFunc(ids, func(a, b sdk.TestID) int { return strings.Compare(a.Suite+a.Test, b.Suite+b.Test) })
	return ids
}

// knownTests returns all existing tests, or nothing if not all are known.
func knownTests(ctx context.Context, ws sdk.Workspace, s settings.Settings) []selection.Test {
	suites, complete, err := s.Finder(ws.Root).Tests(ctx)
	if err != nil || !complete {
		return nil
	}
	var all []selection.Test
	for suite, tests := range suites {
		for _, test := range tests {
			all = append(all, selection.Test{Suite: suite, Name: test.Name})
		}
	}
	return all
}

// isFixture reports whether an entry of forge's results is not a test: it stands for
// what the tests of a contract need.
func isFixture(name string) bool {
	return name == "setUp()" || name == "constructor()" || name == "afterInvariant()"
}

// filterOptions returns the filters as arguments. They are joined, so that a pattern that
// begins with a dash is not an option.
func filterOptions(f selection.Filter) []string {
	words := []string{"--match-path=" + f.Path, "--match-contract=" + f.Contract}
	if f.Test != "" {
		words = append(words, "--match-test="+f.Test)
	}
	return words
}

// narrowsRun reports whether an option restricts a run or ends it early.
func narrowsRun(option arguments.Option) bool {
	switch option.Name {
	case "", "match-path", "match-contract", "match-test", "no-match-path", "no-match-contract", "no-match-test", "fail-fast":
		return true
	}
	return false
}

// keptWithTests reports whether a rerun of tests keeps an option of the first run.
func keptWithTests(option arguments.Option) bool { return userOption(option) && !narrowsRun(option) }

// keptWithSuites reports whether a rerun of whole suites keeps it.
func keptWithSuites(option arguments.Option) bool {
	return keptWithTests(option) || option.Name == "no-match-test"
}

// warnOfFilters warns about configured filters that no argument replaces.
func warnOfFilters(s settings.Settings) []string {
	var warnings []string
	for _, filter := range s.Filters {
		switch filter.Name {
		case "match_path", "match_contract", "match_test":
		default:
			warnings = append(warnings, fmt.Sprintf("forge's configuration has %s = %q: tests that it excludes do not run again", filter.Name, filter.Value))
		}
	}
	return warnings
}

// reproduce returns a command that reproduces a failure, printing the calls that led to it,
// with the arguments of the command that failed. A fixture is reproduced by its whole
// suite. A test of a removed kind fails without running.
func (p *parser) reproduce(id sdk.TestID, t *testjson.Test) sdk.Command {
	file, contract, ok := selection.Split(id.Suite)
	if !ok || isRemoved(t) {
		return sdk.Command{}
	}
	argv := []string{
		tool, "test", "-vvvv",
		"--match-path=" + selection.Glob([]string{file}), "--match-contract=" + selection.Expression([]string{contract}),
	}
	if !isFixture(id.Test) {
		argv = append(argv, "--match-test="+selection.Expression([]string{id.Test}))
	}
	if p.seed != "" {
		argv = append(argv, "--fuzz-seed="+p.seed)
	}
	if given := p.run.Command.Argv; len(given) > 2 {
		list, _ := arguments.Parse(given[2:]) // proctor composed it
		argv = append(argv, list.Words(keptWithTests)...)
	}
	return sdk.Command{Argv: argv, Dir: p.run.Command.Dir}
}
