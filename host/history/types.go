package history

import (
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
)

// Run is a run as the history has it. Its object, with failures and their texts,
// is an artefact of the session's records.
type Run struct {
	ID        string
	SessionID string
	Kind      api.Kind
	Language  string
	// Plugin and PluginVersion name who read it.
	Plugin, PluginVersion string
	State                 api.State
	Verdict               api.Verdict
	Reason                string
	StartedAt             time.Time
	// Duration is zero while it is running.
	Duration time.Duration
	Counts   api.Counts
	// Outstanding counts what was outstanding after it.
	Outstanding int
	// Fingerprint is the source state it saw; empty is not known. Commit and
	// Branch are what git had checked out.
	Fingerprint, Commit, Branch string
	MixedState                  bool
	// Environment is as in [api.Run].
	Environment string
	// Seed is what it drew at random from.
	Seed string
	// Whole: it was one of everything, without a selection or runner arguments, and
	// got to its end.
	Whole bool
	// Origin is as in [api.Run].
	Origin string
	// Order is the place in the order in which runs were put on record. The store
	// sets it.
	Order int64
}

// Complete reports whether the run got to every test there is: what it has no result
// of does not exist, in its environment.
func (r Run) Complete() bool {
	c := r.Counts
	return r.Whole && (r.Verdict == api.Passed || r.Verdict == api.Failed) && c.Unfinished+c.NeverStarted+c.BuildFailed == 0
}

// Outcome is how a test ended in a run.
type Outcome uint8

// The outcomes. Passed is zero: most are, and an index leaves them out.
const (
	Passed Outcome = iota
	Failed
	Skipped
	Unfinished
	NeverStarted
)

// Bad reports whether the outcome is evidence against a test.
func (o Outcome) Bad() bool { return o == Failed || o == Unfinished }

// Conclusive reports whether the outcome is evidence at all.
func (o Outcome) Conclusive() bool { return o == Passed || o.Bad() }

// Worse tells which of several outcomes of a test in one run counts: a failure is
// not hidden by a pass, nor a pass by a skip. The order is never started, skipped,
// passed, unfinished, failed. The store's own sums (Files, Compare) are about what
// did not pass instead: there a skip beside a pass counts.
func (o Outcome) Worse(than Outcome) bool { return o.severity() > than.severity() }

func (o Outcome) severity() int {
	switch o {
	case Failed:
		return 4
	case Unfinished:
		return 3
	case Passed:
		return 2
	case Skipped:
		return 1
	}
	return 0
}

// TestKey names a test of a language. An empty Test is the suite itself: it has
// results where it failed although no test did, and where it passes after that.
type TestKey struct {
	Language string
	api.Test
}

// Result is what a test did in a run. A test may have several in one.
type Result struct {
	api.Test
	// File and Line are where it is declared; empty is not known. The dictionary
	// keeps the latest that is known; of a foreign run only where it did not
	// have the test.
	File string
	Line int
	// Body is a digest of its body, kept as these are.
	Body string
	// Root is the listed test that it belongs to, if not itself.
	Root    string
	Outcome Outcome
	// Derived: it failed only because of tests inside it.
	Derived  bool
	Duration time.Duration
	// Signature and Kind name the cause of a failure, Excerpt is the headline of
	// it.
	Signature, Kind, Excerpt string
	// Measures are the whole-test measures: name and value.
	Measures []Measure
}

// Measure is a figure of a whole test, such as its gas.
type Measure struct {
	Name  string
	Value int64
}

// Test is an entry of the dictionary of tests.
type Test struct {
	TestKey
	Root string
	File string
	Line int
	Body string
	// FirstRun and FirstSession are where it was seen first, also when that is no
	// longer on record.
	FirstRun, FirstSession string
	FirstAt                time.Time
}

// Timeline is what is on record of one test.
type Timeline struct {
	Test
	// Points are its results, the oldest first, of finished runs only.
	Points []Point
	// Cut: there are older ones on record.
	Cut bool
}

// Point is a test's result in its run.
type Point struct {
	RunID, SessionID string
	// Order is that of the run.
	Order int64
	// At is when the run started.
	At          time.Time
	Outcome     Outcome
	Derived     bool
	Duration    time.Duration
	Fingerprint string
	MixedState  bool
	Environment string
	Seed        string
	Signature   string
	// Kind of the failure, Excerpt the headline of it.
	Kind, Excerpt string
	// RunKind tells what ran: results of a triage are of another state.
	RunKind api.Kind
}

// SourceFile is a file in which tests of a language are declared.
type SourceFile struct{ Language, File string }

