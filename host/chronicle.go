package host

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// chronicle writes what happens in one run into the history, as it happens. It is
// called from one goroutine.
type chronicle struct {
	memory *memory
	rec    history.Recorder
	// failed holds the failures whose test has no result yet, and bad the results
	// whose failure is not known yet: either may come first.
	failed map[record.Test]record.Failure
	bad    map[record.Test]history.Result
	// open are the results of tests that did not end: what they are evidence of is
	// known when the run has ended.
	open map[record.Test]history.Result
	// fixtures are no tests: what they do counts for their suites.
	fixtures map[record.Test]bool
}

// maxHeld bounds what waits for its other half. Beyond it results are on record
// without the cause of their failure.
const maxHeld = 10_000

// brokenOff is the least duration on record of a test that the user broke off: it
// tells it from one that never started, of which as little is proved.
const brokenOff = time.Millisecond

// chronicle begins to write a run.
func (m *memory) chronicle(ctx context.Context, run record.Run) (*chronicle, error) {
	rec, err := m.history.Begin(ctx, historyRun(run))
	if err != nil {
		return nil, err
	}
	c := &chronicle{memory: m, rec: rec}
	c.forget()
	return c, nil
}

func (c *chronicle) forget() {
	c.failed, c.bad = map[record.Test]record.Failure{}, map[record.Test]history.Result{}
	c.open, c.fixtures = map[record.Test]history.Result{}, map[record.Test]bool{}
}

// Result takes the end of a test.
func (c *chronicle) Result(r record.Result) {
	id := record.Test{Suite: r.Suite, Test: r.Test}
	result := historyResult(r)
	if r.Fixture {
		if !result.Outcome.Bad() {
			return // no evidence of any test
		}
		c.fixtures[id] = true
		result = history.Result{Test: record.Test{Suite: r.Suite}, File: r.File, Outcome: history.Failed, Duration: result.Duration}
	}
	f, ok := c.failed[id]
	if result.Outcome.Bad() && ok {
		delete(c.failed, id)
		result = caused(result, f)
	}
	switch {
	case result.Outcome == history.Unfinished && len(c.open) < maxHeld:
		c.open[id] = result
	case result.Outcome.Bad() && !ok && len(c.bad) < maxHeld:
		c.bad[id] = result
	default:
		c.rec.Add(result)
	}
}

// Failure takes a failure, of a test, a suite or the run.
func (c *chronicle) Failure(f record.Failure) {
	id := record.Test{Suite: f.Suite, Test: f.Test}
	if result, ok := c.open[id]; ok {
		if saysNoMore(result.Kind) {
			c.open[id] = caused(result, f)
		}
		return
	}
	if result, ok := c.bad[id]; ok {
		delete(c.bad, id)
		c.rec.Add(caused(result, f))
		return
	}
	if id.Test == "" {
		c.rec.Add(caused(history.Result{Test: id, Outcome: history.Failed}, f))
		return
	}
	if known, ok := c.failed[id]; !ok && len(c.failed) < maxHeld || ok && saysNoMore(known.Kind) {
		c.failed[id] = f // the first of several that says something names the cause
	}
}

// Flush does nothing: the history writes by itself, in batches.
func (c *chronicle) Flush() {}

// saysNoMore tells whether a failure of a test that did not end says nothing but that.
func saysNoMore(kind string) bool {
	return kind == "" || kind == sdk.KindSignal || kind == sdk.KindTimeout
}

// settle writes what is still waiting for its other half. What the user broke off
// is no evidence against a test that had not ended, unless something in it had failed.
func (c *chronicle) settle(cancelled bool) {
	for id, result := range c.open {
		if cancelled && saysNoMore(result.Kind) {
			result = history.Result{
				Test: id, File: result.File, Line: result.Line, Root: result.Root,
				Outcome: history.NeverStarted, Duration: max(result.Duration, brokenOff),
			}
		}
		c.rec.Add(result)
	}
	for _, result := range c.bad {
		c.rec.Add(result)
	}
	for id, f := range c.failed {
		if c.fixtures[id] {
			id.Test = ""
		}
		c.rec.Add(caused(history.Result{Test: id, Outcome: history.Failed}, f))
	}
	c.forget()
}

// restart takes everything back: it is about to be told again.
func (c *chronicle) restart(ctx context.Context) error {
	c.forget()
	return c.rec.Reset(ctx)
}

// finish ends the run on record. sound are the suites whose tests came to their
// ends: that is what a suite itself does when it passes, and a later run in which it
// does not build is compared with.
func (c *chronicle) finish(ctx context.Context, run record.Run, whole bool, sound []string) error {
	c.settle(run.Cancelled)
	for _, t := range run.NeverStarted {
		c.rec.Add(history.Result{Test: t, Outcome: history.NeverStarted})
	}
	for _, suite := range sound {
		c.rec.Add(history.Result{Test: record.Test{Suite: suite}, Outcome: history.Passed})
	}
	if whole && run.Verdict == record.Passed {
		c.rec.Add(history.Result{Outcome: history.Passed})
	}
	row := historyRun(run)
	row.Whole = whole
	return c.rec.Finish(ctx, row)
}

// caused is a result with the cause of its failure.
func caused(r history.Result, f record.Failure) history.Result {
	r.Signature, r.Kind, r.Excerpt = classify.Signature(f), f.Kind, headline(f)
	if r.File == "" && f.TestFrame != nil {
		r.File, r.Line = f.TestFrame.File, f.TestFrame.Line
	}
	return r
}

func historyResult(r record.Result) history.Result {
	result := history.Result{
		Test: record.Test{Suite: r.Suite, Test: r.Test}, File: r.File, Line: r.Line, Body: r.Body, Root: r.Root,
		Derived: r.Derived, Duration: time.Duration(r.DurationS * float64(time.Second)),
	}
	switch r.Status {
	case record.TestPassed:
		result.Outcome = history.Passed
	case record.TestFailed:
		result.Outcome = history.Failed
	case record.TestSkipped:
		result.Outcome = history.Skipped
	default:
		result.Outcome = history.Unfinished
	}
	if result.Outcome == history.Passed {
		for _, m := range r.Measures {
			if value, err := m.Value.Int64(); err == nil && m.Section == "" {
				result.Measures = append(result.Measures, history.Measure{Name: m.Name, Value: value})
			}
		}
	}
	return result
}

// historyRun is a run as the history has it.
func historyRun(run record.Run) history.Run {
	row := history.Run{
		ID: run.RunID, SessionID: run.SessionID, Kind: run.Kind, Language: run.Language,
		Plugin: run.Plugin.Name, PluginVersion: run.Plugin.Version, State: run.State,
		Verdict: run.Verdict, Reason: excerpt(run.Reason), StartedAt: run.StartedAt,
		Duration: time.Duration(run.DurationS * float64(time.Second)), Counts: run.Counts,
		Outstanding: run.Outstanding, MixedState: run.MixedState, Environment: run.Environment,
		Seed: run.Seed, Origin: run.Origin,
	}
	if run.Source != nil {
		row.Fingerprint, row.Commit, row.Branch = run.Source.Fingerprint, run.Source.Commit, run.Source.Branch
	}
	return row
}
