package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/transfer"
)

func newRunsCommand(a *app) *cobra.Command {
	list := newRunsListCommand(a)
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs on record; show, prune, export or import them",
		Long: `List the runs on record, newest first: of every session, including runs in progress and
killed ones. A run is named by its id or any unique prefix; last and prev are the newest
finished runs.`,
		Example: `  proctor runs                    the newest runs
  proctor runs --session this     only those of this session
  proctor runs show k3f9          one of them, with every test
  proctor runs prune --dry-run    what the limits would remove
  proctor runs export last        an archive for someone else
  proctor runs import FILE        someone else's archive`,
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
		Short: "List the runs on record, newest first",
		Example: `  proctor runs list --limit 50
  proctor runs list --session this --lang go --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			return ask(cmd.Context(), a, out, query.Runs, req, func(list api.Runs, style render.Style) string {
				if len(list.Runs) == 0 && req.Session == "" && req.Language == "" {
					return noRunYet + "\n"
				}
				return render.Runs(list, style)
			})
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the list as an object")
	return cmd
}

func newRunsPruneCommand(a *app) *cobra.Command {
	var req api.PruneRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove old runs now",
		Long: `Remove runs beyond the limits with everything kept of them, oldest first. By default the
limits are those of .proctor.toml, which runs also apply by themselves. Runs in progress,
and each recent session's last run of each language, are kept.

Other processes can read and record meanwhile. If it is interrupted, removed runs are gone
as a whole and the others are unchanged.`,
		Example: `  proctor runs prune --dry-run
  proctor runs prune --runs 100 --size 500MB`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			line := pruneLine{w: a.env.Stderr}
			if a.live() {
				req.Progress = line.show
			}
			pruned, err := ledger.PruneRuns(cmd.Context(), k, req)
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
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "what was removed as an object")
	return cmd
}

// redrawPrune is the least time between two updates of a removal's progress.
const redrawPrune = 200 * time.Millisecond

// pruneLine is a line on a terminal with the progress of a removal.
type pruneLine struct {
	w  io.Writer
	at time.Time // when it was last drawn; zero means never
}

func (l *pruneLine) show(p api.Pruning) {
	if now := time.Now(); now.Sub(l.at) >= redrawPrune {
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
		Short: "Export runs to an archive",
		Long: `Write runs to an archive: their objects, every result and failure, the recorded output,
and the list of source files (not their contents). proctor runs import adds it to the
record of another workspace.`,
		Example: `  proctor runs export last
  proctor runs export k3f9 prev -o before-and-after.tar.gz`,
		Args: takes(1, many),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.Refs = a.where(), args
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			sent, err := transfer.ExportRuns(cmd.Context(), k, req)
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
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "what was written as an object")
	return cmd
}

func newRunsImportCommand(a *app) *cobra.Command {
	var req api.ImportRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import the runs of an archive",
		Long: `Add the runs of an archive to the record of this workspace. They are never the last run,
and make nothing outstanding; proctor runs, output, diff and why include them. A damaged
or inconsistent archive is rejected as a whole.`,
		Example: `  proctor runs import proctor-k3f9x2m7qa.tar.gz
  proctor diff k3f9 last`,
		Args: takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.File = a.where(), args[0]
			err := askPlainly(cmd.Context(), a, out, transfer.ImportRuns, req, render.Imported)
			if _, ok := errors.AsType[*api.ArchiveError](err); ok {
				return &flags.Error{Err: err}
			}
			return err
		},
	}
	out = newOutput(cmd, "what was imported as an object")
	return cmd
}

func newDiffCommand(a *app) *cobra.Command {
	var req api.DiffRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "diff [RUN] [RUN]",
		Short: "Compare the tests of two runs",
		Long: `Compare the tests of two runs: new failures, fixed, still failing, vanished, newly
skipped, new tests, slower, and measures that grew. The runs are the last two, the
named one and the last, or the two named: run ids or prefixes of them, last, or prev.

What a run did not run is never called vanished. A test is slower if it takes 50 ms and
the threshold longer, both than in the run before and than the mean of its latest passes.`,
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
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the comparison as an object")
	return cmd
}
