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
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// executeFallback reruns, once and as a whole, the tests that have a part which failed or
// did not exist when run alone. Its results overrule those of the parts.
func (x *execution) executeFallback(ctx context.Context) {
	p, run := x.plan, x.run
	fallback := outstanding.Judge(x.first.fold).Fallback
	if len(fallback) == 0 {
		return
	}
	left, ok := x.first.timeLeft(leastFallback)
	if !ok {
		run.Note(api.NoteRerun, "no time was left to run the enclosing tests as a whole: the results of the subtests stand")
		return
	}
	req := sdk.RerunRequest{
		Workspace: p.Project.Ws, Targets: IDsOf(fallback), Widen: true, RunnerArgs: p.runnerArgs(),
		Deadline: left, Seed: run.Seed,
	}
	composed, err := p.Project.Plugin.RerunCmd(ctx, req)
	if err == nil && x.hasRunWhole(ctx, req, composed) {
		return
	}
	if err != nil || len(composed.Commands) == 0 {
		run.Note(api.NoteRerun, "the enclosing tests could not be run as a whole: the results of the subtests stand")
		return
	}
	run.Commands = append(run.Commands, CommandsOf(composed)...)
	// It answers for every requested test inside those that it runs.
	within := outstanding.Within(p.Chosen.Requested, fallback)
	second := x.newBatch(x.first.Listeners, func() *outstanding.Fold {
		return outstanding.NewFold(run.RunID, p.before, outstanding.Scope{Tests: within, Widened: true, Args: p.argsKey(), Way: p.way})
	})
	second.Deadline, second.before = x.first.Deadline, len(x.first.Done)
	if x.err = second.Execute(ctx, composed.Commands); x.err == nil {
		x.fallback = second
	}
}

// leastFallback is the least time for which a fallback is worth starting: a test cannot be
// built in less.
const leastFallback = time.Second

// hasRunWhole reports whether the enclosing tests ran already: no command selected a part
// of a test, and the plugin composes the same for the parts as for the whole, since its
// runner cannot select parts. Repeating that could only turn red into green by luck.
func (x *execution) hasRunWhole(ctx context.Context, req sdk.RerunRequest, whole sdk.Plan) bool {
	if len(whole.Commands) == 0 {
		return false
	}
	for _, d := range x.first.Done {
		if d.command.SelectsInsideTests {
			return false
		}
	}
	req.Widen = false
	parts, err := x.first.Project.Plugin.RerunCmd(ctx, req)
	return err == nil && slices.EqualFunc(parts.Commands, whole.Commands, isSameCommand)
}

// isSameCommand reports whether two commands do the same. The names of files in their
// scratch directories do not matter: a plugin may choose them at random.
func isSameCommand(a, b sdk.Command) bool {
	return slices.Equal(maskInputNames(a, a.Argv...), maskInputNames(b, b.Argv...)) && a.Dir == b.Dir &&
		maps.EqualFunc(a.Env, b.Env, func(x, y string) bool { return slices.Equal(maskInputNames(a, x), maskInputNames(b, y)) }) &&
		slices.Equal(a.UnsetEnv, b.UnsetEnv) && a.SelectsInsideTests == b.SelectsInsideTests &&
		slices.EqualFunc(a.Inputs, b.Inputs, func(x, y sdk.InputFile) bool { return bytes.Equal(x.Data, y.Data) })
}

// maskInputNames returns words of a command with numbers for the names of its input files.
func maskInputNames(cmd sdk.Command, words ...string) []string {
	changed := slices.Clone(words)
	for i, in := range cmd.Inputs {
		for j, w := range changed {
			changed[j] = strings.ReplaceAll(w, sdk.Scratch+"/"+in.Name, fmt.Sprintf("%s/\x00%d", sdk.Scratch, i))
		}
	}
	return changed
}

