package tally

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/quarantine"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// Tally adds up what a run showed. Its memory does not grow with the number of results
// or failures.
type Tally struct {
	Counts       api.Counts
	Tests        distinct // without subtests and fixtures
	skippedParts int      // results of subtests that were skipped
	failures
	texts
	Unfinished []sdk.TestID
	Never      []sdk.TestID
	// suitesNeverStarted counts the suites in it, and beyond it.
	suitesNeverStarted int
	Suites             map[string]sdk.SuiteOutcome
	CachedSuites       map[string]bool
	Fixtures           map[string]sdk.Status // of suites whose fixture did not pass
	partly             []sdk.TestID          // listed tests that did not finish and have parts; the first maxPartly
	partlyTotal        int
	parts              int // tests inside others that passed or failed
	derived            int // failures attributed to others
	died               int // unfinished tests said to have failed because of others
	results            int // of tests and fixtures, however they ended
	Refused            refusals
	// Quarantine, if set, receives every event and decides which failures do not count.
	Quarantine *quarantine.Judge
}

// NewTally returns an empty Tally.
func NewTally() *Tally {
	return &Tally{Tests: newDistinct(), failures: newFailures(), texts: newTexts(), Suites: map[string]sdk.SuiteOutcome{}, CachedSuites: map[string]bool{}, Fixtures: map[string]sdk.Status{}}
}

// Listen adds up an event.
func (t *Tally) Listen(e api.Event) {
	if t.Quarantine != nil {
		t.Quarantine.Listen(e)
	}
	switch e := e.(type) {
	case *api.TestEnded:
		t.addResult(&e.Result)
	case *api.FailureFound:
		t.addFailure(&e.Failure)
	case *api.SuiteEnded:
		t.addSuite(e.Suite, e.Outcome)
		if e.Cached {
			t.CachedSuites[e.Suite] = true
		}
	case *api.Unread:
		t.Counts.ParseSkippedBytes += e.Unread.Bytes
		t.addUnread(e.Unread)
	case *api.Refused:
		t.Refused.add(e.Refusal)
	case *api.Noted:
		t.Note(e.Text)
	case *api.RunnerFailed:
		t.addRunError(e.Text)
	case *api.ConditionFound:
		t.addCondition(e.Name, e.Value)
	}
}

func (t *Tally) addResult(r *api.Result) {
	t.results++
	if r.Root != "" && (r.Status == sdk.Passed || r.Status == sdk.Failed) {
		t.parts++
	}
	if r.Fixture {
		t.addFixture(r)
		if r.Status == sdk.Passed {
			return // not evidence about any test
		}
		t.Counts.Fixtures++
	} else if r.Root == "" {
		t.Tests.add(r)
	} else {
		t.Counts.Subtests++
	}
	switch r.Status {
	case sdk.Passed:
		t.Counts.Passed++
		if r.Cached {
			t.Counts.Cached++
		}
	case sdk.Failed:
		if r.Derived {
			t.derived++
		} else {
			t.Counts.Failed++
		}
	case sdk.Skipped:
		t.Counts.Skipped++
		if r.Root != "" {
			t.skippedParts++
		}
	case sdk.Unfinished:
		t.Counts.Unfinished++
		if r.Root != "" {
			t.Counts.SubtestsUnfinished++
		}
		if len(t.Unfinished) < api.MaxNames {
			t.Unfinished = append(t.Unfinished, r.TestID)
		}
		if r.Container && r.Root == "" {
			t.partlyTotal++
			if len(t.partly) < maxPartly {
				t.partly = append(t.partly, r.TestID)
			}
		}
	}
}

// addFixture records the worst result of a suite's fixture.
func (t *Tally) addFixture(r *api.Result) {
	switch {
	case r.Status == sdk.Skipped && t.Fixtures[r.Suite] == "":
		t.Fixtures[r.Suite] = sdk.Skipped
	case r.Status == sdk.Failed || r.Status == sdk.Unfinished:
		t.Fixtures[r.Suite] = sdk.Failed
	}
}

// AddNeverStarted adds a test that was selected and did not start.
func (t *Tally) AddNeverStarted(test sdk.TestID) {
	t.Counts.NeverStarted++
	if test.Test == "" {
		t.suitesNeverStarted++
	}
	if len(t.Never) < api.MaxNames {
		t.Never = append(t.Never, test)
	}
}

func (t *Tally) addSuite(suite string, end sdk.SuiteOutcome) {
	if _, ok := t.Suites[suite]; !ok {
		t.Counts.Suites++
	}
	if end == sdk.SuiteBuildFailed && t.Suites[suite] != sdk.SuiteBuildFailed {
		t.Counts.BuildFailed++
	}
	// Several commands may run one suite: its worst end counts.
	if badness(end) > badness(t.Suites[suite]) {
		t.Suites[suite] = end
	}
}

// badness orders the ends of a suite.
func badness(o sdk.SuiteOutcome) int {
	order := []sdk.SuiteOutcome{
		0, sdk.SuiteNoTests, sdk.SuitePassed, sdk.SuiteFailed, sdk.SuiteFailedOutsideTests,
		sdk.SuiteAborted, sdk.SuiteUnfinished, sdk.SuiteBuildFailed,
	}
	if i := slices.Index(order, o); i >= 0 {
		return i
	}
	return len(order) // from a newer plugin: assume the worst
}

// SuitesThatEnded returns the suites with one of these ends, sorted.
func (t *Tally) SuitesThatEnded(ends ...sdk.SuiteOutcome) []string {
	var suites []string
	for s, end := range t.Suites {
		if slices.Contains(ends, end) {
			suites = append(suites, s)
		}
	}
	slices.Sort(suites)
	return suites
}

