package forge

import (
	"context"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/plugins/forge/internal/arguments"
	"github.com/proctorhq/proctor/plugins/forge/internal/composition"
	"github.com/proctorhq/proctor/plugins/forge/internal/selection"
	"github.com/proctorhq/proctor/plugins/forge/internal/settings"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// tracefile is the file that a command leaves in its scratch directory.
	tracefile = "coverage.lcov"
	// maxSkipped bounds the sources that a command names, which may take 128 KiB
	// together with its environment on some systems.
	maxSkipped = 64 << 10
)

// IndexCmd implements [sdk.Indexer]: for each suite a command
//
//	forge coverage --json --report lcov --report-file {scratch}/coverage.lcov --match-path P --match-contract C --skip S... ARGUMENTS --no-match-test T
//
// Forge counts executions of all tests that a command runs together, and compiles
// everything again for every command, without optimizer; so a suite is measured as a
// whole, and sources that it is not built from are skipped if the compiler's index is
// current. If time runs out, only the remaining suites are lost.
func (d *Detector) IndexCmd(ctx context.Context, req sdk.IndexRequest) (sdk.Plan, error) {
	list, err := readArguments(req.RunnerArgs)
	if err != nil {
		return sdk.Plan{}, err
	}
	s := settings.Read(req.Workspace)
	words := list.Words(func(o arguments.Option) bool { return keptWithTests(o) || o.Name == "fuzz-seed" })
	words = append(words, "--no-match-test="+excludeRemoved(list, s))
	effective := s.Under(slices.Concat([]string{tool, "test"}, words))
	sources, err := composition.Read(ctx, compositionConfig(req.Workspace, effective))
	if err != nil {
		sources = nil // then nothing is skipped
	}
	suites := slices.Compact(slices.Sorted(slices.Values(req.Suites)))
	plan := sdk.Plan{}
	for _, suite := range suites {
		file, contract, ok := selection.Split(suite)
		if !ok {
			plan.Warnings = append(plan.Warnings, fmt.Sprintf("%q is not a suite of forge and is not measured", shorten(suite)))
			continue
		}
		c := newCommand(s, slices.Concat([]string{
			tool, "coverage", "--json", "--report", "lcov", "--report-file", sdk.Scratch + "/" + tracefile,
			"--match-path=" + selection.Glob([]string{file}), "--match-contract=" + selection.Expression([]string{contract}),
		}, skipOptions(ctx, sources, suite), words))
		c.Targets, c.Covers = []sdk.TestID{{Suite: suite}}, true
		plan.Commands = append(plan.Commands, c)
	}
	return plan, ctx.Err()
}

// excludeRemoved returns a --no-match-test that excludes what the user's does, and
// tests of a kind that forge no longer runs: one of them would keep all others of its
// contract from being measured.
func excludeRemoved(list arguments.List, s settings.Settings) string {
	const removed = "^testFail"
	given, set := list.Get("no-match-test")
	for _, filter := range s.Filters {
		if filter.Name == "no_match_test" && !set {
			given = filter.Value
		}
	}
	if given == "" {
		return removed
	}
	return removed + "|(?:" + given + ")"
}

// skipOptions returns the options that leave out what a suite is not built from.
func skipOptions(ctx context.Context, sources *composition.Composition, suite string) []string {
	if sources == nil {
		return nil
	}
	var options []string
	size := 0
	for _, source := range sources.Outside(ctx, suite) {
		option := "--skip=" + selection.Glob([]string{source})
		if size += len(option) + 1; size > maxSkipped {
			return nil
		}
		options = append(options, option)
	}
	return options
}
