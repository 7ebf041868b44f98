package host

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

// widen runs, once, the whole of those tests of which a part vanished or failed
// alone. What that shows overrules what the parts showed.
func (f *finisher) widen(ctx context.Context, run *record.Run, set rerun.Set) {
	fallback := rerun.Judge(f.run.fold).Fallback
	if len(fallback) == 0 {
		return
	}
	if left := time.Until(f.run.deadline); left < leastFallback {
		run.Warnings = append(run.Warnings, "no time was left to run the enclosing tests: the results of parts of tests stand")
		return
	}
	req := sdk.RerunRequest{
		Workspace: f.project.ws, Targets: idsOf(fallback), Widen: true, RunnerArgs: f.runnerArgs,
		Deadline: time.Until(f.run.deadline), Seed: run.Seed,
	}
	plan, err := f.project.plugin.RerunCmd(ctx, req)
	if err == nil && f.ranWhole(ctx, req, plan) {
		return
	}
	if err != nil || len(plan.Commands) == 0 {
		run.Warnings = append(run.Warnings, "the enclosing tests could not be run: the results of parts of tests stand")
		return
	}
	run.Commands = append(run.Commands, commandsOf(plan)...)
	// It answers for every requested test that lies within those that it runs.
	within := rerun.Within(f.sel.Requested, fallback)
	x := f.execution(run, func() *rerun.Fold {
		return rerun.NewFold(run.RunID, set, rerun.Scope{Tests: within, Widened: true, Args: f.argsKey(), Way: f.way})
	})
	x.deadline, x.first, x.keep = f.run.deadline, len(f.run.done), true
	if f.toolErr = x.execute(ctx, plan.Commands); f.toolErr == nil {
		f.widened = x
	}
}

// leastFallback is the time that is worth starting the fallback for: less does
// not build a test.
const leastFallback = time.Second

// ranWhole tells whether the enclosing tests ran already: no command selected a part
// of a test, and the plugin composes nothing else for the parts than for the whole,
// as where a runner cannot select parts. The same again could only turn a red into a
// green by luck.
func (f *finisher) ranWhole(ctx context.Context, req sdk.RerunRequest, whole sdk.Plan) bool {
	if len(whole.Commands) == 0 {
		return false
	}
	for _, d := range f.run.done {
		if d.command.SelectsInsideTests {
			return false
		}
	}
	req.Widen = false
	parts, err := f.project.plugin.RerunCmd(ctx, req)
	return err == nil && slices.EqualFunc(parts.Commands, whole.Commands, sameCommand)
}

// sameCommand tells whether two commands do the same. What the files in their
// scratch directories are called is of no account: a plugin may call them otherwise
// each time, so that no test knows the name.
func sameCommand(a, b sdk.Command) bool {
	return slices.Equal(unnamed(a, a.Argv...), unnamed(b, b.Argv...)) && a.Dir == b.Dir &&
		maps.EqualFunc(a.Env, b.Env, func(x, y string) bool { return slices.Equal(unnamed(a, x), unnamed(b, y)) }) &&
		slices.Equal(a.UnsetEnv, b.UnsetEnv) && a.SelectsInsideTests == b.SelectsInsideTests &&
		slices.EqualFunc(a.Inputs, b.Inputs, func(x, y sdk.InputFile) bool { return bytes.Equal(x.Data, y.Data) })
}

// unnamed are words of a command with numbers for the names of its files.
func unnamed(cmd sdk.Command, words ...string) []string {
	changed := slices.Clone(words)
	for i, in := range cmd.Inputs {
		for j, w := range changed {
			changed[j] = strings.ReplaceAll(w, sdk.Scratch+"/"+in.Name, fmt.Sprintf("%s/\x00%d", sdk.Scratch, i))
		}
	}
	return changed
}
