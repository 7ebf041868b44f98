package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newWhyCommand(a *app) *cobra.Command {
	var req api.WhyRequest
	var asJSON bool
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
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			why, err := query.Why(cmd.Context(), h, req)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(why)
			}
			fmt.Fprint(a.env.Stdout, render.Why(why, a.style()))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&req.Language, "lang", "", "a test of this `LANG`")
	flags.BoolVar(&asJSON, "json", false, "print the answer as an object")
	return cmd
}
