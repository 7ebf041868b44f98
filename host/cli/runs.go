package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

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
		Args: takes(0, 0),
		RunE: list.RunE,
	}
	cmd.Flags().AddFlagSet(list.Flags())
	cmd.AddCommand(list, newRunsShowCommand(a), newRunsPruneCommand(a), newRunsExportCommand(a), newRunsImportCommand(a))
	return cmd
}

func newRunsListCommand(a *app) *cobra.Command {
	var req api.RunsRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the runs on record, the newest first",
		Example: `  proctor runs list --limit 50
  proctor runs list --session this --lang go --json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			list, err := query.Runs(cmd.Context(), h, req)
			if a.noRun(err, asJSON) {
				return nil
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(list)
			}
			fmt.Fprint(a.env.Stdout, render.Runs(list, a.style()))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&req.Limit, "limit", api.DefaultRunsLimit, fmt.Sprintf("show at most `N`, up to %d", api.MaxRunsLimit))
	flags.StringVar(&req.Session, "session", "", "only the runs of the session `ID`; "+api.ThisSession+" is this one (default: all sessions)")
	flags.StringVar(&req.Language, "lang", "", "only the runs of this `LANG`")
	flags.BoolVar(&asJSON, "json", false, "print the list as an object")
	return cmd
}

// newRunsShowCommand is proctor show for a run that is named. A beginning that
// several runs share is answered with their names.
func newRunsShowCommand(a *app) *cobra.Command {
	cmd := newShowCommand(a)
	cmd.Use, cmd.Args = "show RUN", takes(1, 1)
	cmd.Long = `Show a run with every test's result, as proctor show does. RUN is a run id or the
unique beginning of one, last, or prev.`
	cmd.Example = `  proctor runs show k3f9
  proctor runs show prev --json`
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := a.runID(cmd.Context(), args[0])
		if a.noRun(err, false) {
			return nil
		}
		if err != nil {
			return err
		}
		return show(cmd, []string{id})
	}
	return cmd
}

func (a *app) runID(ctx context.Context, ref string) (string, error) {
	h, done, err := a.host(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return h.RunID(ctx, a.where(), ref)
}

func newRunsPruneCommand(a *app) *cobra.Command {
	var req api.PruneRequest
	var days int
	var asJSON bool
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
			for _, limit := range []struct {
				name  string
				given int64
			}{{"runs", int64(req.Runs)}, {"days", int64(days)}, {"size", req.Bytes}} {
				if cmd.Flags().Changed(limit.name) && limit.given < 1 {
					return &flagError{fmt.Errorf("--%s: give at least 1", limit.name)}
				}
			}
			if days > maxDays {
				return &flagError{fmt.Errorf("--days: give at most %d", maxDays)}
			}
			req.Age = time.Duration(days) * 24 * time.Hour
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			line := pruneLine{w: a.env.Stderr}
			if a.live() {
				req.Progress = line.show
			}
			pruned, err := h.PruneRuns(cmd.Context(), req)
			line.erase()
			if a.noRun(err, asJSON) {
				return nil
			}
			if err != nil && !pruned.Interrupted {
				return err
			}
			if asJSON {
				return errors.Join(a.printJSON(pruned), err)
			}
			fmt.Fprint(a.env.Stdout, render.Pruned(pruned))
			return err
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&req.Runs, "runs", 0, "keep at most `N` runs")
	flags.IntVar(&days, "days", 0, "keep no run that is older than `N` days")
	flags.Var((*byteSize)(&req.Bytes), "size", "keep the record below `SIZE`, such as 500MB")
	flags.BoolVar(&req.DryRun, "dry-run", false, "only say what would go")
	flags.BoolVar(&asJSON, "json", false, "print what went as an object")
	return cmd
}

// pruneLine is the line of a terminal that says how far a removal is.
type pruneLine struct {
	w  io.Writer
	at time.Time // when it was drawn last; zero is never
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

// maxDays is a hundred years.
const maxDays = 36_500

// byteSize is a flag that takes a number of bytes, or one with a unit.
type byteSize int64

func (s *byteSize) String() string { return "" }

func (s *byteSize) Type() string { return "SIZE" }

func (s *byteSize) Set(text string) error {
	digits := strings.TrimRight(text, "BGKMi")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	unit, known := map[string]int64{
		"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	}[text[len(digits):]]
	if err != nil || !known || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is no size: give a number of bytes, or one with KB, MB, GB, KiB, MiB or GiB", text)
	}
	*s = byteSize(n * unit)
	return nil
}

func newRunsExportCommand(a *app) *cobra.Command {
	var req api.ExportRequest
	var asJSON bool
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
			if a.noRun(err, asJSON) {
				a.code = exitUsage // nothing was written
				return nil
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(sent)
			}
			fmt.Fprint(a.env.Stdout, render.Exported(sent))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&req.File, "output", "o", "", "the archive `FILE` (default: proctor-RUN.tar.gz in the current directory)")
	flags.BoolVar(&req.Force, "force", false, "replace a file that is there")
	flags.BoolVar(&asJSON, "json", false, "print what was written as an object")
	return cmd
}

func newRunsImportCommand(a *app) *cobra.Command {
	var req api.ImportRequest
	var asJSON bool
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
			h, done, err := a.host(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			taken, err := transfer.ImportRuns(cmd.Context(), h, req)
			var refused *api.ArchiveError
			if errors.As(err, &refused) {
				return &flagError{err}
			}
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(taken)
			}
			fmt.Fprint(a.env.Stdout, render.Imported(taken))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was taken as an object")
	return cmd
}
