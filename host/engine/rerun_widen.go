package engine

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// widen runs, once, the whole of those tests of which a part vanished or failed
// alone. What that shows overrules what the parts showed.
func (f *Finisher) widen(ctx context.Context, run *api.Run, set outstanding.Set) {
	fallback := outstanding.Judge(f.Run.fold).Fallback
	if len(fallback) == 0 {
		return
	}
	if left := time.Until(f.Run.Deadline); left < leastFallback {
		run.Note(api.NoteRerun, "no time was left to run the enclosing tests: the results of parts of tests stand")
		return
	}
	req := sdk.RerunRequest{
		Workspace: f.Project.Ws, Targets: IDsOf(fallback), Widen: true, RunnerArgs: f.RunnerArgs,
		Deadline: time.Until(f.Run.Deadline), Seed: run.Seed,
	}
	plan, err := f.Project.Plugin.RerunCmd(ctx, req)
	if err == nil && f.ranWhole(ctx, req, plan) {
		return
	}
	if err != nil || len(plan.Commands) == 0 {
		run.Note(api.NoteRerun, "the enclosing tests could not be run: the results of parts of tests stand")
		return
	}
	run.Commands = append(run.Commands, CommandsOf(plan)...)
	// It answers for every requested test that lies within those that it runs.
	within := outstanding.Within(f.Sel.Requested, fallback)
	x := f.Execution(run, func() *outstanding.Fold {
		return outstanding.NewFold(run.RunID, set, outstanding.Scope{Tests: within, Widened: true, Args: f.ArgsKey(), Way: f.way})
	})
	x.Deadline, x.first, x.Keep = f.Run.Deadline, len(f.Run.Done), true
	if f.ToolErr = x.Execute(ctx, plan.Commands); f.ToolErr == nil {
		f.widened = x
	}
}

// leastFallback is the time that is worth starting the fallback for: less does
// not build a test.
const leastFallback = time.Second

// ranWhole reports whether the enclosing tests ran already: no command selected a part
// of a test, and the plugin composes nothing else for the parts than for the whole,
// as where a runner cannot select parts. The same again could only turn a red into a
// green by luck.
func (f *Finisher) ranWhole(ctx context.Context, req sdk.RerunRequest, whole sdk.Plan) bool {
	if len(whole.Commands) == 0 {
		return false
	}
	for _, d := range f.Run.Done {
		if d.command.SelectsInsideTests {
			return false
		}
	}
	req.Widen = false
	parts, err := f.Project.Plugin.RerunCmd(ctx, req)
	return err == nil && slices.EqualFunc(parts.Commands, whole.Commands, sameCommand)
}

// sameCommand reports whether two commands do the same. What the files in their
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
