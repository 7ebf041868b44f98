package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// Writer writes what happens in one run to the history, as it happens. It is called
// from one goroutine.
type Writer struct {
	rec history.Recorder
	// failed holds failures whose test has no result yet, bad the results whose failure
	// is still unknown: either may come first.
	failed map[sdk.TestID]api.Failure
	bad    map[sdk.TestID]history.Result
	// open holds the results of tests that did not end: what they prove is known only
	// once the run has ended.
	open map[sdk.TestID]history.Result
	// fixtures are not tests: what they do counts for their suites.
	fixtures map[sdk.TestID]bool
}

// maxHeld bounds each of these. Beyond it, results are recorded without the cause of
// their failure.
const maxHeld = 10_000

// brokenOff is the least recorded duration of a test that the user interrupted. It
// proves as little as one that never started, and is told from that by its duration.
const brokenOff = time.Millisecond

// NewWriter starts writing a run.
func NewWriter(ctx context.Context, l *Ledger, run api.Run) (*Writer, error) {
	rec, err := l.History.Begin(ctx, ToHistoryRun(run))
	if err != nil {
		return nil, err
	}
	c := &Writer{rec: rec}
	c.forget()
	return c, nil
}

// Abandon leaves the run without an end on record.
func (c *Writer) Abandon() { c.rec.Abandon() }

func (c *Writer) forget() {
	c.failed, c.bad = map[sdk.TestID]api.Failure{}, map[sdk.TestID]history.Result{}
	c.open, c.fixtures = map[sdk.TestID]history.Result{}, map[sdk.TestID]bool{}
}

// Listen handles an event of the run.
func (c *Writer) Listen(e api.Event) {
	switch e := e.(type) {
	case *api.TestEnded:
		c.addResult(e.Result)
	case *api.FailureFound:
		c.addFailure(e.Failure)
	}
}

