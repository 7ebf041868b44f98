package cli

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/merge"
	"github.com/proctorhq/proctor/host/query"
)

// newMergeCommand puts the reports of shards together.
func newMergeCommand(a *app) *cobra.Command {
	var req api.MergeRequest
	var out *output
	var then after
	cmd := &cobra.Command{
		Use:   "merge [flags] FILE|DIR...",
		Short: "Put the shards of a run together",
		Long: `Put together what proctor run --shard --report json=FILE reported on each machine, and
record it as a run of the workspace. It is a pass only if every shard is there once, all
were cut by one plan from one state of the sources in one setting, and every suite of the
plan has its end exactly once. Anything else is incomplete, and what is missing is named.

A repeated job replaces its first attempt only with a larger --attempt. What failed there
and passes now is flaky: the run has failed, unless run.flaky in .proctor.toml says
otherwise.

If the sources here are those of the shards, the merge counts like a run of them here:
what failed is outstanding. Otherwise it is only on record.`,
		Example: `  proctor run --shard 2/5 --report json=shards/2.json      on each machine
  proctor merge shards --expect 5
  proctor merge shards --expect 5 --junit report.xml
  proctor failures`,
		Args: func(_ *cobra.Command, args []string) error {
			out.reports.Reads = args
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if out.format == rawForm {
				return &flags.Error{Err: errors.New("--raw cannot be combined with merge: the output is on the machines of the shards")}
			}
			req.Where, req.Paths = a.where(), args
			if len(args) == 0 {
				return usageErrorf(cmd, "name the reports of the shards, or their directory: %s", usageLine(cmd))
			}
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			root, _ := k.LikelyRoot(cmd.Context(), a.where())
			if err := then.takeDefaults(cmd.Context(), a, k, out, root); err != nil {
				return err
			}
			runs, err := merge.Merge(cmd.Context(), k, req, &out.reports.Collector)
			if len(runs) > 0 {
				a.code = runsExit(runs)
			}
			return out.finish(cmd.Context(), a, k, &then, runs, err)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	out.reports.Bind(cmd)
	then.bind(cmd)
	return cmd
}

// newTimingsCommand prints how long tests took.
func newTimingsCommand(a *app) *cobra.Command {
	var req api.TimingsRequest
	cmd := &cobra.Command{
		Use:   "timings",
		Short: "Print how long tests took, for proctor run --shard",
		Long: `Print how long each test took, the mean of its passes in the latest runs on record, as a
file for proctor run --shard --timings. Every shard must have the same file: commit it, or
restore it from a cache by a key that all of them share.`,
		Example: `  proctor timings > .proctor-timings.json
  proctor run --shard 2/5 --timings .proctor-timings.json`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where = a.where()
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			timings, err := query.Timings(cmd.Context(), k, req)
			if err != nil {
				return err
			}
			// Indented: a committed file is read as a diff.
			enc := json.NewEncoder(a.env.Stdout)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", " ")
			return enc.Encode(timings)
		},
	}
	flags.Bind(cmd, req.Params())
	return cmd
}
