package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// conclusion concludes a run, from what was executed of its plan.
type conclusion struct {
	*execution
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

// conclude performs what follows the last command: it gathers the evidence, judges the run by
// it, and settles what the run leaves behind. ctx may be cancelled already: that is one of
// the ways in which a run ends. An error means that there was no run, and that its record was
// removed.
func (c *conclusion) conclude(ctx context.Context) error {
	if refused := c.findRefusal(); refused != nil {
		if c.cover != nil {
			c.cover.cancel()
		}
		c.record.withdraw(ctx, *c.run)
		return refused
	}
	c.gatherEvidence(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), FinishLimit)
	defer cancel()
	c.nameNeverStarted(ending)
	c.fillRun()
	c.decideVerdict(ending)
	if c.plan.output != nil {
		if isRun, err := c.takeOutput(ctx); !isRun {
			c.record.withdraw(ctx, *c.run)
			return err
		}
		ending = ctx // the user waits for all of the output, or interrupts
	}
	return settlement{c}.settle(ending)
}

// gatherEvidence completes what was executed. What still runs tests has as long as they had.
func (c *conclusion) gatherEvidence(ctx context.Context) {
	c.addCoverage(ctx)
	c.judgeTargets()
	c.record.addSources(ctx, c.run)
	c.mergeFallback(context.WithoutCancel(ctx))
	c.retryFailed(ctx)
	c.locateFailures(ctx)
}

// findRefusal returns a usage error if the runner rejected what the user asked for and ran
// nothing, else nil. What proctor composed on its own is not the user's mistake.
func (x *execution) findRefusal() error {
	asked := x.run.Selection.Narrows() || len(x.plan.neutral)+len(x.plan.runnerArgs()) > 0 || x.run.Seed != ""
	exit := x.first.Exit()
	if x.run.Kind != api.KindRun || x.err != nil || !asked || exit.Unknown || isCleanExit(exit) || exit.TimedOut || exit.Cancelled || !x.first.Col.Tally.IsRefused() {
		return nil
	}
	refused := x.first.Col.Tally.Refused
	reason := "the runner refused it and ran nothing: " + lastLines(refused.Words[0])
	if n := len(refused.Words) - 1 + refused.More; n > 0 {
		reason += fmt.Sprintf(" (and %d more)", n)
	}
	return &api.UsageError{Reason: reason}
}

// judgeTargets determines the outcome of each test requested by name.
func (x *execution) judgeTargets() {
	if !x.plan.isOfTargets() {
		return
	}
	x.first.fold.Knows.Stopped = x.first.Exit().Cancelled
	decided := map[sdk.TestID]api.Requested{}
	if x.fallback != nil {
		for _, r := range outstanding.Judge(x.fallback.fold).Requested {
			decided[r.TestID] = r
		}
	}
	for _, r := range outstanding.Judge(x.first.fold).Requested {
		// A fallback that did not run the test says nothing about it.
		if d, ok := decided[r.TestID]; ok &&
			(d.Outcome != api.OutcomeDidNotRun || r.Outcome == api.OutcomeDidNotRun) {
			r = d
		}
		x.run.Requested = append(x.run.Requested, r)
	}
	x.run.Requested = append(x.run.Requested, x.plan.Chosen.Gone...)
}

// fillRun copies what the run showed into its object: all but its verdict.
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
	c.markQuarantined()
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
	c.fillShard()
	if m := c.plan.merged; m != nil {
		c.flaky = m.fill(c.run)
	}
	if c.run.From != nil {
		api.CompleteFrom(c.run)
	}
}

// fillShard records how the planned suites ended.
func (c *conclusion) fillShard() {
	if c.run.Shard == nil {
		return
	}
	about := *c.run.Shard
	about.Planned = slices.Clone(about.Planned)
	for i, p := range about.Planned {
		about.Planned[i].Ended = shard.EndOf(c.tally.Suites[p.Suite])
	}
	c.run.Shard = &about
}

// exitTimedOut is the exit code after a timeout, as in timeout(1).
const exitTimedOut = 124

// soundSuites returns the suites whose tests all ended without other failures.
func (x *execution) soundSuites() []string {
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
