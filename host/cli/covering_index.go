package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/covering"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/render"
)

func newIndexCommand(a *app) *cobra.Command {
	var req api.IndexRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "index [flags] [PACKAGE]... [-- RUNNER ARGS]",
		Short: "Measure which lines each test executes",
		Long: `Measure which lines each test executes by running each one alone, and keep the result in
.proctor for proctor covering and proctor run --affected. PACKAGE is a suite or a pattern
of suites in the language's notation; the default is all suites.

Only suites whose tests, dependencies or read files changed since they were indexed are
run. If time runs out, what has been indexed is kept, and the next one continues from
there. A suite whose tests cannot be measured one by one in its time is known only as a
whole, with the reason.

RUNNER ARGS change how tests are built. Their measurements are kept apart, and used only
by proctor run --affected with the same arguments.

An index is not a run: nothing counts as passed or failed. Tests that end differently
alone than among the others of their suite are named: they depend on others.

Exit codes: 0 complete · 1 something did not build · 2 usage · 3 the index could not be
made · 4 nothing to index · 6 not everything was measured · 130 interrupted`,
		Example: `  proctor covering index
  proctor covering index ./parser/... --budget 2m
  proctor covering index --force --json | jq .findings
  proctor covering index --match-contract '^TokenTest$'
  proctor covering index -tags integration`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			before, behind := splitAtDash(cmd, args)
			packages, err := packagesNamed(cmd, a.where().Dir, before)
			if err != nil {
				return err
			}
			req.Packages, req.RunnerArgs = append(req.Packages, packages...), behind
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return makeIndex(cmd.Context(), a, h, out, req)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Index object")
	return cmd
}

func makeIndex(ctx context.Context, a *app, h *ledger.Keeper, out *output, req api.IndexRequest) error {
	view := newView(a, out)
	view.Silent = true // what fails in an index proves nothing
	ix, err := covering.Index(ctx, h, req, view)
	view.Close()
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && ix.Schema != "":
		// Not even the suites were determined.
		ix.Message = "the time was over before it was known what there is to measure: give more with --budget"
		ix.Warnings = append(ix.Warnings, api.Note{Code: api.NotePartly, Text: ix.Message})
	case err != nil:
		return err
	}
	if a.code = indexExit(ix); ctx.Err() != nil {
		a.code = exitInterrupted
	}
	return print(a, out, ix, render.Index)
}

// indexExit is the exit code for an index.
func indexExit(ix api.Index) int {
	switch {
	case ix.RunError != "":
		return exitTool
	case len(ix.Failures) > 0:
		return exitFailed
	case !ix.Complete:
		return exitIncomplete // even if the suites are unknown
	case len(ix.Suites) == 0:
		return exitNothingRan
	}
	return exitPassed
}
