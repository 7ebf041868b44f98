package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func (a *app) runsCommand() *cobra.Command {
	list := a.runsListCommand()
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs on record; show, prune, export or import them",
		Long: `List the runs on record, the newest first: those of every session, those that go
on, and those that were killed. A run is named by its id or any unique beginning
of it; last and prev are the newest finished runs of this session.`,
		Example: `  proctor runs                    the newest runs
  proctor runs --session this     only those of this session
  proctor runs show k3f9          one of them, with every test
  proctor runs prune --dry-run    what the limits would remove
  proctor runs export last        an archive for somebody else
  proctor runs import FILE        somebody else's archive`,
		Args: takes(0, 0),
		RunE: list.RunE,
	}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(list, a.runsShowCommand(), a.runsPruneCommand(), a.runsExportCommand(), a.runsImportCommand())
	return cmd
}

func (a *app) runsListCommand() *cobra.Command {
	var req api.RunsRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs on record, the newest first",
		Example: `  proctor runs list --limit 50
  proctor runs list --session this --lang go --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			list, err := query.Runs(cmd.Context(), h, req)
			if a.noRun(err, asJSON) {
				return nil
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(list)
			}
			fmt.Fprint(a.env.Stdout, render.Runs(list, a.style()))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&req.Limit, "limit", api.DefaultRunsLimit, fmt.Sprintf("show at most `N`, up to %d", api.MaxRunsLimit))
	flags.StringVar(&req.Session, "session", "", "only the runs of the session `ID`; "+api.ThisSession+" is this one (default: all sessions)")
	flags.StringVar(&req.Language, "lang", "", "only the runs of this `LANG`")
	flags.BoolVar(&asJSON, "json", false, "print the list as an object")
	return cmd
}

// runsShowCommand is proctor show for a run that is named. A beginning that
// several runs share is answered with their names.
func (a *app) runsShowCommand() *cobra.Command {
	cmd := a.showCommand()
	cmd.Use, cmd.Args = "show RUN", takes(1, 1)
	cmd.Long = `Show a run with every test's result, as proctor show does. RUN is a run id or the
unique beginning of one, last, or prev.`
	cmd.Example = `  proctor runs show k3f9
  proctor runs show prev --json`
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := a.runID(cmd.Context(), args[0])
		if a.noRun(err, false) {
			return nil
		}
		if err != nil {
			return err
		}
		return show(cmd, []string{id})
	}
	return cmd
}

func (a *app) runID(ctx context.Context, ref string) (string, error) {
	h, done, err := a.host(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return h.RunID(ctx, a.where(), ref)
}
