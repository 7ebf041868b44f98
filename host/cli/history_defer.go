package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newDeferCommand(a *app) *cobra.Command {
	var req api.DeferRequest
	var list bool
	var out *output
	cmd := &cobra.Command{
		Use:   "defer TEST",
		Short: "Set a failing test aside",
		Long: `Set a failing test aside: its status becomes deferred, and proctor mcp context leaves it
out. Verdicts, exit codes and the outstanding set do not change: a deferred test that
fails is still red.

A deferral ends when the test passes, or when the content of the file that declares it
changes.`,
		Example: `  proctor history defer TestUpload --reason "the server moves next week"
  proctor history defer TestUpload --lift
  proctor history defer --list`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if err := checkDefer(list, len(args), req); err != nil {
				return err
			}
			if list {
				return ask(cmd.Context(), a, out, query.Deferred, req, render.Deferrals)
			}
			req.Name = args[0]
			return ask(cmd.Context(), a, out, query.Defer, req, func(d api.Deferrals, style render.Style) string {
				return a.printable(each(d.Deferred, style, render.Deferred) + each(d.Lifted, style, render.Lifted))
			})
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Deferrals object")
	cmd.Flags().BoolVar(&list, "list", false, "list deferred tests")
	return cmd
}

// checkDefer refuses combinations that make no sense.
func checkDefer(list bool, args int, req api.DeferRequest) error {
	switch {
	case list && (args > 0 || req.Lift || req.Reason != ""):
		return &flags.Error{Err: errors.New("--list lists what is set aside, and takes no test, --reason or --lift")}
	case !list && args == 0:
		return &flags.Error{Err: errors.New("name the test to set aside, or give --list; see proctor history defer --help")}
	}
	return nil
}

// each formats deferrals.
func each(deferrals []api.Deferral, style render.Style, show func(api.Deferral, render.Style) string) string {
	var b strings.Builder
	for _, d := range deferrals {
		b.WriteString(show(d, style))
	}
	return b.String()
}
