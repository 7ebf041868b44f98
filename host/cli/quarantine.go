package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newQuarantineCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "Keep known failures of tests from deciding verdicts",
		Long: `Keep known failures of tests from deciding verdicts. ` + quarantine.FileName + ` in the
root of the workspace names the tests: commit it, and review its changes. They still run.
A run whose other tests pass is PASSED and says how many failures are in quarantine.
Another failure of such a test, a failure that ends its suite, and an entry that expired
or names no test make a run fail.`,
		Example: `  proctor quarantine add TestUpload --reason "races with the server" --link https://example.com/7
  proctor quarantine list
  proctor quarantine remove TestUpload`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newQuarantineChange(a, query.AddToQuarantine, render.InQuarantine, &cobra.Command{
			Use: "add TEST", Short: "Put a test in quarantine, with its last failure on record",
			Example: `  proctor quarantine add TestUpload --reason "races with the server" --expires 2030-01-31`,
			Args:    takes(1, 1),
		}, "reason", "link", "expires", "lang"),
		newQuarantineChange(a, query.ListQuarantine, render.Quarantine, &cobra.Command{
			Use: "list", Short: "List the tests in quarantine, and how each ended last",
			Example: `  proctor quarantine list --json`,
			Args:    takes(0, 0),
		}, "lang"),
		newQuarantineChange(a, query.RemoveFromQuarantine, render.Quarantine, &cobra.Command{
			Use: "remove TEST", Short: "Let the failures of a test decide again",
			Example: `  proctor quarantine remove TestUpload`,
			Args:    takes(1, 1),
		}, "lang"))
	return cmd
}

// newQuarantineChange completes a command that asks about the quarantine.
func newQuarantineChange(a *app, question func(context.Context, *ledger.Keeper, api.QuarantineRequest) (api.Quarantine, error), text func(api.Quarantine, render.Style) string, cmd *cobra.Command, only ...string) *cobra.Command {
	var req api.QuarantineRequest
	var out *output
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req.Where = a.where()
		if len(args) > 0 {
			req.Name = args[0]
		}
		return ask(cmd.Context(), a, out, question, req, text)
	}
	flags.Bind(cmd, req.Params(), only...)
	out = newOutput(cmd, "the Quarantine object")
	return cmd
}
