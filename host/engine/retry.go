package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

// retryFailed runs the tests that failed again. Each attempt is a run of its own: a pass
// and a failure in one run are no evidence, as they may be of two tests with one name.
func (c *conclusion) retryFailed(ctx context.Context) {
	p := c.plan
	if p.retries.Most == 0 || c.err != nil || ctx.Err() != nil || wasCut(c.first.Exit()) || c.first.fold == nil {
		return
	}
	known := tally.InQuarantine(c.tally).Excused
	failed := slices.DeleteFunc(outstanding.FindFailed(c.first.fold), func(e outstanding.Entry) bool { _, ok := known[e.TestID]; return ok })
	if len(failed) == 0 {
		return
	}
	if why := c.whyNotRetried(failed); why != "" {
		c.run.Note(api.NoteRetry, why)
		return
	}
	failed = slices.DeleteFunc(failed, func(e outstanding.Entry) bool { return outstanding.HasRaced(c.first.fold, e.TestID) })
	retried := make([]api.Retried, len(failed))
	for i, e := range failed {
		retried[i].TestID = e.TestID
	}
	c.flaky = map[sdk.TestID]bool{}
	for try := 2; try <= 1+p.retries.Most && len(c.flaky) < len(failed); try++ {
		left := slices.DeleteFunc(slices.Clone(failed), func(e outstanding.Entry) bool { return c.flaky[e.TestID] })
		if again := c.attempt(ctx, left, retried, try); !again {
			break
		}
	}
	for _, r := range retried {
		if len(r.Attempts) > 0 {
			c.run.Retried = append(c.run.Retried, r)
		}
	}
}

// attempt retries what is left of the failed tests once, and adds what came of it to retried.
// again reports whether another attempt may follow.
func (c *conclusion) attempt(ctx context.Context, left []outstanding.Entry, retried []api.Retried, try int) (again bool) {
	done, why := c.retry(ctx, left, try)
	if why != "" {
		c.run.Note(api.NoteRetry, why)
		return false
	}
	attempts := judgeAttempt(done)
	for i := range retried {
		r := &retried[i]
		if a, ran := attempts[r.TestID]; ran {
			r.Attempts = append(r.Attempts, a)
			r.Flaky = a.Outcome == api.OutcomePassed && !done.HasRace
		}
		if r.Flaky {
			c.flaky[r.TestID] = true
		}
	}
	run := done.Run
	c.stopped = c.stopped || run.Cancelled
	cut := run.Cancelled || run.TimedOut
	switch {
	case done.HasRace:
		c.run.Note(api.NoteRetry, "retry "+run.RunID+" detected a data race: a pass in it or after it proves nothing")
	case cut:
		c.run.Note(api.NoteRetry, "retry "+run.RunID+" was cut short: "+run.Reason)
	}
	return !done.HasRace && !cut && run.Verdict != api.ToolError && run.Verdict != api.BuildFailed
}

// whyNotRetried says why failed tests do not run again; empty if they do.
func (x *execution) whyNotRetried(failed []outstanding.Entry) string {
	tests := outstanding.Select(outstanding.Set{Entries: failed}, outstanding.Inventory{}, len(failed), "").Names
	switch {
	case tests > x.plan.retries.Limit:
		return fmt.Sprintf("%s failed, more than the retry limit of %d: not retried", api.Plural(tests, "test"), x.plan.retries.Limit)
	case x.run.MixedState:
		return "failed tests were not retried: the sources changed during the run"
	case x.run.Fingerprint() == "":
		return "failed tests were not retried: without a record of the sources, nothing shows that they stay the same"
	}
	return ""
}

