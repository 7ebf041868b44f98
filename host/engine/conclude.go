package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// conclusion concludes a run, from its plan and what was executed of it.
type conclusion struct {
	host   *ledger.Keeper
	plan   *Plan
	record *record
	*executed
	run *api.Run
	// tally and exit are those of a rerun and its fallback together.
	tally *tally.Tally
	exit  sdk.Exit
	// flaky are the tests that failed and then passed when retried.
	flaky map[sdk.TestID]bool
	// stopped means that the user interrupted a retry.
	stopped bool
}

// FinishLimit bounds what follows the last command: a listing, a few files.
const FinishLimit = 45 * time.Second

// conclude performs what follows the last command, step by step. ctx may be cancelled
// already: that is one of the ways in which a run ends. An error means that there was no
// run, and that its record was removed.
func (c *conclusion) conclude(ctx context.Context) error {
	if refused := c.findRefusal(); refused != nil {
		if c.cover != nil {
			c.cover.cancel()
		}
		c.record.withdraw(ctx, *c.run)
		return refused
	}
	c.addCoverage(ctx)
	c.judgeTargets()
	c.record.addSources(ctx, c.run)
	c.mergeFallback(context.WithoutCancel(ctx))
	retrier{c}.retryFailed(ctx)
	c.locateFailures(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishLimit)
	defer cancel()
	c.nameNeverStarted(ending)
	c.fillRun()
	fillShard(c)
	merging{c}.fillMerged()
	if c.run.From != nil {
		api.CompleteFrom(c.run)
	}
	c.decideVerdict(ending)
	if c.plan.output != nil {
		if isRun, err := c.takeOutput(ctx); !isRun {
			c.record.withdraw(ctx, *c.run)
			return err
		}
		ending = ctx // the user waits for all of the output, or interrupts
	}
	gone := c.updateOutstanding(ending)
	if c.plan.isLast {
		go c.host.Host.Close(ending) // a plugin takes milliseconds to end
	}
	if err := c.record.finishHistory(ending, c.run, c.isWhole(), c.soundSuites()); err != nil {
		noteUnrecorded(c.run, err)
	}
	c.tellGone(ending, gone)
	err := c.record.finish(ending, c.run)
	ledger.KeepSuiteNoun(ending, c.plan.Ledger, c.run.Language, c.plan.Project.ID.SuiteNoun)
	return err
}

// findRefusal returns a usage error if the runner rejected what the user asked for and ran
// nothing, else nil. What proctor composed on its own is not the user's mistake.
func (c *conclusion) findRefusal() error {
	asked := c.run.Selection.Narrows() || len(c.plan.neutral)+len(c.plan.runnerArgs()) > 0 || c.run.Seed != ""
	exit := c.first.Exit()
	if c.run.Kind != api.KindRun || c.err != nil || !asked || exit.Unknown || isCleanExit(exit) || exit.TimedOut || exit.Cancelled || !c.first.Col.Tally.IsRefused() {
		return nil
	}
	refused := c.first.Col.Tally.Refused
	reason := "the runner refused it and ran nothing: " + lastLines(refused.Words[0], project.MaxTailLines)
	if n := len(refused.Words) - 1 + refused.More; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	return &api.UsageError{Reason: reason}
}

// fillRun copies what the run showed into its object.
func (c *conclusion) fillRun() {
	t, exit := c.tally, c.exit
	c.run.State = api.StateFinished
	c.run.DurationS = c.record.duration(c.run.StartedAt).Seconds()
	c.run.ExitCode, c.run.Signal, c.run.Cancelled = exit.Code, exit.Signal, exit.Cancelled || c.stopped
	c.run.TimedOut = exit.TimedOut || t.TimedOut
	if c.run.TimedOut {
		c.run.ExitCode = exitTimedOut
	}
	if len(c.first.Done) == 0 || exit.Unknown {
		c.run.ExitCode = -1
	}
	c.run.Counts = t.Ended()
	c.run.Counts.Flaky = len(c.flaky)
	c.run.Failures = append(c.run.Failures, t.Failures...)
	ledger.SortFailures(c.run.Failures)
	ledger.SetCauses(c.run, t.Causes)
	c.run.FailuresTotal = t.FailuresTotal
	markQuarantined(c)
	c.run.Unfinished = append(c.run.Unfinished, t.Unfinished...)
	c.run.NeverStarted = append(c.run.NeverStarted, t.Never...)
	c.run.RunError = t.RunErrorText()
	c.run.Conditions = t.Conditions
	c.run.Warnings = append(c.run.Warnings, t.PartsUnknown()...)
	c.run.Note(api.NoteCheck, c.check.Notes(wasCut(exit), c.run.Counts.BuildFailed > 0)...)
	c.run.Note(api.NoteOutput, t.Notes...)
	if note := tally.DescribeUnread(t); note != "" {
		c.run.Note(api.NoteOutput, note)
	}
	// If the selection reaches beyond the workspace, these counts mean nothing.
	if c.total > 0 && c.total >= c.first.fold.CountListed() {
		c.run.Selection.Selected, c.run.Selection.Total = c.first.fold.CountListed(), c.total
	}
	if c.err != nil {
		c.run.RunError = c.err.Error()
		var detailed interface{ Detail() string }
		if errors.As(c.err, &detailed) && detailed.Detail() != "" {
			c.run.RunError += "\n" + detailed.Detail()
		}
	}
	if c.plan.isOfNow() && c.run.TimedOut && c.run.TimeoutS < api.DefaultTimeout.Seconds() && c.run.Environment != "" {
		// Tests that pass with enough time must not become flaky by a shorter timeout.
		c.run.Environment = history.ShortOf(c.run.Environment)
	}
}

