package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/watch"
	"github.com/proctorhq/proctor/host/watch/screen"
)

func newWatchCommand(a *app) *cobra.Command {
	var req api.RunRequest
	var poll bool
	var then after
	cmd := &cobra.Command{
		Use:   "watch [flags] [PACKAGE]... [-- RUNNER ARGS]",
		Short: "Run tests again whenever the sources change",
		Long: `Run tests again whenever the sources change: first what is outstanding, then what the
change can break. A new edit stops the run that it made stale. It begins with what is
outstanding or was changed since the last run, and runs everything if nothing is on
record. Files that git ignores are not watched. At a terminal, ? shows the keys; q quits
with exit code 0, Ctrl-C with 130.`,
		Example: `  proctor watch
  proctor watch -race ./parser/...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Where, req.DefaultTimeout = a.where(), !cmd.Flags().Changed("timeout")
			before, behind := splitAtDash(cmd, args)
			packages, err := packagesNamed(cmd, a.where().Dir, before)
			if err != nil {
				return err
			}
			req.Packages, req.RunnerArgs = append(req.Packages, packages...), behind
			k, done, err := a.keeper(cmd.Context())
			if err != nil {
				return err
			}
			defer done()
			w, end, err := watch.Open(cmd.Context(), k, req, poll)
			if err != nil {
				return err
			}
			defer end()
			root, _ := k.LikelyRoot(cmd.Context(), a.where())
			if err := then.takeDefaults(cmd.Context(), a, k, nil, root); err != nil {
				return err
			}
			w.Runner = followed{w.Runner, func(ctx context.Context, runs []api.Run) { then.execute(ctx, a, runs) }}
			interrupted, err := screen.Run(cmd.Context(), w, screen.Config{
				Stdin: a.env.Stdin, Stdout: a.env.Stdout, Stderr: &a.env.Stderr, Color: a.colored(a.env.Stdout),
				Live: isTerminal(a.env.Stdout) && a.env.get("TERM") != "dumb", Selects: req.Narrows(),
			})
			if interrupted {
				a.code = exitInterrupted
			}
			return err
		},
	}
	flags.Bind(cmd, req.Params(), "package", "filter", "match-path", "match-contract", "lang", "evm-version", "seed", "retries", "retry-limit", "timeout")
	then.bind(cmd)
	cmd.Flags().BoolVar(&poll, "poll", false, "look for changes every second instead of waiting for file system events")
	return cmd
}

// followed is a runner of rounds that executes then at the end of each.
type followed struct {
	watch.Runner
	then func(context.Context, []api.Run)
}

func (f followed) Run(ctx context.Context, round watch.Round, l api.Listener) watch.Result {
	result := f.Runner.Run(ctx, round, l)
	f.then(ctx, result.Runs)
	return result
}
