package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
)

func newContextCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print what to know at the start of a session, or nothing",
		Long: `Print what to know at the start of a session: the files that failed in three or
more sessions and have not recovered, those that were passing and fail now, and
those with flaky tests; since when a test of them fails and what had changed; and
what is outstanding. Where there is nothing to know it prints nothing. Tests that
were set aside with proctor defer are left out.

It only reads what is on record, so that a hook can call it at every start.`,
		Example: `  proctor context
  proctor context --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd.Context(), a, out, query.Context, a.where(), plainly(contextText))
		},
	}
	out = newOutput(cmd, "the Context object, which also counts what is outstanding")
	return cmd
}

func contextText(note api.Context) string {
	if note.Text == "" {
		return ""
	}
	return prose.Line(note.Text) + "\n"
}
