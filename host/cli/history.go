package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

// historyFlags are the flags of proctor history that are no part of its request.
type historyFlags struct {
	classification string
	gas, asJSON    bool
	export         string
}

func newHistoryCommand(a *app) *cobra.Command {
	var req api.HistoryRequest
	var given historyFlags
	cmd := &cobra.Command{
		Use:   "history [TEST|FILE]",
		Short: "Show what is on record of the tests",
		Long: `Show what is on record of the tests. Without TEST or FILE: those worth knowing
of, the worst first. With a test, its results run by run, the newest first; with a
file, how it stood at the end of sessions, and its tests. Names may be shortened
to their unique end.

A pattern such as PPFPF has a letter for each of the latest runs, the oldest
first: P passed, F failed, S skipped, U did not finish, N never started.`,
		Example: `  proctor history
  proctor history TestParse/empty_input
  proctor history parser/parse_test.go
  proctor history --flaky --json
  proctor history --slow --limit 10
  proctor history --export history.json`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Classification = a.where(), api.Classification(given.classification)
			if len(args) == 1 {
				req.Name = args[0]
			}
			if given.gas {
				req.Measures = gasMeasures()
			}
			exports := cmd.Flags().Changed("export")
			if err := checkHistory(cmd, exports, args); err != nil {
				return err
			}
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			if exports {
				return a.exportHistory(cmd.Context(), h, given.export)
			}
			return a.printHistory(cmd.Context(), h, req, given.asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&given.classification, "classification", "", "only tests of `C`: gap, passed, fixed, regression, failing or flaky")
	flags.BoolVar(&req.Recurring, "recurring", false, "only tests that failed in three or more sessions and have not recovered")
	flags.BoolVar(&req.Flaky, "flaky", false, "only tests that passed and failed on the same sources")
	flags.BoolVar(&req.Slow, "slow", false, "the slowest tests instead")
	flags.BoolVar(&given.gas, "gas", false, "the gas that tests used instead, run by run")
	flags.IntVar(&req.Limit, "limit", api.DefaultHistoryLimit, fmt.Sprintf("show at most `N`, up to %d", api.MaxHistoryLimit))
	flags.StringVar(&req.Language, "lang", "", "only tests of this `LANG`")
	flags.BoolVar(&given.asJSON, "json", false, "print the History object")
	flags.StringVar(&given.export, "export", "", "write how files stood at the end of sessions to `FILE`, as JSON; - is standard output")
	_ = cmd.RegisterFlagCompletionFunc("classification", cobra.FixedCompletions(
		[]string{"gap", "passed", "fixed", "regression", "failing", "flaky"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkHistory refuses what an export does not take.
func checkHistory(cmd *cobra.Command, exports bool, args []string) error {
	if !exports {
		return nil
	}
	if len(args) > 0 {
		return &flagError{errors.New("--export writes the whole history; leave out " + prose.Line(args[0]))}
	}
	for _, other := range []string{"classification", "recurring", "flaky", "slow", "gas", "limit", "lang", "json"} {
		if cmd.Flags().Changed(other) {
			return &flagError{fmt.Errorf("--export writes the whole history; leave out --%s", other)}
		}
	}
	return nil
}

func (a *app) printHistory(ctx context.Context, h *ledger.Keeper, req api.HistoryRequest, asJSON bool) error {
	answer, err := query.History(ctx, h, req)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(answer)
	}
	a.printText(render.History(answer, a.style()))
	return nil
}

// exportHistory writes the history where the user wants it.
func (a *app) exportHistory(ctx context.Context, h *ledger.Keeper, path string) error {
	if path != "-" {
		n, err := query.ExportHistory(ctx, h, a.where(), path)
		if err == nil {
			fmt.Fprintf(a.env.Stdout, "entries written to %s: %d\n", prose.Line(path), n)
		}
		return err
	}
	entries, err := query.Entries(ctx, h, a.where())
	if err != nil {
		return err
	}
	return a.printJSON(entries)
}
