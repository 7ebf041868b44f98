package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/postrun"
	"github.com/proctorhq/proctor/host/prose"
)

// after has the workspace's defaults for runs, and executes the command that the user
// wants after each run.
type after struct {
	command string
	flag    *pflag.Flag
	// settings are the defaults of the workspace.
	settings config.Run
}

// bind declares the flag.
func (f *after) bind(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.command, "post-run-command", "", "execute `COMMAND` after each run, with PROCTOR_VERDICT, PROCTOR_FAILED and others in its environment; if it fails, so does a run that passed (exit code 3)")
	f.flag = set.Lookup("post-run-command")
}

// takeDefaults takes from the workspace's and the user's files how runs are shown and what
// follows them, unless flags or the environment say it. root is that of the workspace, as
// far as it is known.
func (f *after) takeDefaults(ctx context.Context, a *app, k *ledger.Keeper, out *output, root string) error {
	if f.command != "" {
		if err := (postrun.Command{Line: f.command, Dir: ".", Env: a.env.Environ}).Check(); err != nil {
			return &flags.Error{Err: err}
		}
	}
	if root == "" {
		return nil // the command reports it
	}
	k.OpenAhead(ctx, root)
	settings, err := k.Settings(root)
	if err != nil {
		return err
	}
	f.settings = settings.Run
	if out == nil {
		return nil
	}
	if !out.chosen {
		out.format = cmp.Or(f.options(api.Run{}).Format, out.format)
	}
	out.asides.Slow = func(run api.Run) *time.Duration { return f.options(run).Slow }
	return nil
}

// options returns the defaults for the language of a run.
func (f *after) options(run api.Run) config.Options {
	return f.settings.Options(func(name string) bool {
		return strings.EqualFold(name, run.Language) || strings.EqualFold(name, run.Plugin.Name)
	})
}

// follow executes the user's command after each run. If that fails, proctor does not exit
// with 0: something that was asked for was not done.
func (f *after) follow(ctx context.Context, a *app, runs []api.Run) {
	if code := f.execute(ctx, a, runs); a.code == exitPassed {
		a.code = code
	}
}

// execute executes the command after each run, unless ctx has ended, and returns the exit
// code for that.
func (f *after) execute(ctx context.Context, a *app, runs []api.Run) (code int) {
	for _, run := range runs {
		// Standard output has the answer, which may be an object.
		c := postrun.Command{Line: f.command, Dir: ".", Env: a.env.Environ, Output: a.env.Stderr}
		if !f.flag.Changed {
			c.Line, c.Dir = f.options(run).PostRunCommand, ""
		}
		if c.Line == "" || ctx.Err() != nil {
			return code
		}
		err := c.Execute(ctx, run)
		switch {
		case errors.Is(err, context.Canceled):
			return exitInterrupted
		case err != nil:
			fmt.Fprintln(a.env.Stderr, "proctor: "+prose.Plain(err.Error()))
			code = exitTool
		}
	}
	return code
}