// mergeFallback combines a rerun and its fallback: a test that the fallback ran counts
// there only, and any other as before.
func (c *conclusion) mergeFallback(ctx context.Context) {
	c.tally, c.exit = c.first.Col.Tally, c.first.Exit()
	if c.fallback == nil {
		return
	}
	first, second := c.first, c.fallback
	again := map[sdk.TestID]bool{}
	for _, r := range second.Results {
		again[r.TestID] = true
	}
	overruled := func(suite, test string) bool { return again[sdk.TestID{Suite: suite, Test: test}] }
	c.noteOverruled(again)
	t := tally.NewTally()
	if first.newJudge != nil {
		t.Quarantine = first.newJudge()
	}
	for _, r := range first.Results {
		if !overruled(r.Suite, r.Test) {
			t.Listen(&api.TestEnded{Result: r})
		}
	}
	for _, r := range second.Results {
		t.Listen(&api.TestEnded{Result: r})
	}
	for _, fl := range first.Col.Tally.Failures {
		if !overruled(fl.Suite, fl.Test) {
			t.Listen(&api.FailureFound{Failure: fl})
		}
	}
	t.FailuresTotal += first.Col.Tally.Unlisted()
	left := t.FailuresTotal // of the first part
	for _, fl := range second.Col.Tally.Failures {
		t.Listen(&api.FailureFound{Failure: fl})
	}
	t.FailuresTotal += second.Col.Tally.Unlisted()
	for s, o := range first.Col.Tally.Suites {
		if _, ran := second.Col.Tally.Suites[s]; !ran || o != sdk.SuiteFailed {
			t.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: s, Outcome: o}})
		}
	}
	for s, o := range second.Col.Tally.Suites {
		t.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: s, Outcome: o}})
	}
	t.AddTexts(first.Col.Tally)
	t.AddTexts(second.Col.Tally)
	c.first.fold.Overrule(func(id sdk.TestID) bool { return again[id] })
	c.forgetOverruled(ctx, overruled)
	c.tally = t
	if c.overrulesExit(c.exit, left) {
		c.exit = second.Exit()
	}
}

// noteOverruled names the tests that failed when they ran alone and passed as parts of the
// whole: it may have been luck, and nothing else on record shows it.
func (x *execution) noteOverruled(again map[sdk.TestID]bool) {
	red := map[sdk.TestID]bool{}
	for _, r := range x.fallback.Results {
		red[r.TestID] = red[r.TestID] || r.Status != sdk.Passed
	}
	var names []string
	for _, r := range x.first.Results {
		if r.Status == sdk.Failed && !r.Derived && again[r.TestID] && !red[r.TestID] {
			red[r.TestID] = true
			names = append(names, prose.QualifiedName(r.Suite, r.Test))
		}
	}
	if len(names) > 0 {
		x.run.Note(api.NoteRerun, "failed when run alone, and passed when all of the enclosing test ran, which counts: "+prose.Listed(names, len(names), maxPassedOtherwise, prose.Line))
	}
}

// overrulesExit reports whether the fallback decided again everything that caused the
// first part's exit code: that part exited by itself, with failures, and none of them is
// left.
func (x *execution) overrulesExit(exit sdk.Exit, left int) bool {
	t := x.first.Col.Tally
	clean := exit.Signal == "" && !exit.TimedOut && !exit.Cancelled && len(t.Aborted()) == 0 && !x.first.hasUnexplainedExit()
	second := x.fallback.Exit()
	red := second.Code != 0 || second.Signal != "" || second.TimedOut || second.Cancelled
	return clean && (exit.Code == 0 || red || left == 0 && t.FailuresTotal > 0)
}

// forgetOverruled removes the overruled results and failures from the record.
func (x *execution) forgetOverruled(ctx context.Context, overruled func(suite, test string) bool) {
	x.retellHistory(ctx, overruled)
	if x.record.artifacts == nil {
		return
	}
	// The first part's results come before the second's.
	results, failures := len(x.first.Results), x.first.Col.Tally.FailuresTotal
	err := x.record.artifacts.Rewrite(func(r api.Result) bool {
		results--
		return results < 0 || !overruled(r.Suite, r.Test)
	}, func(fl api.Failure) bool {
		failures--
		return failures < 0 || !overruled(fl.Suite, fl.Test)
	})
	if err != nil {
		x.first.Col.Note("the record still has results that a later command overruled: " + err.Error())
	}
}

// retellHistory sends the history the results that count again.
func (x *execution) retellHistory(ctx context.Context, overruled func(suite, test string) bool) {
	if x.record.history == nil {
		return
	}
	if err := x.record.history.Restart(ctx); err != nil {
		x.first.Col.Note("the history still has results that a later command overruled: " + err.Error())
		return
	}
	for _, part := range []*Batch{x.first, x.fallback} {
		for _, r := range part.Results {
			if part == x.fallback || !overruled(r.Suite, r.Test) {
				x.record.history.Listen(&api.TestEnded{Result: r})
			}
		}
		for _, fl := range part.Col.Tally.Failures {
			if part == x.fallback || !overruled(fl.Suite, fl.Test) {
				x.record.history.Listen(&api.FailureFound{Failure: fl})
			}
		}
	}
}
