package cli

import (
	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newDiffCommand(a *app) *cobra.Command {
	var req api.DiffRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "diff [RUN] [RUN]",
		Short: "Show how the tests of two runs ended otherwise",
		Long: `Show how the tests of two runs ended otherwise: new failures, fixed, still
failing, vanished, newly skipped, new tests, slower, and measures that grew. The
runs are the last two of this session, the one that is named and the last one, or
the two that are named: run ids or beginnings of ids, last, or prev.

What a run did not run is never called vanished. A test is slower when it takes
50 ms and the threshold more, than in the run before and than on the average of
its latest passes.`,
		Example: `  proctor diff
  proctor diff k3f9
  proctor diff k3f9 last --threshold 50% --json`,
		Args: takes(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if len(args) > 0 {
				req.Before = args[0]
			}
			if len(args) > 1 {
				req.Now = args[1]
			}
			return ask(cmd.Context(), a, out, query.Diff, req, render.Diff)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "the comparison as an object")
	return cmd
}
