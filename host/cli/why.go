package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newWhyCommand(a *app) *cobra.Command {
	var req api.WhyRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "why TEST",
		Short: "Show when a test last passed, and what changed since",
		Long: `Show when a test last passed, on which state of the sources, in which run it
failed first after that, and which files changed in between and since, the
likeliest cause first. TEST is a test as the reports show it, or the unique end
of one.`,
		Example: `  proctor why TestParse/empty_input
  proctor why TestParse --json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Test = a.where(), args[0]
			return ask(cmd.Context(), a, out, query.Why, req, render.Why)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "the answer as an object")
	return cmd
}
