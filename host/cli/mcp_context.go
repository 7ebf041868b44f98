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
		Long: `Print what to know at the start of a session: files that failed in three or more sessions
and have not recovered, files that were passing and fail now, files with flaky tests;
since when a test of them fails and what had changed; and what is outstanding. If there is
nothing, it prints nothing. Tests deferred with proctor history defer are left out.

It only reads the record, so a hook can call it at every start.`,
		Example: `  proctor mcp context
  proctor mcp context --json`,
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
