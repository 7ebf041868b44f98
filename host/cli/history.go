package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newHistoryCommand(a *app) *cobra.Command {
	var req api.HistoryRequest
	var out *output
	var gas bool
	var export string
	cmd := &cobra.Command{
		Use:   "history [TEST|FILE]",
		Short: "Show the recorded results of tests",
		Long: `Show the recorded results of tests. Without TEST or FILE, list the notable tests, worst
first. With a test, show its results run by run, newest first; with a file, how it stood
at the end of sessions, and its tests. Names may be shortened to a unique suffix.

A pattern such as PPFPF has a letter for each of the latest runs, oldest first: P passed,
F failed, S skipped, U did not finish, N never started, C passed from the cache.`,
		Example: `  proctor history
  proctor history TestParse/empty_input
  proctor history parser/parse_test.go
  proctor history --flaky --json
  proctor history --slow --limit 10
  proctor history --failure-rate
  proctor history --export history.json`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where = a.where()
			if len(args) == 1 {
				req.Name = args[0]
			}
			if gas {
				req.Measures = gasMeasures()
			}
			exports := cmd.Flags().Changed("export")
			if err := checkHistory(cmd, exports, args); err != nil {
				return err
			}
			if exports {
				return exportHistory(cmd.Context(), a, export)
			}
			return ask(cmd.Context(), a, out, query.History, req, func(h api.History, style render.Style) string {
				return a.printable(render.History(h, style))
			})
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the History object")
	cmd.AddCommand(newDeferCommand(a))
	cmd.Flags().BoolVar(&gas, "gas", false, "show the gas that tests used, run by run")
	cmd.Flags().StringVar(&export, "export", "", "write how files stood at the end of sessions to `FILE` as JSON; - is standard output")
	return cmd
}

// checkHistory refuses what an export does not support.
func checkHistory(cmd *cobra.Command, exports bool, args []string) error {
	if !exports {
		return nil
	}
	if len(args) > 0 {
		return &flags.Error{Err: errors.New("--export writes the whole history; leave out " + prose.Line(args[0]))}
	}
	for _, other := range []string{"classification", "recurring", "flaky", "slow", "failure-rate", "gas", "limit", "lang", "json"} {
		if cmd.Flags().Changed(other) {
			return &flags.Error{Err: fmt.Errorf("--export writes the whole history; leave out --%s", other)}
		}
	}
	return nil
}

// exportHistory writes the history to a file, or to standard output for "-".
func exportHistory(ctx context.Context, a *app, path string) error {
	k, done, err := a.keeper(ctx)
	if err != nil {
		return err
	}
	defer done()
	if path != "-" {
		n, err := query.ExportHistory(ctx, k, a.where(), path)
		if err == nil {
			fmt.Fprintf(a.env.Stdout, "entries written to %s: %d\n", prose.Line(path), n)
		}
		return err
	}
	entries, err := query.Entries(ctx, k, a.where())
	if err != nil {
		return err
	}
	return a.printJSON(entries)
}

func newWhyCommand(a *app) *cobra.Command {
	var req api.WhyRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "why TEST",
		Short: "Show when a test last passed, and what changed since",
		Long: `Show when a test last passed, on which source state, in which run it first failed after
that, and which files changed in between and since, likeliest cause first. TEST is a test
as shown in reports, or a unique suffix of one.`,
		Example: `  proctor why TestParse/empty_input
  proctor why TestParse --json
  proctor why TestParse --from ci.json`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			from, done, err := a.openFrom(cmd.Context(), req.From)
			if err != nil {
				return err
			}
			defer done()
			req.Where, req.Test = from.where, args[0]
			return askOf(cmd.Context(), a, from.Keeper, out, query.Why, req, render.Why)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Why object")
	return cmd
}