// Aborted returns the suites that ended early, or whose end is unknown.
func (t *Tally) Aborted() []string { return t.SuitesThatEnded(sdk.SuiteAborted, sdk.SuiteUnfinished) }

// Evidence returns the evidence for the verdict, as far as events show it.
func (t *Tally) Evidence() verdict.Evidence {
	c := t.Ended()
	e := verdict.Evidence{
		Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped,
		TestsPassed: c.TestsPassed, TestsSkipped: c.TestsSkipped, TestsCached: c.TestsCached, Cached: c.Cached, SubtestsSkipped: t.skippedParts, Repeats: c.Repeats,
		Unfinished: t.Counts.Unfinished, SubtestsUnfinished: t.Counts.SubtestsUnfinished, NeverStarted: t.Counts.NeverStarted, SuitesNeverStarted: t.suitesNeverStarted,
		BuildFailures: t.buildFailures, Failures: t.otherFailures, Interruptions: t.interruptions,
		DamagedBytes: t.damaged, RunError: t.RunErrorText(), TimedOut: t.TimedOut, PartsRan: t.parts,
	}
	known := InQuarantine(t)
	e.Failed, e.Failures = e.Failed-known.Results, e.Failures-known.Failures
	for _, worst := range t.Fixtures {
		if worst == sdk.Skipped {
			e.SuitesSkipped++
		}
	}
	for suite, o := range t.Suites {
		switch o {
		case sdk.SuiteUnfinished:
			e.SuitesUnfinished++
		case sdk.SuiteAborted:
			e.SuitesAborted++
		case sdk.SuiteBuildFailed:
			e.BuildFailures = max(e.BuildFailures, 1)
		case sdk.SuiteFailed, sdk.SuiteFailedOutsideTests:
			if t.buildFailures == 0 && !known.Suites[suite] { // which may be why it failed
				e.Failures = max(e.Failures, 1)
			}
		}
	}
	return e
}

// InQuarantine returns the tests with known failures in quarantine. It returns none if the
// tally did not see every failure.
func InQuarantine(t *Tally) quarantine.Finding {
	if t.Quarantine == nil {
		return quarantine.Finding{}
	}
	found := t.Quarantine.Find()
	if t.heard != t.FailuresTotal {
		return quarantine.Finding{Expired: found.Expired}
	}
	return found
}

// Ended returns the counts of a finished run. Failures derived from others count if there
// is nothing that they could be derived from.
func (t *Tally) Ended() api.Counts {
	c := t.Counted()
	if c.Failed+c.Unfinished-t.died+t.otherFailures+t.buildFailures+t.interruptions == 0 {
		c.Failed = t.derived + t.died
	}
	return c
}

// Counted returns the counts so far.
func (t *Tally) Counted() api.Counts {
	c := t.Counts
	t.Tests.fill(&c)
	for _, o := range t.Suites {
		if o == sdk.SuiteNoTests {
			c.SuitesWithoutTests++
		}
	}
	return c
}

// AddTexts copies what another tally has besides results.
func (t *Tally) AddTexts(o *Tally) {
	t.Counts.ParseSkippedBytes += o.Counts.ParseSkippedBytes
	t.texts.add(&o.texts)
}

// Unsound returns the suites in which something besides a test failed: a fixture, or the
// suite itself. If not every failure was kept, it includes all failed suites.
func (t *Tally) Unsound() map[string]bool {
	unsound := map[string]bool{}
	for suite, status := range t.Fixtures {
		unsound[suite] = status == sdk.Failed
	}
	for _, f := range t.Failures {
		if f.Test == "" {
			unsound[f.Suite] = true
		}
	}
	for suite, end := range t.Suites {
		if end == sdk.SuiteFailed && t.Unlisted() > 0 {
			unsound[suite] = true
		}
	}
	return unsound
}

// ReportedOn reports whether suites were selected by name and all of them were reported,
// so that nothing can have been left undone.
func (t *Tally) ReportedOn(s sdk.Selection) bool {
	for _, suite := range s.Suites {
		if _, ok := t.Suites[suite]; !ok {
			return false
		}
	}
	return len(s.Suites) > 0
}

// IsUntold reports whether no suite or test was reported at all.
func (t *Tally) IsUntold() bool {
	c := t.Counts
	return len(t.Suites) == 0 && c.Passed+c.Failed+c.Skipped+c.Unfinished == 0
}

// EndedItself reports whether a suite of an interrupted run ended early by itself, not
// by the interrupt, which ends processes by a signal.
func (t *Tally) EndedItself(suite string) bool {
	return t.Suites[suite] == sdk.SuiteAborted && !t.signalled[suite]
}

// maxPartly is how many tests [Tally.PartsUnknown] names.
const maxPartly = 5

// PartsUnknown returns a note about tests whose parts may never have started, and so have
// no names; none if there are no such tests.
func (t *Tally) PartsUnknown() []api.Note {
	if t.partlyTotal == 0 {
		return nil
	}
	n := api.Note{Code: api.NotePartly}
	if t.partlyTotal == 1 {
		n.Test = t.partly[0]
	}
	names := prose.Listed(t.partly, t.partlyTotal, maxPartly, func(id sdk.TestID) string { return prose.QualifiedName(id.Suite, id.Test) })
	n.Text = "parts of " + names + " may never have started: a rerun runs all of it"
	return []api.Note{n}
}
