package host

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/verdict"
	"github.com/proctorhq/proctor/sdk"
)

// Limits of what a tally keeps of a plugin's free texts. A plugin is not
// trusted to be brief.
const (
	maxNotes    = 50
	maxRunError = 16 << 10
)

// maxPartly is how many tests are named of which parts may never have started.
const maxPartly = 5

// partsUnknown says of which tests parts may never have started, and so have no names;
// empty where there are none.
func (t *tally) partsUnknown() string {
	if t.partlyTotal == 0 {
		return ""
	}
	names := strings.Join(t.partly, ", ")
	if more := t.partlyTotal - len(t.partly); more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return "parts of " + names + " may never have started: a rerun runs all of it"
}

// maxSigned is how many failures of a run are counted by their cause: to name a
// cause takes some microseconds.
const maxSigned = 20_000

// maxDistinct is how many tests of a run are told apart, to count each once.
const maxDistinct = 100_000

// distinct counts tests: each once, however often it ran.
type distinct struct {
	seed                   maphash.Seed
	status                 map[uint64]record.Status // the worst of each
	passed, skipped, again int
	tooMany                bool
}

func (d *distinct) add(r record.Result) {
	var h maphash.Hash
	h.SetSeed(d.seed)
	_, _ = h.WriteString(r.Suite)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(r.Test)
	id := h.Sum64()
	before, seen := d.status[id]
	switch {
	case seen:
		d.again++
	case len(d.status) >= maxDistinct:
		d.tooMany = true
	}
	if d.tooMany {
		return
	}
	now := r.Status
	if before == record.TestFailed || before == record.TestUnfinished || before == record.TestPassed && now == record.TestSkipped {
		now = before
	}
	d.count(before, -1)
	d.count(now, +1)
	d.status[id] = now
}

func (d *distinct) count(s record.Status, n int) {
	switch s {
	case record.TestPassed:
		d.passed += n
	case record.TestSkipped:
		d.skipped += n
	}
}

// fill puts the figures into the counts of a run.
func (d *distinct) fill(c *record.Counts) {
	if d.tooMany {
		return
	}
	c.Tests, c.TestsPassed, c.TestsSkipped, c.Repeats = len(d.status), d.passed, d.skipped, d.again
}

// tally adds up what a run showed. Its memory does not grow with the number of
// results or failures.
type tally struct {
	counts        record.Counts
	tests         distinct // without subtests and fixtures
	skippedParts  int      // results of subtests that were skipped
	failures      []record.Failure
	failuresTotal int
	causes        map[string]int // by signature, of the first maxSigned failures
	unfinished    []record.Test
	never         []record.Test
	suites        map[string]sdk.SuiteOutcome
	notes         []string
	runErrors     []string
	damaged       int64
	conditions    map[string]string
	fixtures      map[string]sdk.Status // of suites whose fixture did not pass
	signalled     map[string]bool       // suites of which a test, or they, were ended by a signal
	partly        []string              // listed tests that did not finish and have parts; the first maxPartly
	partlyTotal   int
	parts         int // tests inside others that passed or failed
	derived       int // failures that are said to come from others
	died          int // unfinished tests that are said to have failed by others
	results       int // of tests and fixtures, however they ended
	refused       refusals
	samples       []string

	buildFailures, otherFailures, interruptions int
	timedOut                                    bool
}

func newTally() *tally {
	return &tally{tests: distinct{seed: maphash.MakeSeed(), status: map[uint64]record.Status{}}, causes: map[string]int{}, suites: map[string]sdk.SuiteOutcome{}, conditions: map[string]string{}, fixtures: map[string]sdk.Status{},
		signalled: map[string]bool{}}
}

// Result, Failure and Flush make a tally one that hears what is read again.
func (t *tally) Result(r record.Result)   { t.result(r) }
func (t *tally) Failure(f record.Failure) { t.failure(f) }
func (t *tally) Flush()                   {}

func (t *tally) result(r record.Result) {
	t.results++
	if r.Root != "" && (r.Status == record.TestPassed || r.Status == record.TestFailed) {
		t.parts++
	}
	if r.Fixture {
		t.fixture(r)
		if r.Status == record.TestPassed {
			return // no evidence of any test
		}
		t.counts.Fixtures++
	} else if r.Root == "" {
		t.tests.add(r)
	} else {
		t.counts.Subtests++
	}
	switch r.Status {
	case record.TestPassed:
		t.counts.Passed++
	case record.TestFailed:
		if r.Derived {
			t.derived++
		} else {
			t.counts.Failed++
		}
	case record.TestSkipped:
		t.counts.Skipped++
		if r.Root != "" {
			t.skippedParts++
		}
	case record.TestUnfinished:
		t.counts.Unfinished++
		if r.Root != "" {
			t.counts.SubtestsUnfinished++
		}
		if len(t.unfinished) < record.MaxNames {
			t.unfinished = append(t.unfinished, record.Test{Suite: r.Suite, Test: r.Test})
		}
		if r.Container && r.Root == "" {
			t.partlyTotal++
			if len(t.partly) < maxPartly {
				t.partly = append(t.partly, report.QualifiedName(r.Suite, r.Test))
			}
		}
	}
}

// fixture notes what became of a suite's fixture, the worst of several.
func (t *tally) fixture(r record.Result) {
	switch {
	case r.Status == record.TestSkipped && t.fixtures[r.Suite] == 0:
		t.fixtures[r.Suite] = sdk.Skipped
	case r.Status == record.TestFailed || r.Status == record.TestUnfinished:
		t.fixtures[r.Suite] = sdk.Failed
	}
}

