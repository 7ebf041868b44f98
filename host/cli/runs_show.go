package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/report"
)

func newRunsShowCommand(a *app) *cobra.Command {
	var out *output
	var req api.LastRun
	cmd := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show a run with every test's result",
		Long: `Show a run with every test's result. RUN is a run id or a prefix of one, last, or prev
(default: last).`,
		Example: `  proctor runs show
  proctor runs show k3f9 --json
  proctor runs show --format forge-response`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			if len(args) == 1 {
				req.Ref = args[0]
			}
			if out.format == forgeResponseFormat {
				return printForgeResponse(cmd.Context(), a, k, req)
			}
			requests, err := ledger.SplitByLanguage(cmd.Context(), k, req)
			if err != nil {
				return err
			}
			for _, each := range requests {
				if err := printRecord(cmd.Context(), a, k, out, each); err != nil {
					return err
				}
			}
			return nil
		},
	}
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params(), "lang")
	out = newOutput(cmd, "the Run object with its results",
		form{textForm, "a listing"}, form{jsonForm, "the Run object"}, form{forgeResponseFormat, "the test response of a forge run"})
	return cmd
}

// forgeResponseFormat is the value of --format for the response of a forge run.
const forgeResponseFormat = "forge-response"

// printRecord shows one run with its results.
func printRecord(ctx context.Context, a *app, k *ledger.Keeper, out *output, req api.LastRun) error {
	run, age, err := query.Show(ctx, k, req)
	if a.noRun(err, out) {
		return nil
	}
	var unknown *api.UnknownRunError
	var usage *api.UsageError
	if _, found := ledger.FindRunID(ctx, k, req.Where, req.Ref); errors.As(err, &unknown) && errors.As(found, &usage) {
		return found // it names the runs that may be meant
	}
	if err != nil {
		return err
	}
	if out.isJSON() {
		return a.printJSON(run)
	}
	style := styleIn(ctx, a, k, a.where())
	for _, r := range run.Results {
		fmt.Fprintln(a.env.Stdout, style.ResultLine(r))
	}
	if len(run.Results) > 0 {
		fmt.Fprintln(a.env.Stdout)
	}
	printEnding(ctx, a, &askedRecord{Keeper: k, where: a.where()}, out, req, run, age)
	return nil
}

// printForgeResponse prints the response of a forge run.
func printForgeResponse(ctx context.Context, a *app, k *ledger.Keeper, req api.LastRun) error {
	if req.Ref == "" && req.Language == "" {
		req.Language = report.ForgeLanguage
	}
	run, _, err := query.Show(ctx, k, req)
	var usage *api.UsageError
	var none *api.NoRunError
	var unknown *api.UnknownRunError
	switch {
	case errors.As(err, &usage), errors.As(err, &none), errors.As(err, &unknown):
		return &api.UsageError{Reason: report.ForgeInvalidRequest + ": " + err.Error(), Advice: api.AdviceOf(err)}
	case err != nil:
		return err
	case run.Language != report.ForgeLanguage:
		return &api.UsageError{
			Reason: fmt.Sprintf("%s: run %s is of %s tests, and --format %s is only for forge runs", report.ForgeInvalidRequest, run.RunID, run.Language, forgeResponseFormat),
			Fix:    "--json shows the runs of every language",
		}
	}
	return a.printJSON(report.ForgeResponseOf(run))
}
