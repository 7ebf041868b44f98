package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newDeferCommand(a *app) *cobra.Command {
	var req api.DeferRequest
	var list, asJSON bool
	cmd := &cobra.Command{
		Use:   "defer TEST",
		Short: "Set a failing test aside",
		Long: `Set a failing test aside: its status becomes deferred, and proctor context leaves
it out. Verdicts, exit codes and what is outstanding do not change: a deferred
test that fails is still red.

A deferral ends by itself when the test passes, or when the content of the file
in which it is declared changes.`,
		Example: `  proctor defer TestUpload --reason "the server moves next week"
  proctor defer TestUpload --lift
  proctor defer --list`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if err := checkDefer(list, len(args), req); err != nil {
				return err
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			if list {
				return a.printDeferred(cmd.Context(), h, req, asJSON)
			}
			req.Name = args[0]
			answer, err := query.Defer(cmd.Context(), h, req)
			switch {
			case err != nil:
				return err
			case asJSON:
				return a.printJSON(answer)
			}
			printEach(a, answer.Deferred, render.Deferred)
			printEach(a, answer.Lifted, render.Lifted)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&req.Reason, "reason", "", "why, for whoever reads the list: a `TEXT`")
	flags.BoolVar(&req.Lift, "lift", false, "take it back")
	flags.BoolVar(&list, "list", false, "list the tests that are set aside")
	flags.StringVar(&req.Language, "lang", "", "only tests of this `LANG`")
	flags.BoolVar(&asJSON, "json", false, "print the Deferrals object")
	return cmd
}

// checkDefer refuses what cannot be meant.
func checkDefer(list bool, args int, req api.DeferRequest) error {
	switch {
	case list && (args > 0 || req.Lift || req.Reason != ""):
		return &flagError{errors.New("--list lists what is set aside and takes nothing else")}
	case !list && args == 0:
		return &flagError{errors.New("name the test that is to be set aside, or --list; see proctor defer --help")}
	}
	return nil
}

func (a *app) printDeferred(ctx context.Context, h *ledger.Keeper, req api.DeferRequest, asJSON bool) error {
	answer, err := query.Deferred(ctx, h, req)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(answer)
	}
	a.printText(render.Deferrals(answer))
	return nil
}

func printEach(a *app, deferrals []api.Deferral, show func(api.Deferral) string) {
	for _, d := range deferrals {
		fmt.Fprint(a.env.Stdout, show(d))
	}
}