func (t *tally) failure(f record.Failure) {
	if t.failuresTotal++; t.failuresTotal <= maxSigned {
		t.causes[classify.Signature(f)]++
	}
	t.keep(f)
	switch f.Kind {
	case sdk.KindBuild, sdk.KindVet, sdk.KindSetup:
		t.buildFailures++
	case sdk.KindTimeout:
		t.timedOut = true
		t.interruptions++
	case sdk.KindSignal:
		t.interruptions++
		t.signalled[f.Suite] = true
	default:
		t.otherFailures++
	}
}

// keep carries the first failures. Where there is no more room, one that keeps other
// tests from running or from being believed takes the place of the last assertion.
func (t *tally) keep(f record.Failure) {
	if len(t.failures) < record.MaxFailures {
		t.failures = append(t.failures, f)
		return
	}
	if f.Kind == sdk.KindAssertion {
		return
	}
	for i, kept := range slices.Backward(t.failures) {
		if kept.Kind == sdk.KindAssertion {
			t.failures[i] = f
			return
		}
	}
}

func (t *tally) neverStarted(test record.Test) {
	t.counts.NeverStarted++
	if len(t.never) < record.MaxNames {
		t.never = append(t.never, test)
	}
}

func (t *tally) suite(s sdk.SuiteResult) {
	if _, ok := t.suites[s.Suite]; !ok {
		t.counts.Suites++
	}
	if s.Outcome == sdk.SuiteBuildFailed && t.suites[s.Suite] != sdk.SuiteBuildFailed {
		t.counts.BuildFailed++
	}
	// Several commands may run one suite: its worst end counts.
	if badness(s.Outcome) > badness(t.suites[s.Suite]) {
		t.suites[s.Suite] = s.Outcome
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
	return len(order) // of a newer protocol: nothing good is known of it
}

// unlisted is how many failures were counted and not kept.
func (t *tally) unlisted() int { return t.failuresTotal - len(t.failures) }

func (t *tally) unread(u sdk.Unread) {
	t.counts.ParseSkippedBytes += u.Bytes
	if u.Damaged {
		t.damaged += max(u.Bytes, 1) // damage without a size is damage
	}
	if len(t.samples) < maxNotes && u.Sample != "" {
		t.samples = append(t.samples, u.Sample)
	}
}

func (t *tally) note(text string) {
	if len(t.notes) < maxNotes && !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

func (t *tally) condition(name, value string) {
	if _, ok := t.conditions[name]; ok || len(t.conditions) < maxNotes {
		t.conditions[name] = value
	}
}

func (t *tally) runError(text string) {
	if len(t.runErrors) < maxNotes {
		t.runErrors = append(t.runErrors, text)
	}
}

func (t *tally) runErrorText() string {
	text := strings.Join(t.runErrors, "\n")
	if len(text) > maxRunError {
		text = strings.ToValidUTF8(text[:maxRunError], "") + "\n[TRUNCATED]"
	}
	return text
}

// aborted are the suites that ended early or have no end.
func (t *tally) aborted() []string {
	var suites []string
	for s, o := range t.suites {
		if o == sdk.SuiteAborted || o == sdk.SuiteUnfinished {
			suites = append(suites, s)
		}
	}
	slices.Sort(suites)
	return suites
}

// broken are the suites that did not build.
func (t *tally) broken() []string {
	var suites []string
	for s, o := range t.suites {
		if o == sdk.SuiteBuildFailed {
			suites = append(suites, s)
		}
	}
	slices.Sort(suites)
	return suites
}

// evidence is the tally's part of the evidence.
func (t *tally) evidence() verdict.Evidence {
	c := t.ended()
	e := verdict.Evidence{
		Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped,
		TestsPassed: c.TestsPassed, TestsSkipped: c.TestsSkipped, SubtestsSkipped: t.skippedParts, Repeats: c.Repeats,
		Unfinished: t.counts.Unfinished, SubtestsUnfinished: t.counts.SubtestsUnfinished, NeverStarted: t.counts.NeverStarted,
		BuildFailures: t.buildFailures, Failures: t.otherFailures, Interruptions: t.interruptions,
		DamagedBytes: t.damaged, RunError: t.runErrorText(), TimedOut: t.timedOut, PartsRan: t.parts,
	}
	for _, o := range t.suites {
		switch o {
		case sdk.SuiteUnfinished:
			e.SuitesUnfinished++
		case sdk.SuiteAborted:
			e.SuitesAborted++
		case sdk.SuiteBuildFailed:
			e.BuildFailures = max(e.BuildFailures, 1)
		case sdk.SuiteFailed, sdk.SuiteFailedOutsideTests:
			if t.buildFailures == 0 { // which may be what it failed of
				e.Failures = max(e.Failures, 1)
			}
		}
	}
	return e
}

// ended are the counts of a run that is over. Failures that are said to come from
// others count where nothing that they could come from was reported.
func (t *tally) ended() record.Counts {
	c := t.counted()
	if c.Failed+c.Unfinished-t.died+t.otherFailures+t.buildFailures+t.interruptions == 0 {
		c.Failed = t.derived + t.died
	}
	return c
}

// counted are the counts so far.
func (t *tally) counted() record.Counts {
	c := t.counts
	t.tests.fill(&c)
	for _, o := range t.suites {
		if o == sdk.SuiteNoTests {
			c.SuitesWithoutTests++
		}
	}
	return c
}

// addTexts takes over what another tally heard beside results.
func (t *tally) addTexts(o *tally) {
	for _, n := range o.notes {
		t.note(n)
	}
	t.runErrors = append(t.runErrors, o.runErrors...)
	for name, value := range o.conditions {
		t.condition(name, value)
	}
	t.counts.ParseSkippedBytes += o.counts.ParseSkippedBytes
	t.damaged += o.damaged
	t.samples = append(t.samples, o.samples...)
}
