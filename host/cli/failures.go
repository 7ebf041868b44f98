package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newFailuresCommand(a *app) *cobra.Command {
	var req api.FailuresRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "failures",
		Short: "Show what failed in the last run",
		Long: `Show what failed in the last run, each failure with its location and message. Nothing is
run. The last run is that of the workspace, whoever made it; with PROCTOR_SESSION set, or
in a CI job, it is that of the session.`,
		Example: `  proctor failures
  proctor failures --limit 5 --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			requests, err := ledger.EachLanguage(cmd.Context(), h, req.LastRun)
			if err != nil {
				return err
			}
			for _, each := range requests {
				if err := printFailures(cmd.Context(), a, h, out, each, req.Limit); err != nil {
					return err
				}
			}
			return nil
		},
	}
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Run object")
	return cmd
}

// printEnding shows a recorded run as it ended.
func printEnding(ctx context.Context, a *app, h *ledger.Keeper, out *output, run api.Run, age time.Duration, named bool) {
	style := a.style()
	style.Named, style.Excerpts = named, query.Excerpts(ctx, h, run)
	out.asides.Record(run)
	fmt.Fprintf(a.env.Stdout, "run %s (%s), %s ago\n\n", run.RunID, prose.Line(run.Language), prose.Duration(age))
	fmt.Fprint(a.env.Stdout, render.Ending(run, &out.asides, style))
}

func printFailures(ctx context.Context, a *app, h *ledger.Keeper, out *output, req api.LastRun, limit int) error {
	run, age, err := query.Failures(ctx, h, req, limit)
	if a.noRun(err, out) {
		return nil
	}
	if err != nil {
		return err
	}
	if out.isJSON() {
		return a.printJSON(run)
	}
	printEnding(ctx, a, h, out, run, age, req.Ref != "")
	if run.Running != "" {
		fmt.Fprintf(a.env.Stdout, "(run %s goes on)\n", run.Running)
	}
	return nil
}