// FileCount sums up the tests of one file in a run.
type FileCount struct {
	File                       string
	Passed, Bad, Skipped, Else int
	// New counts the tests that were first seen in the run's session.
	New int
}

// Change is a test that did not end alike in two runs.
type Change struct {
	Test
	// Before and Now are how it ended; the flags report whether it ran at all.
	Before, Now                 Outcome
	InBefore, InNow             bool
	DurationBefore, DurationNow time.Duration
}

// RunFilter narrows runs. Zero values do not narrow.
type RunFilter struct {
	Language  string
	SessionID string
	// NotSession leaves out a session.
	NotSession string
	Kinds      []api.Kind
	State      api.State
	// Before is an order: only earlier runs.
	Before int64
	// Whole: only runs of everything, in this Environment if it is not empty.
	Whole       bool
	Environment string
	// Setting: only runs with this one, see [Run.Setting].
	Setting string
	// Limit is the most to return; 0 is all.
	Limit int
}

// TestFilter narrows tests. Zero values do not narrow.
type TestFilter struct {
	Language string
	// Name is compared with the whole of a test's name, its suite, its suite and
	// name joined by "/" or a space, or the end of that after a "/"; File with the
	// whole of its file or the end of that after a "/".
	Name, File string
	Limit      int
}

// SuspectFilter narrows suspects.
type SuspectFilter struct {
	Language string
	// Sessions is the least number of different sessions in which it ended badly
	// at least once.
	Sessions int
	// Both: it also passed, on a state and in an environment in which it failed.
	Both bool
	// Runs looks only at the latest so many runs; 0 is all.
	Runs int
	// Of are orders: only tests that have results in one of these runs.
	Of    []int64
	Limit int
}

// TimelineFilter says whose timelines are meant.
type TimelineFilter struct {
	Language string
	Tests    []api.Test
	// Before is an order: only earlier runs. 0 is all.
	Before int64
	// Points is the most for a test, the newest count; 0 is 200.
	Points int
	// Ends adds, of a test that has older points, those that decide how it stands:
	// the last conclusive one of each earlier session, and its last pass.
	Ends bool
}

// DurationFilter says whose durations are meant.
type DurationFilter struct {
	Language string
	// Runs is how many of the latest runs count; 0 is 10.
	Runs int
	// Limit is the most tests to return, the slowest first; 0 is all.
	Limit int
}

// Duration is how long a test took when it passed.
type Duration struct {
	Test
	Mean, Last time.Duration
	Runs       int
}

// MeasureFilter says whose measures are meant.
type MeasureFilter struct {
	Language, Name string
	// Tests narrows; none is all.
	Tests []api.Test
	Runs  int
}

// Measured is a measure of a test in a run.
type Measured struct {
	TestKey
	RunID string
	At    time.Time
	Value int64
}

// Deferral is a test that the user set aside.
type Deferral struct {
	TestKey
	// File is where the test is declared, and Digest its content then: when that
	// changes, the deferral is over.
	File, Digest string
	SessionID    string
	At           time.Time
	Reason       string
}

// ImportedSession begins the names of the sessions of imported runs: those of the
// workspace that they were made in are none of this one.
const ImportedSession = "import:"

// Foreign reports whether the run was made elsewhere: its output was ingested, or it
// was imported. It says nothing of the workspace as it is here.
func (r Run) Foreign() bool { return r.Origin != "" || isForeign(r.Kind, r.SessionID) }

// Foreign reports whether the point is of a run that was made elsewhere.
func (p Point) Foreign() bool { return isForeign(p.RunKind, p.SessionID) }

func isForeign(kind api.Kind, session string) bool {
	return kind == api.KindIngest || strings.HasPrefix(session, ImportedSession)
}

// settingMark ends the setting in an Environment. Behind it stands what else was not
// as usual, and in records of earlier versions all variables that the tests saw: these
// are environments of their own, equal to none that is recorded now.
const settingMark = "."

// EnvironmentOf makes the Environment of a run as earlier versions recorded it.
func EnvironmentOf(setting, surroundings string) string { return setting + settingMark + surroundings }

// ShortOf makes the Environment of a run of which the time was cut short. Its
// setting is the same.
func ShortOf(environment string) string { return environment + settingMark + "short" }

// Setting is the part of the Environment that decides which tests there are and
// how they are run. Results are evidence that a test is flaky only where the whole
// Environment is equal.
func (r Run) Setting() string { return settingOf(r.Environment) }

// Setting is that of the point's run.
func (p Point) Setting() string { return settingOf(p.Environment) }

func settingOf(environment string) string {
	setting, _, _ := strings.Cut(environment, settingMark)
	return setting
}
