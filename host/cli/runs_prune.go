package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
)

func (a *app) runsPruneCommand() *cobra.Command {
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
func (s *byteSize) Type() string   { return "SIZE" }

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