// exitTimedOut is the exit code after a timeout, as in timeout(1).
const exitTimedOut = 124

// decideVerdict decides the verdict.
func (c *conclusion) decideVerdict(ctx context.Context) {
	t, exit := c.tally, c.exit
	e := t.Evidence()
	e.Exited = len(c.first.Done) > 0 && !exit.Unknown
	e.ExitCode, e.Signal, e.Cancelled = exit.Code, exit.Signal, exit.Cancelled
	e.FailedExit = saysTestsFailed(c.plan.Project, exit)
	e.TimedOut = c.run.TimedOut
	if exit.TimedOut {
		e.DeadlineS = c.run.TimeoutS
	}
	e.Untold = wasCut(exit) && t.IsUntold()
	e.Flaky, e.FlakyPass = len(c.flaky), c.plan.retries.FlakyPasses && retrier{c}.isOnlyFlaky()
	if e.FlakyPass {
		e.FlakyBy = describeFile(ctx, c.plan, config.FileName)
	}
	e.OutputTail = c.first.readTail()
	e.Filtered = (c.run.Kind == api.KindRun || c.run.Kind == api.KindMerge) && c.run.Selection.Narrows()
	for _, d := range c.first.Done {
		e.OnlyInside = e.OnlyInside || c.plan.Chosen == nil && d.command.SelectsOnlyInsideTests
	}
	e.SomeParts = strings.Contains(c.run.Selection.Filter, "/")
	e.Narrowing, e.RunnerArgs = c.plan.describeArgs()
	if c.run.Kind == api.KindRun {
		e.Configured = strings.Join(c.run.Selection.Configured, ", ")
	}
	e.Shard = c.run.Selection.Shard
	e.Selected, e.Total = c.run.Selection.Selected, c.run.Selection.Total
	if c.err != nil {
		e.ToolError = c.err.Error()
	}
	if from := c.run.From; from != nil {
		e.From, e.Unanswered = from.String(), api.DescribeUnanswered(*c.run)
	}
	c.addQuarantine(ctx, &e)
	merging{c}.addMerged(&e)
	d := verdict.Decide(e)
	c.run.Verdict, c.run.Reason, c.run.Caveats = d.Verdict, d.Reason, d.Caveats
	if c.plan.Chosen != nil && c.run.Affected != nil && d.Verdict == api.NothingRan && c.run.Affected.ChosenTests+c.run.Affected.ChosenSuites == 0 {
		c.run.Reason = explainUnaffected(*c.run.Affected)
	}
	if d.Verdict == api.NothingRan && passesEmpty(c) {
		c.run.Verdict, c.run.Reason = api.Passed, explainEmpty(*c.run.Shard)
	}
	for i := range c.run.Requested {
		if r := &c.run.Requested[i]; r.Suite == "" && r.Test == "" {
			r.Outcome, r.Why = judgeAll(c.run.Verdict)
		}
	}
	c.explainUncomposed()
}

// judgeAll returns the outcome of a rerun of everything.
func judgeAll(v api.Verdict) (api.Outcome, string) {
	switch v {
	case api.Passed:
		return api.OutcomePassed, ""
	case api.NothingRan:
		return api.OutcomeDidNotRun, "no test ran"
	}
	return api.OutcomeFailed, ""
}

// isWhole reports whether the run was of everything and reached its end. Arguments of the
// user count against that, since only the runner knows what they leave out; those that
// every run has from a file do not.
func (c *conclusion) isWhole() bool {
	if m := c.plan.merged; m != nil {
		return m.isWhole() && c.findReach() >= outstanding.Ended
	}
	return c.plan.Chosen == nil && c.findReach() >= outstanding.Ended && len(c.plan.runnerArgs()) == c.plan.defaults && !c.plan.narrowed
}

// soundSuites returns the suites whose tests all ended without other failures.
func (x *executed) soundSuites() []string {
	ends := maps.Clone(x.first.Col.Tally.Suites)
	unsound := x.first.Col.Tally.Unsound()
	if x.fallback != nil {
		maps.Copy(ends, x.fallback.Col.Tally.Suites)
		maps.Copy(unsound, x.fallback.Col.Tally.Unsound())
	}
	var suites []string
	for _, suite := range slices.Sorted(maps.Keys(ends)) {
		if !x.first.Col.Tally.CachedSuites[suite] && (ends[suite] == sdk.SuitePassed || ends[suite] == sdk.SuiteFailed) && !unsound[suite] {
			suites = append(suites, suite)
		}
	}
	return suites
}
