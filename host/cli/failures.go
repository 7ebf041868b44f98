package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/install/source"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/portable"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

func newFailuresCommand(a *app) *cobra.Command {
	var req api.FailuresRequest
	var out *output
	cmd := &cobra.Command{
		Use:   "failures",
		Short: "Show what failed in the last run",
		Long: `Show what failed in the last run, each failure with its location and message. Nothing is
run. The last run is that of the workspace, whoever made it; with PROCTOR_SESSION set, or
in a CI job, it is that of the session. With --from, show the runs of a report or an
archive; nothing of them is put on record here.`,
		Example: `  proctor failures
  proctor failures --limit 5 --json
  proctor failures --from ci.json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			from, done, err := a.openFrom(cmd.Context(), req.From)
			if err != nil {
				return err
			}
			defer done()
			requests, err := from.requests(cmd.Context(), req.LastRun)
			if err != nil {
				return err
			}
			for _, each := range requests {
				if err := printFailures(cmd.Context(), a, from, out, each, req.Limit); err != nil {
					return err
				}
			}
			return nil
		},
	}
	bindSession(a, cmd)
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, "the Run object")
	return cmd
}

// printEnding shows a recorded run as it ended.
func printEnding(ctx context.Context, a *app, h *ledger.Keeper, out *output, run api.Run, age time.Duration, named bool, from string) {
	style := a.style()
	style.Named, style.From, style.Excerpts = named, from, query.Excerpts(ctx, h, run)
	out.asides.Record(run)
	fmt.Fprintf(a.env.Stdout, "run %s (%s), %s ago\n\n", run.RunID, prose.Line(run.Language), prose.Duration(age))
	fmt.Fprint(a.env.Stdout, render.Ending(run, &out.asides, style))
}

func printFailures(ctx context.Context, a *app, from *askedRecord, out *output, req api.LastRun, limit int) error {
	run, age, err := query.Failures(ctx, from.Keeper, req, limit)
	if a.noRun(err, out) {
		return nil
	}
	if err != nil {
		return err
	}
	if out.isJSON() {
		return a.printJSON(run)
	}
	printEnding(ctx, a, from.Keeper, out, run, age, req.Ref != "", from.path)
	if run.Running != "" {
		fmt.Fprintf(a.env.Stdout, "(run %s is in progress)\n", run.Running)
	}
	return nil
}

// askedRecord is the record that a question is put to: that of the workspace, or of --from.
type askedRecord struct {
	*ledger.Keeper
	where api.Where
	// path is as the user gave it; empty for the workspace.
	path string
	// elsewhere is the record of --from; nil for the workspace.
	elsewhere *portable.Record
	// whole says where all of an output is that goes on.
	whole string
}

// openFrom opens the record that a question is put to. The returned function closes it.
func (a *app) openFrom(ctx context.Context, from string) (*askedRecord, func(), error) {
	h, done, err := a.host(ctx)
	if err != nil || from == "" {
		return &askedRecord{Keeper: h, where: a.where(), whole: "the record in .proctor has more"}, done, err
	}
	path, name, remove, err := a.fetchFrom(ctx, from)
	if err != nil {
		done()
		return nil, nil, err
	}
	r, err := portable.OpenRecord(ctx, h, a.where(), path, name)
	remove()
	if err != nil {
		done()
		return nil, nil, err
	}
	return &askedRecord{Keeper: r.Keeper, where: r.Where, path: from, elsewhere: r, whole: prose.Line(r.Name) + " has more"}, func() {
		if err := r.Close(ctx); err != nil {
			a.hint("what was read of %s could not be removed: %v", r.Name, err)
		}
		done()
	}, nil
}

// requests asks about the last run of each language, or the one that is named.
func (f *askedRecord) requests(ctx context.Context, req api.LastRun) ([]api.LastRun, error) {
	if f.elsewhere != nil {
		return f.elsewhere.Requests(req)
	}
	req.Where = f.where
	return ledger.SplitByLanguage(ctx, f.Keeper, req)
}

// fetchFrom returns the path of what --from names, and how it is called; empty is as the
// path. What is at an address is downloaded first: remove ends that.
func (a *app) fetchFrom(ctx context.Context, from string) (path, name string, remove func(), err error) {
	if !source.IsAddress(from) {
		return from, "", func() {}, nil
	}
	dir, err := os.MkdirTemp("", "proctor-download-*")
	if err != nil {
		return "", "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "report")
	if name, err = source.Download(ctx, a.env.Environ, from, path); err != nil {
		remove()
		return "", "", nil, err
	}
	return path, name, remove, nil
}
