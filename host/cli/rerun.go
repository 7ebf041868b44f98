package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/cli/flags"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/portable"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/query"
	"github.com/proctorhq/proctor/host/render"
)

// newRerunCommand reruns what is outstanding.
func newRerunCommand(a *app) *cobra.Command {
	var req api.RerunRequest
	var out *output
	var then after
	var list bool
	var drop api.OutstandingRequest
	cmd := &cobra.Command{
		Use:   "rerun [flags] [TEST|PACKAGE]... | rerun --from FILE [-- RUNNER ARGS]",
		Short: "Run exactly what is outstanding",
		Long: `Run exactly what is outstanding in the workspace, in any session: every test that has
failed, not finished or never started since it last passed. Each requested test is
reported as passed, failed, skipped or did not run. With tests or packages, run only what
of them is outstanding; the rest stays outstanding.

A rerun that passes proves only its own tests: finish with proctor run. If it passed and
tests are still outstanding, for example beyond --limit, the exit code is 5.

With --list, list what is outstanding and since when, longest first, and run nothing. A
test leaves the list by passing. What can no longer pass, such as a run with a mistyped
argument, can be removed with --drop: that is your decision, not a pass.

With --from, run here what was red in a CI job, or on another machine, in place of what is
outstanding here: with its arguments, as far as a file can ask for them, or with those
after --. What does not exist here, or is skipped, is named, and keeps the rerun from
passing.`,
		Example: `  proctor rerun
  proctor rerun TestParse ./scan/...
  proctor rerun --from ci.json
  proctor rerun --limit 5
  proctor rerun --list
  proctor rerun --drop '(the run)'`,
		Args: func(cmd *cobra.Command, args []string) error {
			out.reports.Reads = []string{req.From}
			dash := cmd.ArgsLenAtDash()
			switch {
			case dash < 0:
				dash = len(args)
			case req.From == "":
				return usageErrorf(cmd, "arguments for the runner need --from: without it, tests run again with the arguments they had")
			default:
				req.RunnerArgs = append([]string{}, args[dash:]...)
			}
			if req.Names = args[:dash]; req.From == "" && !list && len(drop.Drop) == 0 {
				return nil
			}
			return takes(0, 0)(cmd, args[:dash])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			req.Where, req.DefaultTimeout = a.where(), !cmd.Flags().Changed("timeout")
			if list || len(drop.Drop) > 0 {
				if err := checkListed(cmd, "drop", "limit", "lang"); err != nil {
					return err
				}
				if drop.Where = req.Where; cmd.Flags().Changed("limit") {
					drop.Limit = req.Limit
				}
				return listOutstanding(cmd.Context(), a, out, drop, req.Languages)
			}
			return rerunTests(cmd, a, req, out, &then)
		},
	}
	flags.Bind(cmd, req.Params())
	out = newOutput(cmd, runObject, runForms()...)
	out.reports.Bind(cmd)
	then.bind(cmd)
	bindList(cmd, &list, "list what is outstanding, and run nothing")
	flags.Bind(cmd, drop.Params())
	return cmd
}

// rerunTests reruns tests, and prints the result.
func rerunTests(cmd *cobra.Command, a *app, req api.RerunRequest, out *output, then *after) error {
	ctx := cmd.Context()
	k, done, err := a.keeper(ctx)
	if err != nil {
		return err
	}
	defer done()
	root, _ := project.StartPluginsAhead(ctx, k.Host, a.where(), req.Languages)
	if err := then.takeDefaults(ctx, a, k, out, root); err != nil {
		return err
	}
	view := newView(a, out)
	answer, err := a.rerun(cmd, k, req, view, &out.reports.Collector)
	view.Close()
	for _, line := range nothingRerun(answer) {
		a.notice(out, notice{Message: line})
	}
	a.code = rerunExit(answer)
	return out.finish(ctx, a, k, then, answer.Runs, err)
}

// rerun runs what is outstanding here, or what was red elsewhere.
func (a *app) rerun(cmd *cobra.Command, k *ledger.Keeper, req api.RerunRequest, listeners ...api.Listener) (api.RerunAnswer, error) {
	ctx := cmd.Context()
	if req.From == "" {
		return engine.Rerun(ctx, k, req, listeners...)
	}
	if !cmd.Flags().Changed("limit") {
		req.Limit = 0
	}
	path, name, remove, err := a.fetchFrom(ctx, req.From)
	if err != nil {
		return api.RerunAnswer{}, err
	}
	defer remove()
	req.From = path
	return portable.Rerun(ctx, k, req, name, listeners...)
}

// listOutstanding lists what a rerun would run, after removing what the user drops.
func listOutstanding(ctx context.Context, a *app, out *output, req api.OutstandingRequest, languages []string) (err error) {
	if req.Language, err = oneLanguage(languages); err != nil {
		return err
	}
	k, done, err := keeperToAsk(ctx, a)
	if err != nil {
		return err
	}
	defer done()
	answer, err := query.Outstanding(ctx, k, req)
	if a.noRun(err, out) {
		return nil
	}
	if out.isJSON() && err == nil {
		return a.printJSON(answer)
	}
	if err == nil || len(answer.Dropped) > 0 {
		style := styleIn(ctx, a, k, a.where())
		fmt.Fprint(a.env.Stdout, style.Fold(render.Outstanding(answer, style)))
	}
	return err
}

// nothingRerun says why there was nothing to rerun, by language.
func nothingRerun(answer api.RerunAnswer) []string {
	if answer.NoRunYet {
		return []string{noRunYet}
	}
	var lines []string
	for _, p := range answer.Passed {
		lines = append(lines, "nothing to rerun: nothing is outstanding ("+prose.Line(p.Language)+")")
		if line := api.StaleSentence(p.Stale); line != "" {
			lines = append(lines, line)
		}
	}
	for _, n := range answer.Notes {
		lines = append(lines, api.AppendAdvice(n.Text, n.Advice, render.Advice))
	}
	for _, language := range answer.NotRun {
		lines = append(lines, api.NoRunYet+" ("+prose.Line(language)+")")
	}
	return lines
}

// rerunExit returns the exit code of a rerun: that nothing is left to rerun after a green
// run is green; that nothing ever ran is not.
func rerunExit(answer api.RerunAnswer) int {
	notices := exitPassed
	if answer.NoRunYet || !answer.Green {
		notices = exitNothingRan
	}
	if len(answer.Runs) == 0 {
		return notices
	}
	return worse(notices, runsExit(answer.Runs))
}
