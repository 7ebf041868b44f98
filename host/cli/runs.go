package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/proctorhq/proctor/host/ledger"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/transfer"
)

func newRunsCommand(a *app) *cobra.Command {
	list := newRunsListCommand(a)
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs on record; show, prune, export or import them",
		Long: `List the runs on record, the newest first: those of every session, those that go
on, and those that were killed. A run is named by its id or any unique beginning
of it; last and prev are the newest finished runs of this session.`,
		Example: `  proctor runs                    the newest runs
  proctor runs --session this     only those of this session
  proctor runs show k3f9          one of them, with every test
  proctor runs prune --dry-run    what the limits would remove
  proctor runs export last        an archive for somebody else
  proctor runs import FILE        somebody else's archive`,
		Args:    takes(0, 0),
		PreRunE: list.PreRunE,
		RunE:    list.RunE,
	}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(list, newRunsShowCommand(a), newRunsPruneCommand(a), newRunsExportCommand(a), newRunsImportCommand(a))
	return cmd
}

func newRunsListCommand(a *app) *cobra.Command {
	var req api.RunsRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs on record, the newest first",
		Example: `  proctor runs list --limit 50
  proctor runs list --session this --lang go --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			return ask(cmd.Context(), a, out, query.Runs, req, render.Runs)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "the list as an object")
	return cmd
}

// newRunsShowCommand is proctor show for a named run. An ambiguous prefix is answered
// with the runs' names.
func newRunsShowCommand(a *app) *cobra.Command {
	cmd := newShowCommand(a)
	cmd.Use, cmd.Args = "show RUN", takes(1, 1)
	cmd.Long = `Show a run with every test's result, as proctor show does. RUN is a run id or the
unique beginning of one, last, or prev.`
	cmd.Example = `  proctor runs show k3f9
  proctor runs show prev --json`
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := runID(cmd.Context(), a, args[0])
		if a.noRun(err, &output{}) {
			return nil
		}
		if err != nil {
			return err
		}
		return show(cmd, []string{id})
	}
	return cmd
}

func runID(ctx context.Context, a *app, ref string) (string, error) {
	h, done, err := a.host(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return ledger.FindRunID(ctx, h, a.where(), ref)
}

func newRunsPruneCommand(a *app) *cobra.Command {
	var req api.PruneRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs now",
		Long: `Remove runs beyond the limits, the oldest first, with everything that is kept of
them. Without flags the limits are those of .proctor.toml, which runs apply by
themselves. Runs that go on stay, and so does the last run of each language of
each session.

Others read and record meanwhile. It can be interrupted: runs that went are gone
as a whole, and the others are as they were.`,
		Example: `  proctor runs prune --dry-run
  proctor runs prune --runs 100 --size 500MB`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			line := pruneLine{w: a.env.Stderr}
			if a.live() {
				req.Progress = line.show
			}
			pruned, err := ledger.PruneRuns(cmd.Context(), h, req)
			line.erase()
			if a.noRun(err, out) {
				return nil
			}
			if err != nil && !pruned.Interrupted {
				return err
			}
			return errors.Join(print(a, out, pruned, plainly(render.Pruned)), err)
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "what went as an object")
	return cmd
}

// pruneLine is a line on a terminal with the progress of a removal.
type pruneLine struct {
	w  io.Writer
	at time.Time // when it was last drawn; zero means never
}

func (l *pruneLine) show(p api.Pruning) {
	if now := time.Now(); now.Sub(l.at) >= progressInterval {
		l.at = now
		fmt.Fprintf(l.w, "\r\x1b[K%d of %d runs removed, %.0f %% of their space", p.Runs, p.RunsTotal, 100*p.Cleared)
	}
}

func (l *pruneLine) erase() {
	if !l.at.IsZero() {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}

func newRunsExportCommand(a *app) *cobra.Command {
	var req api.ExportRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "export RUN...",
		Short: "Write runs into an archive",
		Long: `Write runs into an archive: their objects, every result and failure, the recorded
output, and which files the sources consisted of (not their contents). Another
workspace takes it with proctor runs import.`,
		Example: `  proctor runs export last
  proctor runs export k3f9 prev -o before-and-after.tar.gz`,
		Args: takes(1, many),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Refs = a.where(), args
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			sent, err := transfer.ExportRuns(cmd.Context(), h, req)
			if a.noRun(err, out) {
				a.code = exitUsage // nothing was written
				return nil
			}
			if err != nil {
				return err
			}
			return print(a, out, sent, plainly(render.Exported))
		},
	}
	bind(cmd, req.Params())
	out = newOutput(cmd, "what was written as an object")
	return cmd
}

func newRunsImportCommand(a *app) *cobra.Command {
	var req api.ImportRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take the runs of an archive onto the record",
		Long: `Take the runs of an archive onto the record of this workspace. They are no last
run of any session, and nothing is outstanding because of them; proctor runs,
show, output, diff and why know them. Nothing is taken of an archive that is
damaged or says what cannot be.`,
		Example: `  proctor runs import proctor-k3f9x2m7qa.tar.gz
  proctor diff k3f9 last`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.File = a.where(), args[0]
			err := ask(cmd.Context(), a, out, transfer.ImportRuns, req, plainly(render.Imported))
			var refused *api.ArchiveError
			if errors.As(err, &refused) {
				return &flagError{err}
			}
			return err
		},
	}
	out = newOutput(cmd, "what was taken as an object")
	return cmd
}

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
