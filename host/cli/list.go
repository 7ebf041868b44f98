package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/testlist"
)

func newListCommand(a *app) *cobra.Command {
	var req api.TestsRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [flags] [-- RUNNER ARGS]",
		Short: "List the tests that exist, without running them",
		Long: `List the tests that proctor run would run with the same flags, without running
any, and where they are declared. What only comes into being while a test runs,
such as a subtest, is not listed. Runner arguments count where they decide which
tests there are, as build tags do, or which of them run.

Exit codes: 0 listed · 4 there are none · 6 not every test could be listed`,
		Example: `  proctor list
  proctor list -p ./parser/... -f 'TestParse'
  proctor list --json | jq -r '.suites[] | .suite as $s | .tests[] | "\($s) \(.test)"'
  proctor list -- -tags integration`,
		Args: arguments(onlyAfterDash),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.RunnerArgs = a.where(), args
			// Whoever asks for no page wants them all, and may not see that some are missing.
			req.All = req.Limit <= 0 && req.Cursor == ""
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			list, err := testlist.Tests(cmd.Context(), h, req)
			var several *api.LanguagesError
			if errors.As(err, &several) {
				return &flagError{fmt.Errorf("%w with --lang", err)}
			}
			if err != nil {
				return err
			}
			a.code = listExit(list)
			if asJSON {
				return a.printJSON(list)
			}
			fmt.Fprint(a.env.Stdout, render.Tests(list))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVarP(&req.Packages, "package", "p", nil, "list those of these suites (`SUITE`, repeatable): packages, files or targets, as for proctor run")
	flags.StringVarP(&req.Filter, "filter", "f", "", "list the tests whose name matches this `REGEX`, in the runner's notation")
	flags.StringVar(&req.MatchPath, "match-path", "", "Foundry: list the tests in files whose path matches this `GLOB`")
	flags.StringVar(&req.MatchContract, "match-contract", "", "Foundry: list the tests of contracts whose name matches this `REGEX`")
	flags.StringVar(&req.Language, "lang", "", "list those of this `LANG`, where there are several")
	flags.IntVar(&req.Limit, "limit", 0, fmt.Sprintf("show at most `N`, up to %d, and how to go on (default: all)", api.MaxTestsLimit))
	flags.StringVar(&req.Cursor, "cursor", "", "go on where a list ended that named this `CURSOR`")
	flags.BoolVar(&asJSON, "json", false, "print the list as an object")
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
