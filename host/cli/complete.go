package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// maxCompletions is how many names a shell is offered.
	maxCompletions = 200
	// completionPatience bounds how long a shell waits after the key is pressed.
	completionPatience = 2 * time.Second
)

// complete offers recorded names where a command takes a run or a test. It starts no
// plugin, and does not search the workspace's files.
func (a *app) complete(root *cobra.Command) {
	runs := func(k *ledger.Keeper, ctx context.Context) []string {
		list, _ := query.Runs(ctx, k, api.RunsRequest{Where: a.where(), Limit: maxCompletions})
		names := []string{"last", "prev"}
		for _, run := range list.Runs {
			names = append(names, run.RunID)
		}
		return names
	}
	tests := func(k *ledger.Keeper, ctx context.Context) []string {
		list, _ := query.Outstanding(ctx, k, api.OutstandingRequest{Where: a.where(), Limit: maxCompletions})
		_, suites := ledger.SuiteWords(ctx, k, a.where())
		return testNames(list, suites)
	}
	for name, c := range map[string]struct {
		most  int
		offer func(*ledger.Keeper, context.Context) []string
	}{
		"runs show": {1, runs}, "diff": {2, runs},
		"why": {1, tests}, "output": {1, tests}, "history": {1, tests}, "history defer": {1, tests},
		"quarantine add": {1, tests}, "triage": {maxCompletions, tests}, "rerun": {maxCompletions, tests},
	} {
		cmd := root
		for _, word := range strings.Fields(name) { // cobra's own search adds flags to what it passes
			if i := slices.IndexFunc(cmd.Commands(), func(c *cobra.Command) bool { return c.Name() == word }); i >= 0 {
				cmd = cmd.Commands()[i]
			}
		}
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= c.most {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
			defer cancel()
			k, done, err := a.keeper(ctx)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			defer done()
			return completions(c.offer(k, ctx), begun), cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// testNames returns the names of what is outstanding: that of the suite for a suite, and with
// it for tests that others share their name with.
func testNames(list api.Outstanding, suites api.SuiteNames) []string {
	var names []string
	for _, t := range list.Tests {
		name := cmp.Or(t.Test, suites.Short(t.Suite))
		if slices.ContainsFunc(list.Tests, func(o api.OutstandingTest) bool { return o.Test == t.Test && o.Suite != t.Suite }) {
			name = suites.Call(sdk.TestID{Suite: t.Suite, Test: t.Test})
		}
		if bare, _, ok := strings.Cut(name, "("); ok && strings.HasSuffix(name, ")") {
			name = bare // Foundry's tests are called without their parameters
		}
		names = append(names, name)
	}
	return names
}

// completions returns the names that continue what was typed, if they have no special
// meaning to any shell: tests may have any name.
func completions(names []string, begun string) []string {
	var offered []string
	for _, name := range names {
		if name != "" && strings.HasPrefix(name, begun) && !strings.HasPrefix(name, "-") && strings.Trim(name, plainCharacters) == "" {
			offered = append(offered, name)
		}
	}
	return offered
}

const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,@%"
