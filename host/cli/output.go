package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

func newOutputCommand(a *app) *cobra.Command {
	var req api.OutputRequest
	cmd := &cobra.Command{
		Use:   "output TEST",
		Short: "Print one test's whole output",
		Long: `Print one test's whole output, including its subtests'. TEST is a name as shown in
reports, or a suffix of one. A suite's name prints all of its output. The newest run that
ran the test is asked.`,
		Example: `  proctor output TestParse/empty_input
  proctor output 'example.com/app/parser TestParse'
  proctor output TestParse --from ci.json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, done, err := a.openFrom(cmd.Context(), req.From)
			if err != nil {
				return err
			}
			defer done()
			req.Test = args[0]
			requests, err := from.requests(cmd.Context(), req.LastRun)
			if err != nil {
				return err
			}
			out, err := query.OutputOf(cmd.Context(), from.Keeper, requests, req.Test)
			if a.noRun(err, &output{}) {
				return nil
			}
			var missing *api.NoTestError
			if errors.As(err, &missing) && missing.Other != "" {
				out, err = query.OutputOf(cmd.Context(), from.Keeper, []api.LastRun{{Where: from.where, Ref: missing.Other}}, req.Test)
			}
			if err != nil {
				return err
			}
			if missing != nil {
				fmt.Fprintf(a.env.Stderr, "proctor: run %s did not run it; this is of run %s, %s ago\n", missing.RunID, missing.Other, prose.Duration(ledger.AgeOf(from.Keeper, out.Run)))
			}
			a.printText(out.Text)
			switch {
			case out.Text == "":
				fmt.Fprintf(a.env.Stderr, "proctor: %s printed nothing\n", prose.Line(req.Test))
			case !strings.HasSuffix(out.Text, "\n"):
				fmt.Fprintln(a.env.Stdout)
			}
			if out.Truncated {
				fmt.Fprintln(a.env.Stderr, "proctor: the output was cut off; "+from.whole)
			}
			return nil
		},
	}
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params())
	return cmd
}