// addResult handles the end of a test.
func (c *Writer) addResult(r api.Result) {
	id := r.TestID
	result := ToHistoryResult(r)
	if r.Fixture {
		if !result.Outcome.Bad() {
			return // not evidence about any test
		}
		c.fixtures[id] = true
		result = history.Result{TestID: sdk.TestID{Suite: r.Suite}, File: r.File, Outcome: history.Failed, Duration: result.Duration}
	}
	f, ok := c.failed[id]
	if result.Outcome.Bad() && ok {
		delete(c.failed, id)
		result = addCause(result, f)
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

// addFailure handles a failure of a test, a suite or the run.
func (c *Writer) addFailure(f api.Failure) {
	id := f.TestID
	if result, ok := c.open[id]; ok {
		if SaysOnlyUnfinished(result.Kind) {
			c.open[id] = addCause(result, f)
		}
		return
	}
	if result, ok := c.bad[id]; ok {
		delete(c.bad, id)
		c.rec.Add(addCause(result, f))
		return
	}
	if id.Test == "" {
		c.rec.Add(addCause(history.Result{TestID: id, Outcome: history.Failed}, f))
		return
	}
	if known, ok := c.failed[id]; !ok && len(c.failed) < maxHeld || ok && SaysOnlyUnfinished(known.Kind) {
		c.failed[id] = f // the first of several that says something names the cause
	}
}

// SaysOnlyUnfinished reports whether a failure of a test that did not end says nothing
// more than that.
func SaysOnlyUnfinished(kind string) bool {
	return kind == "" || kind == sdk.KindSignal || kind == sdk.KindTimeout
}

// settle writes what still waits for its other half. That the user interrupted a test is
// no evidence against it, unless something in it had failed.
func (c *Writer) settle(cancelled bool) {
	for id, result := range c.open {
		if cancelled && SaysOnlyUnfinished(result.Kind) {
			result = history.Result{
				TestID: id, File: result.File, Line: result.Line, Root: result.Root,
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
		c.rec.Add(addCause(history.Result{TestID: id, Outcome: history.Failed}, f))
	}
	c.forget()
}

// Restart discards everything written: the events are about to be sent again.
func (c *Writer) Restart(ctx context.Context) error {
	c.forget()
	return c.rec.Reset(ctx)
}

// Finish ends the recorded run. sound are the suites whose tests all ended: each gets a
// pass of its own, with which a later build failure is compared.
func (c *Writer) Finish(ctx context.Context, run api.Run, whole bool, sound []string) error {
	c.settle(run.Cancelled)
	for _, t := range run.NeverStarted {
		c.rec.Add(history.Result{TestID: t, Outcome: history.NeverStarted})
	}
	for _, suite := range sound {
		c.rec.Add(history.Result{TestID: sdk.TestID{Suite: suite}, Outcome: history.Passed})
	}
	if whole && run.Verdict == api.Passed && run.Counts.Cached == 0 && run.Quarantined == 0 {
		c.rec.Add(history.Result{Outcome: history.Passed})
	}
	row := ToHistoryRun(run)
	row.Whole = whole
	return c.rec.Finish(ctx, row)
}

// FinishSlot makes a run the last one of its session, and makes it durable before anybody
// is told its verdict. What must survive a power failure is what the run left outstanding:
// either the history has it, or the history lacks the run that the slot names, and then
// everything is outstanding. So one of the two has to be synced, and that is the history,
// as it is one file instead of two. m is nil if the history has not got the run, its end,
// and what it left outstanding.
func FinishSlot(ctx context.Context, store *artifacts.Store, l *Ledger, run api.Run) error {
	if l == nil {
		return store.Finish(ctx, run)
	}
	if err := store.FinishUnsynced(ctx, run); err != nil {
		return err
	}
	if l.History.Sync() != nil {
		return store.Finish(ctx, run)
	}
	return nil
}

// addCause returns a result with the cause of its failure.
func addCause(r history.Result, f api.Failure) history.Result {
	r.Signature, r.Kind, r.Excerpt = classify.Signature(f), f.Kind, Headline(f)
	if r.File == "" && f.TestFrame.File != "" {
		r.File, r.Line = f.TestFrame.File, f.TestFrame.Line
	}
	return r
}

func ToHistoryResult(r api.Result) history.Result {
	result := history.Result{
		TestID: r.TestID, File: r.File, Line: r.Line, Body: r.Body, Root: r.Root,
		Derived: r.Derived, Duration: time.Duration(r.DurationS * float64(time.Second)),
	}
	switch r.Status {
	case sdk.Passed:
		if result.Outcome = history.Passed; r.Cached {
			result.Outcome = history.Cached
		}
	case sdk.Failed:
		result.Outcome = history.Failed
	case sdk.Skipped:
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

// ToHistoryRun converts a run for the history.
func ToHistoryRun(run api.Run) history.Run {
	row := history.Run{
		ID: run.RunID, SessionID: run.SessionID, Kind: run.Kind, Language: run.Language,
		Plugin: run.Plugin.Name, PluginVersion: run.Plugin.Version, State: run.State,
		Verdict: run.Verdict, Reason: Excerpt(run.Reason), StartedAt: run.StartedAt,
		Duration: time.Duration(run.DurationS * float64(time.Second)), Counts: run.Counts,
		Outstanding: run.Outstanding, MixedState: run.MixedState, Environment: run.Environment,
		Seed: run.Seed, Origin: run.Origin,
	}
	if run.Source != nil {
		row.Fingerprint, row.Commit, row.Branch = run.Source.Fingerprint, run.Source.Commit, run.Source.Branch
	}
	return row
}

// maxExcerpt is how many bytes of a text the history keeps: enough to recognize it in a
// list. The artifacts have all of it.
const maxExcerpt = 200

// Excerpt returns the first line of a text, bounded.
func Excerpt(text string) string {
	text = strings.TrimSpace(text)
	text, _, _ = strings.Cut(text, "\n")
	return prose.Cut(text, maxExcerpt, "…")
}

// Headline returns what the history keeps of a failure's message.
func Headline(f api.Failure) string { return Excerpt(f.Headline()) }

// How far ahead another machine's clock may be: for a time that the user gives, and in an
// archive.
const (
	MaxClockAhead  = time.Minute
	maxImportAhead = 24 * time.Hour
)

// IsPossibleTime reports whether something recorded elsewhere can have happened at a
// time. A result from the future would stay the latest of its test until then.
func IsPossibleTime(at, now time.Time, ahead time.Duration) bool {
	return at.Unix() >= 0 && !at.After(now.Add(ahead))
}

// outcomeWords returns the words for the outcomes, in answers and archives.
func outcomeWords() []string {
	return []string{
		history.Passed: string(sdk.Passed), history.Failed: string(sdk.Failed),
		history.Skipped: string(sdk.Skipped), history.Unfinished: string(sdk.Unfinished),
		history.NeverStarted: string(api.TestNeverStarted), history.Cached: string(api.TestCached),
	}
}

// OutcomeWord returns the word for an outcome, including one that no version of proctor
// wrote.
func OutcomeWord(o history.Outcome) string {
	if words := outcomeWords(); int(o) < len(words) {
		return words[o]
	}
	return fmt.Sprintf("outcome %d", o)
}

// ParseOutcome returns the outcome that a word stands for.
func ParseOutcome(word string) (o history.Outcome, known bool) {
	at := slices.Index(outcomeWords(), word)
	return history.Outcome(max(at, 0)), at >= 0
}
