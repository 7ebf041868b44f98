package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newFailuresCommand(a *app) *cobra.Command {
	var limit int
	var asJSON bool
	var req api.LastRun
	cmd := &cobra.Command{
		Use:   "failures",
		Short: "Show what failed in the last run",
		Long: `Show what failed in the last run of this session, each failure with its place and
its message; nothing is run. What other sessions left red, proctor outstanding lists.`,
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
			requests, err := h.EachLanguage(cmd.Context(), req)
			if err != nil {
				return err
			}
			for _, each := range requests {
				if err := a.printFailures(cmd.Context(), h, each, limit, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&limit, "limit", api.DefaultFailuresLimit, fmt.Sprintf("show at most `N`, up to %d", api.MaxFailuresLimit))
	cmd.Flags().StringVar(&req.Language, "lang", "", "only the last run of this `LANG`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the Run object")
	return cmd
}

func (a *app) printFailures(ctx context.Context, h *ledger.Keeper, req api.LastRun, limit int, asJSON bool) error {
	run, age, err := query.Failures(ctx, h, req, limit)
	if a.noRun(err, asJSON) {
		return nil
	}
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(run)
	}
	a.printText(render.Failures(run, age))
	if run.Running != "" {
		fmt.Fprintf(a.env.Stdout, "(run %s goes on)\n", run.Running)
	}
	return nil
}

// noRun prints the sentence for a session without a run, if that is what err
// says.
func (a *app) noRun(err error, asJSON bool) bool {
	var none *api.NoRunError
	if !errors.As(err, &none) {
		return false
	}
	out := output{format: "text"}
	if asJSON {
		out.format = "json"
	}
	a.notice(out, notice{Message: none.Error(), Running: none.Running, Earlier: none.Earlier})
	return true
}