// retry runs the tests that enclose failed ones again. why says why there is no attempt, or
// none that counts.
func (c *conclusion) retry(ctx context.Context, failed []outstanding.Entry, try int) (done Outcome, why string) {
	left, ok := c.first.timeLeft(leastFallback)
	if !ok {
		return done, "no time was left to retry failed tests"
	}
	p, before := NewPlan(c.keeper, c.plan.Project, api.KindRetry, ledger.NewRunID(), left), c.plan
	chosen := outstanding.Select(outstanding.Set{Entries: failed}, outstanding.Inventory{}, len(failed), "")
	p.Store, p.Ledger, p.Retention, p.way, p.Chosen = before.Store, before.Ledger, before.Retention, before.way, &chosen
	p.Run.SessionID, p.Run.RetryOf, p.Run.Seed = c.run.SessionID, c.run.RunID, c.run.Seed
	p.Run.Selection.RunnerArgs, p.Run.Selection.Configured = before.runnerArgs(), c.run.Selection.Configured
	composed, err := p.Project.Plugin.RerunCmd(ctx, sdk.RerunRequest{
		Workspace: p.Project.Ws, Targets: IDsOf(chosen.Targets), Widen: true, RunnerArgs: p.runnerArgs(), Deadline: left, Seed: c.run.Seed,
	})
	switch {
	case err != nil:
		return done, "failed tests could not be retried: " + err.Error()
	case len(composed.Commands) == 0:
		return done, describeUncomposed(p.Project.ID.Name, chosen.Targets)
	}
	p.SetCommands(composed)
	c.first.Listeners.Listen(&api.Retrying{Try: try, Of: 1 + before.retries.Most, Tests: chosen.Names})
	done, err = Conduct(ctx, c.keeper, p, nil)
	if err != nil {
		return done, "failed tests could not be retried: " + err.Error()
	}
	if done.Run.MixedState || done.Run.Fingerprint() != c.run.Fingerprint() {
		return done, "the sources changed: retry " + done.Run.RunID + " says nothing about this run"
	}
	return done, ""
}

// judgeAttempt returns the outcome of each requested test in an attempt. It passed only if
// nothing that ran with it casts doubt on that.
func judgeAttempt(done Outcome) map[sdk.TestID]api.Attempt {
	unsound, doubted := done.Tally.Unsound(), map[sdk.TestID]bool{}
	roots := map[sdk.TestID]sdk.TestID{}
	for _, r := range done.Results {
		root := sdk.TestID{Suite: r.Suite, Test: cmp.Or(r.Root, r.Test)}
		roots[r.TestID] = root
		doubted[root] = doubted[root] || r.Status == sdk.Failed || r.Status == sdk.Unfinished
	}
	attempts := map[sdk.TestID]api.Attempt{}
	for _, r := range done.Run.Requested {
		id := r.TestID
		a := api.Attempt{RunID: done.Run.RunID, Outcome: r.Outcome, Why: r.Why}
		if r.Outcome == api.OutcomePassed {
			a.Outcome, a.Why = api.OutcomeFailed, ""
			switch {
			case done.Err != nil:
				a.Why = "it passed, but the run could not be read to its end"
			case !hasEnded(done.Tally, r.Suite):
				a.Why = "it passed, but its suite did not end well"
			case unsound[r.Suite]:
				a.Why = "it passed, but its suite failed outside of its tests"
			case done.Tally.CachedSuites[r.Suite]:
				a.Why = "it did not run: the result is from the runner's cache"
			case doubted[roots[id]]:
				a.Why = "it passed, but another part of the same test failed"
			default:
				a.Outcome = api.OutcomePassed
			}
		}
		if r.Outcome == api.OutcomeSkipped {
			a.Why = "skipped by the test itself"
		}
		attempts[id] = a
	}
	return attempts
}

// hasEnded reports whether all tests of a suite came to an end.
func hasEnded(t *tally.Tally, suite string) bool {
	return t.Suites[suite] == sdk.SuitePassed || t.Suites[suite] == sdk.SuiteFailed
}

// isOnlyFlaky reports whether nothing failed but tests that passed when retried, and known
// failures in quarantine.
func (c *conclusion) isOnlyFlaky() bool {
	if len(c.flaky) == 0 || c.fallback != nil {
		return false
	}
	known := tally.InQuarantine(c.tally)
	accepted, suites := maps.Clone(c.flaky), map[string]bool{}
	for id := range known.Excused {
		accepted[id] = true
	}
	for id := range accepted {
		suites[id.Suite] = true
	}
	if outstanding.HasRedBeside(c.first.fold, accepted) {
		return false
	}
	for suite, end := range c.tally.Suites {
		if end != sdk.SuitePassed && end != sdk.SuiteNoTests && !(end == sdk.SuiteFailed && suites[suite]) {
			return false
		}
	}
	return true
}
