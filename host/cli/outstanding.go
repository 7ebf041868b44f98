package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newOutstandingCommand(a *app) *cobra.Command {
	var req api.OutstandingRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "outstanding",
		Short: "List what proctor rerun would run, and since when",
		Long: `List what has failed, not finished or never started since it last passed, in all sessions
of the workspace, longest outstanding first.

A test leaves the list by passing. What can no longer pass, such as a run with a mistyped
argument, can be removed with --drop: that is your decision, not a pass.`,
		Example: `  proctor outstanding
  proctor outstanding --drop '(the run)'`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			answer, err := query.Outstanding(cmd.Context(), h, req)
			if a.noRun(err, out) {
				return nil
			}
			if out.isJSON() && err == nil {
				return a.printJSON(answer)
			}
			if err == nil || len(answer.Dropped) > 0 {
				fmt.Fprint(a.env.Stdout, render.Outstanding(answer))
			}
			return err
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Outstanding object")
	return cmd
}

func newContextCommand(a *app) *cobra.Command {
	var out *output
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Print what to know at the start of a session, or nothing",
		Long: `Print what to know at the start of a session: files that failed in three or more sessions
and have not recovered, files that were passing and fail now, files with flaky tests;
since when a test of them fails and what had changed; and what is outstanding. If there is
nothing, it prints nothing. Tests deferred with proctor defer are left out.

It only reads the record, so a hook can call it at every start.`,
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
