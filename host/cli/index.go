package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/covering"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

func newIndexCommand(a *app) *cobra.Command {
	var req api.IndexRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "index [PKG...] [flags] [-- RUNNER ARGS]",
		Short: "Measure which lines each test executes",
		Long: `Measure which lines each test executes by running each one alone, and keep the result in
.proctor for proctor covering and proctor run --affected. PKG are suites or patterns of
suites in the language's notation; the default is all suites.

Only suites whose tests, dependencies or read files changed since they were indexed are
run. If time runs out, what has been indexed is kept, and the next proctor index continues
from there. A suite whose tests cannot be measured one by one in its time is known only as
a whole, with the reason.

RUNNER ARGS change how tests are built. Their measurements are kept apart, and used only
by proctor run --affected with the same arguments.

An index is not a run: nothing counts as passed or failed. Tests that end differently
alone than among the others of their suite are named: they depend on others.

Exit codes: 0 complete · 1 something did not build · 2 usage · 3 the index could not be
made · 4 nothing to index · 6 not everything was measured · 130 interrupted`,
		Example: `  proctor index
  proctor index ./parser/... --budget 2m
  proctor index --force --json | jq .findings
  proctor index --match-contract '^TokenTest$'
  proctor index -- -tags integration`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			var named []string
			named, req.RunnerArgs = splitAtDash(cmd, args)
			req.Packages = append(req.Packages, named...)
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return makeIndex(cmd.Context(), a, h, out, req)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "the Index object")
	return cmd
}

func makeIndex(ctx context.Context, a *app, h *ledger.Keeper, out *output, req api.IndexRequest) error {
	view := newView(a, out)
	view.failures = false // what fails in an index proves nothing
	ix, err := covering.Index(ctx, h, req, view)
	view.close()
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

// showIndexing says what is about to be measured.
func (v *view) showIndexing(ix api.Index) {
	if v.app.quiet {
		return
	}
	awaited := 0
	for _, s := range ix.Suites {
		if s.State == "" {
			awaited++
		}
	}
	v.line(fmt.Sprintf("proctor: %s in %s: %d of %d suites have to be measured, in at most %gs", prose.Line(ix.Language), prose.Line(ix.Workspace), awaited, len(ix.Suites), ix.BudgetS))
	if v.status != nil {
		v.status.awaits(indexing{suites: awaited, budget: ix.BudgetS})
		v.status.start()
	}
}
