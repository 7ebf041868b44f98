package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/testlist"
)

func newListCommand(a *app) *cobra.Command {
	var req api.TestsRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "list [flags] [PACKAGE]... [-- RUNNER ARGS]",
		Short: "List the tests that exist, without running them",
		Long: `List the tests that proctor run would run with the same flags, and where they are
declared, without running any. What only comes into being while a test runs, such as a
subtest, is not listed. Runner arguments count if they decide which tests there are, as
build tags do, or which of them run.

Exit codes: 0 listed · 4 there are none · 6 not every test could be listed`,
		Example: `  proctor list
  proctor list ./parser/... -f 'TestParse'
  proctor list --json | jq -r '.suites[] | .suite as $s | .tests[] | "\($s) \(.test)"'
  proctor list -tags integration`,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, behind := splitAtDash(cmd, args)
			packages, err := packagesNamed(cmd, a.where().Dir, before)
			if err != nil {
				return err
			}
			req.Where, req.Packages, req.RunnerArgs = a.where(), append(req.Packages, packages...), behind
			// Without a page all tests are wanted, and missing ones might go unnoticed.
			req.All = req.Limit <= 0 && req.Cursor == ""
			return ask(cmd.Context(), a, out, exiting(a, testlist.Tests, listExit), req, plainly(render.Tests))
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the list as an object")
	return cmd
}

// listExit is the exit code for a list.
func listExit(l api.TestList) int {
	switch {
	case !l.Complete:
		return exitIncomplete
	case l.Total == 0:
		return exitNothingRan
	}
	return exitPassed
}
