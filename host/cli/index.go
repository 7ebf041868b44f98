package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/covering"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
)

func newIndexCommand(a *app) *cobra.Command {
	var req api.IndexRequest
	var asJSON bool
	budget, suiteBudget := seconds(api.DefaultIndexBudget), seconds(api.DefaultSuiteBudget)
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
			req.Budget, req.SuiteBudget = time.Duration(budget), time.Duration(suiteBudget)
			if note := clampNote("budget", budget, api.MaxIndexBudget); note != "" {
				a.hint("%s", note)
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			return a.index(cmd.Context(), h, req, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.Var(&budget, "budget", fmt.Sprintf("stop after this time, up to %g, and 0 is the default", api.MaxIndexBudget.Seconds()))
	flags.Var(&suiteBudget, "suite-budget", "the time that the tests of one suite may take longer one by one than together; what takes more is known as a whole")
	flags.StringArrayVarP(&req.Packages, "package", "p", nil, "the same as PKG, as for proctor run (`SUITE`, repeatable)")
	flags.StringVar(&req.MatchPath, "match-path", "", "Foundry: only the tests in files whose path matches this `GLOB`")
	flags.StringVar(&req.MatchContract, "match-contract", "", "Foundry: only the tests in contracts whose name matches this `REGEX`")
	flags.BoolVar(&req.Force, "force", false, "measure also what did not change")
	flags.StringVar(&req.Language, "lang", "", "the tests of this `LANG`, where there are several")
	flags.BoolVar(&asJSON, "json", false, "print what became of it as an object")
	return cmd
}

func (a *app) index(ctx context.Context, h *ledger.Keeper, req api.IndexRequest, asJSON bool) error {
	view := a.newView(output{format: "text"})
	view.failures = false // what fails in an index proves nothing
	ix, err := covering.Index(ctx, h, req, view)
	view.close()
	var several *api.LanguagesError
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && ix.Schema != "":
		// It was not even found out which suites there are.
		ix.Message = "the time was over before it was known what there is to measure: give more with --budget"
		ix.Warnings = append(ix.Warnings, api.Note{Code: api.NotePartly, Text: ix.Message})
	case errors.As(err, &several):
		return &flagError{fmt.Errorf("%w with --lang", err)}
	case err != nil:
		return err
	}
	if a.code = indexExit(ix); ctx.Err() != nil {
		a.code = exitInterrupted
	}
	return a.printAnswer(asJSON, ix, render.Index(ix, a.style()))
}

// indexExit is the exit code for an index.
func indexExit(ix api.Index) int {
	switch {
	case ix.RunError != "":
		return exitTool
	case len(ix.Failures) > 0:
		return exitFailed
	case !ix.Complete:
		return exitIncomplete // also where it is not known which suites there are
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
