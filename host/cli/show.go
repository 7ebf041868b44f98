package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newShowCommand(a *app) *cobra.Command {
	var asJSON bool
	var format string
	var req api.LastRun
	cmd := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show a run with every test's result",
		Long: `Show a run with every test's result. RUN is a run id or the beginning of one,
last, or prev; without it the last run is shown.`,
		Example: `  proctor show
  proctor show k3f9 --json
  proctor show --format forge-response`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if len(args) == 1 {
				req.Ref = args[0]
			}
			if err := checkShowFormat(format, &asJSON); err != nil {
				return err
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			if format == forgeResponseFormat {
				return a.printForgeResponse(cmd.Context(), h, req)
			}
			requests, err := h.EachLanguage(cmd.Context(), req)
			if err != nil {
				return err
			}
			for _, each := range requests {
				if err := a.printRecord(cmd.Context(), h, each, asJSON); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&req.Language, "lang", "", "only the last run of this `LANG`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the Run object with its results")
	cmd.Flags().StringVar(&format, "format", "text", "`FORM`: "+strings.Join(showFormats(), ", ")+": a listing, the Run object, the test response of a forge run")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(showFormats(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// showFormats are the values of --format.
func showFormats() []string { return []string{"text", "json", forgeResponseFormat} }

// checkShowFormat settles which of the flags counts.
func checkShowFormat(format string, asJSON *bool) error {
	switch {
	case !slices.Contains(showFormats(), format):
		return &flagError{fmt.Errorf("--format %q: give one of %s", format, strings.Join(showFormats(), ", "))}
	case *asJSON && format == forgeResponseFormat:
		return &flagError{fmt.Errorf("--json and --format %s exclude each other", format)}
	}
	*asJSON = *asJSON || format == "json"
	return nil
}

// printRecord shows one run with its results.
func (a *app) printRecord(ctx context.Context, h *ledger.Keeper, req api.LastRun, asJSON bool) error {
	run, age, err := query.Show(ctx, h, req)
	if a.noRun(err, asJSON) {
		return nil
	}
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(run)
	}
	for _, r := range run.Results {
		fmt.Fprintln(a.env.Stdout, render.ResultLine(r))
	}
	fmt.Fprintf(a.env.Stdout, "\nrun %s, %s ago\n\n", run.RunID, prose.Duration(age))
	style := a.style()
	style.Named = req.Ref != ""
	fmt.Fprint(a.env.Stdout, render.Summary(run, style))
	return nil
}
