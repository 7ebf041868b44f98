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
		Short: "Find out which lines each test executes",
		Long: `Find out which lines each test executes, by running each of them alone, and keep
it in .proctor: proctor covering and proctor run --affected answer by it. PKG are
suites or patterns of them, as the language names them; without any all are meant.

Only suites are run whose tests, or what they are built from or read, changed since
they were indexed. Where the time is over, what is indexed by then stays, and the
next proctor index goes on there. A suite of which the tests cannot be told apart in
the time that it may take is known as a whole, and it says why.

With RUNNER ARGS tests are built otherwise. What is measured of them is kept apart,
and only proctor run --affected with the same arguments goes by it.

It is no run: nothing of it counts as passed or failed. A test that ends otherwise
alone than together with the others of its suite is named: it depends on them.

Exit codes: 0 complete · 1 something did not build · 2 usage · 3 it could not be
made · 4 there is nothing to index · 6 not everything was measured · 130 interrupted`,
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
	out = newOutput(cmd, "what became of it as an object")
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
