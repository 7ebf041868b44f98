package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
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
in a CI job, it is that of the session. With --from, show the runs of a report or an
archive; nothing of them is put on record here.`,
		Example: `  proctor failures
  proctor failures --limit 5 --json
  proctor failures --from ci.json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, done, err := a.openFrom(cmd.Context(), req.From)
			if err != nil {
				return err
			}
			defer done()
			requests, err := from.requests(cmd.Context(), req.LastRun)
			if err != nil {
				return err
			}
			for _, each := range requests {
				if err := printFailures(cmd.Context(), a, from, out, each, req.Limit); err != nil {
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

// printEnding shows a recorded run as it ended; req asked for it.
func printEnding(ctx context.Context, a *app, from *askedRecord, out *output, req api.LastRun, run api.Run, age time.Duration) {
	style := styleIn(ctx, a, from.Keeper, from.where, run.Language)
	style.Named, style.From, style.Excerpts = req.Ref != "", from.path, query.Excerpts(ctx, from.Keeper, run)
	out.asides.Record(run)
	fmt.Fprintf(a.env.Stdout, "run %s (%s), %s ago\n\n", run.RunID, prose.Line(run.Language), prose.Duration(age))
	fmt.Fprint(a.env.Stdout, render.Ending(run, &out.asides, style))
}

func printFailures(ctx context.Context, a *app, from *askedRecord, out *output, req api.LastRun, limit int) error {
	run, age, err := query.Failures(ctx, from.Keeper, req, limit)
	if err != nil {
		return unanswered(a, err, out)
	}
	if out.isJSON() {
		return a.printJSON(run)
	}
	printEnding(ctx, a, from, out, req, run, age)
	if run.Running != "" {
		fmt.Fprintf(a.env.Stdout, "(run %s is in progress)\n", run.Running)
	}
	return nil
}
