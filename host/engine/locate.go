package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// locateFailures reruns tests whose failures only have the place of the test's
// declaration, to find the lines that failed. It proves nothing: the run's results stand,
// and only places change.
func (c *conclusion) locateFailures(ctx context.Context) {
	t := c.tally
	if !c.plan.precise || !c.plan.Project.ID.Locate || c.err != nil || ctx.Err() != nil {
		return
	}
	targets := findUnlocated(t.Failures)
	if len(targets) == 0 {
		return
	}
	left, ok := c.first.timeLeft(leastFallback)
	if !ok {
		c.run.Note(api.NotePlaces, "no time was left to find the lines that failed")
		return
	}
	plan, err := c.plan.Project.Plugin.RerunCmd(ctx, sdk.RerunRequest{
		Workspace: c.plan.Project.Ws, Targets: targets, RunnerArgs: c.plan.runnerArgs(), Deadline: left, Seed: c.run.Seed, Locate: true,
	})
	found := &locations{failures: map[sdk.TestID]sdk.Failure{}}
	if err == nil {
		c.run.Note(api.NotePlugin, plan.Warnings...)
		c.run.Commands = append(c.run.Commands, CommandsOf(plan)...)
		err = c.first.locate(ctx, plan.Commands, found)
	}
	found.dropOthers(t.Failures)
	if missing := found.countMissing(plan.Commands); err != nil || missing > 0 {
		c.run.Note(api.NotePlaces, found.describeMissing(missing, len(targets), err))
	}
	if err := c.record.relocate(t.Failures, found); err != nil {
		t.Note("the record has the places of the tests' declarations, not of the lines that failed: " + err.Error())
	}
}

// findUnlocated finds the tests whose failures have only the place of a declaration.
func findUnlocated(failures []api.Failure) []sdk.TestID {
	var ids []sdk.TestID
	seen := map[sdk.TestID]bool{}
	for _, fl := range failures {
		id := fl.TestID
		if fl.Precision == sdk.PrecisionDeclaration && fl.Test != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// locate executes commands and reads places from their output.
func (b *Batch) locate(ctx context.Context, commands []sdk.Command, found *locations) error {
	for _, cmd := range commands {
		info := b.runInfo(cmd)
		info.Locate = true
		limits := project.Limits{Deadline: b.Deadline, MaxData: maxLocateData}
		result, err := b.Keeper.ReadOutput(ctx, b.Project, cmd, limits, func() (*plugin.ParseStream, error) {
			return b.Project.Plugin.Parse(context.WithoutCancel(ctx), info, client.ParseOptions{}, found)
		})
		if err := errors.Join(err, result.SinkErr); err != nil {
			return err
		}
		found.tail = lastLines(strings.TrimSpace(result.Stderr.Tail(project.MaxTailBytes)))
		switch {
		case result.Exit.TimedOut || result.Exit.Cancelled:
			return errors.New("it did not end in time")
		case result.Exit.Signal != "":
			return fmt.Errorf("the runner was ended by %s", result.Exit.Signal)
		}
	}
	return nil
}

// maxLocateData bounds the memory of a runner that records every step of a test, in bytes:
// an endless test has endless steps.
const maxLocateData = 4 << 30

// relocate puts the places that were found into failures, and into the record.
func (r *record) relocate(failures []api.Failure, found *locations) error {
	changed := map[string]api.Failure{}
	for i, fl := range failures {
		at, ok := found.failures[fl.TestID]
		if !ok || !fl.Precision.IsDeclaration() {
			continue
		}
		fl.Location, fl.Precision, fl.TestFrame, fl.Stack = at.Location, at.Precision, at.TestFrame, at.Stack
		failures[i], changed[fl.ID] = fl, fl
	}
	if r.artifacts == nil || len(changed) == 0 {
		return nil
	}
	err := r.artifacts.Rewrite(func(api.Result) bool { return true }, func(fl api.Failure) bool {
		_, ok := changed[fl.ID]
		return !ok
	})
	if err != nil {
		return err
	}
	for _, fl := range failures {
		if _, ok := changed[fl.ID]; ok {
			r.artifacts.Listen(&api.FailureFound{Failure: fl})
		}
	}
	return nil
}

// locations keeps exact places of failures, and why there are none.
type locations struct {
	failures map[sdk.TestID]sdk.Failure
	// why holds the runner's own words, tail the end of its standard error.
	why  []string
	tail string
}

// dropOthers drops the places of tests that failed differently this time.
func (l *locations) dropOthers(failures []api.Failure) {
	for _, fl := range failures {
		id := fl.TestID
		if at, ok := l.failures[id]; ok && !isSameFailure(fl, at) {
			delete(l.failures, id)
			l.RunError(fmt.Sprintf("%s %s failed differently when run again", id.Suite, id.Test))
		}
	}
}

// isSameFailure reports whether a recorded failure and one of another run of its test are
// the same, as far as their messages and the plugin's attributes show.
func isSameFailure(fl api.Failure, again sdk.Failure) bool {
	if again.Message != "" && fl.Message != "" && again.Message != fl.Message {
		return false
	}
	for key, value := range again.Attributes {
		if fl.Attributes[key] != value {
			return false
		}
	}
	return true
}

// countMissing counts the targets that have no exact place.
func (l *locations) countMissing(commands []sdk.Command) int {
	n := 0
	for _, c := range commands {
		for _, id := range c.Targets {
			if _, ok := l.failures[id]; !ok {
				n++
			}
		}
	}
	return n
}

// describeMissing says for how many tests no line was found, and why if known.
func (l *locations) describeMissing(missing, targets int, err error) string {
	if err != nil && missing == 0 {
		missing = targets
	}
	text := fmt.Sprintf("the lines that failed were not found for %d of %d tests, which are shown with the places of their declarations", missing, targets)
	why := strings.Join(l.why, "\n")
	switch {
	case err != nil:
		why = err.Error()
	case why == "" && len(l.failures) == 0:
		why = l.tail
	}
	if why != "" {
		text += ": " + why
	}
	return text
}

func (l *locations) RunError(text string) {
	if len(l.why) < project.MaxTailLines {
		l.why = append(l.why, text)
	}
}

func (l *locations) Failure(fl sdk.Failure) {
	if fl.Precision == sdk.PrecisionExact && fl.Location.File != "" && fl.Location.Line > 0 && len(l.failures) < api.MaxFailures {
		l.failures[fl.TestID] = fl
	}
}

func (l *locations) Test(sdk.TestResult) {}

func (l *locations) Suite(sdk.SuiteResult) {}

func (l *locations) Unread(sdk.Unread) {}

func (l *locations) Note(string) {}

func (l *locations) Output([]byte) {}

func (l *locations) Condition(_, _ string) {}

func (l *locations) Progress(sdk.Progress) {}
