package history

import (
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Run is a run as the history has it. Its object, with failures and their texts, is an
// artifact.
type Run struct {
	ID        string
	SessionID string
	Kind      api.Kind
	Language  string
	// Plugin and PluginVersion name the plugin that parsed it.
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
	// Fingerprint is its source state; empty if unknown. Commit and Branch are what git
	// had checked out.
	Fingerprint, Commit, Branch string
	MixedState                  bool
	// Environment is as in [api.Run].
	Environment string
	// Seed is the seed of its random numbers.
	Seed string
	// Whole reports whether it was of everything, without a selection or the user's runner
	// arguments, and reached its end.
	Whole bool
	// Origin is as in [api.Run].
	Origin string
	// Order is its place in the order in which runs were recorded, set by the store.
	Order int64
}

// Complete reports whether the run got to every existing test, so that a test without a
// result does not exist in its environment.
func (r Run) Complete() bool {
	c := r.Counts
	return r.Whole && (r.Verdict == api.Passed || r.Verdict == api.Failed) && c.Unfinished+c.NeverStarted+c.BuildFailed == 0
}

// Span sums up the finished runs.
type Span struct {
	Runs, Sessions int
	// Since is when the first of them began, and Languages are theirs, sorted.
	Since     time.Time
	Languages []string
}

// Outcome is how a test ended in a run.
type Outcome uint8

// The outcomes. Passed is zero: most are, and an index omits them.
const (
	Passed Outcome = iota
	Failed
	Skipped
	Unfinished
	NeverStarted
	// Cached is a pass that the runner repeated from its cache: the test exists, and
	// nothing more is known of it than before.
	Cached
)

// Bad reports whether the outcome is evidence against a test.
func (o Outcome) Bad() bool { return o == Failed || o == Unfinished }

// Good reports whether the test passed, in this run or in the one that was cached.
func (o Outcome) Good() bool { return o == Passed || o == Cached }

// Conclusive reports whether the outcome is evidence at all.
func (o Outcome) Conclusive() bool { return o == Passed || o.Bad() }

// Worse reports whether an outcome counts rather than another of the same test in the same
// run: a pass does not hide a failure, nor a skip a pass. The order is never started,
// skipped, cached, passed, unfinished, failed. The store's own sums (Files, Compare) are
// about what did not pass instead: there a skip counts rather than a pass.
func (o Outcome) Worse(than Outcome) bool { return o.severity() > than.severity() }

func (o Outcome) severity() int {
	switch o {
	case Failed:
		return 5
	case Unfinished:
		return 4
	case Passed:
		return 3
	case Cached:
		return 2
	case Skipped:
		return 1
	}
	return 0
}

// TestKey identifies a test of a language. An empty Test is the suite itself, which has
// results when it failed although no test did, and when it passes after that.
type TestKey struct {
	Language string
	sdk.TestID
}

// Result is what a test did in a run. A test may have several in one.
type Result struct {
	sdk.TestID
	// File and Line are where it is declared; empty if unknown. The dictionary keeps
	// the latest known ones; those of a foreign run only if it lacks the test.
	File string
	Line int
	// Body is a digest of its body, kept in the same way.
	Body string
	// Root is the listed test that it is part of, if it is not listed itself.
	Root    string
	Outcome Outcome
	// Derived reports whether it failed only because of its subtests.
	Derived  bool
	Duration time.Duration
	// Signature and Kind identify the cause of a failure, Excerpt is its headline.
	Signature, Kind, Excerpt string
	// Measures are the whole-test measures: name and value.
	Measures []Measure
}

// Measure is a measured value of a whole test, such as its gas.
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
	// FirstRun and FirstSession are where it was first seen, even if no longer on
	// record.
	FirstRun, FirstSession string
	FirstAt                time.Time
}

// Timeline is what is on record of one test.
type Timeline struct {
	Test
	// Points are its results in finished runs, oldest first.
	Points []Point
	// Cut reports whether there are older ones on record.
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
	// Kind is that of the failure, Excerpt its headline.
	Kind, Excerpt string
	// RunKind says what ran: results of a triage are of another state.
	RunKind api.Kind
}

// SourceFile is a file that declares tests of a language.
type SourceFile struct{ Language, File string }

// FileCount sums up the tests of one file in a run.
type FileCount struct {
	File                       string
	Passed, Bad, Skipped, Else int
	// New counts the tests that were first seen in the run's session.
	New int
}

// Change is a test that ended differently in two runs.
type Change struct {
	Test
	// Before and Now are how it ended; the flags report whether it ran at all.
	Before, Now                 Outcome
	InBefore, InNow             bool
	DurationBefore, DurationNow time.Duration
}

// RunFilter filters runs. Zero values match everything.
type RunFilter struct {
	// IDs selects only runs with one of these.
	IDs       []string
	Language  string
	SessionID string
	// NotSession excludes a session.
	NotSession string
	Kinds      []api.Kind
	State      api.State
	// Before is an order: only earlier runs match.
	Before int64
	// Whole selects only runs of everything, in this Environment if it is not empty.
	Whole       bool
	Environment string
	// Setting selects only runs with this one, see [Run.Setting].
	Setting string
	// Limit is the most to return; 0 means all.
	Limit int
	// Oldest returns the oldest first, and not the newest.
	Oldest bool
}

// TestFilter filters tests. Zero values match everything.
type TestFilter struct {
	Language string
	// Name matches a test's name, its suite, or its suite and name joined by "/" or a
	// space, or the end of these after a "/"; File matches its file or the end of that
	// after a "/". Of is a file alone, for which an index is read instead of all tests.
	Name, File, Of string
	// OwnTo leaves out the tests that this session was the first to see and that have no
	// results in runs up to Until, an order.
	OwnTo string
	Until int64
	Limit int
}

// SuspectFilter filters suspects.
type SuspectFilter struct {
	Language string
	// Sessions is the least number of sessions in which it ended badly at least once.
	Sessions int
	// Both requires that it also passed on a state and in an environment in which it
	// failed.
	Both bool
	// Runs limits the search to the latest runs; 0 means all.
	Runs int
	// Among selects only tests that ended badly in one of so many of their latest results.
	Among int
	// Of are orders: only tests with results in one of these runs match.
	Of []int64
	// Limit is the most tests to find, and First how many of those to return; 0 means all.
	Limit, First int
}

// TimelineFilter selects timelines.
type TimelineFilter struct {
	Language string
	Tests    []sdk.TestID
	// Before is an order: only earlier runs count. 0 means all.
	Before int64
	// Points is the most for a test, newest first; 0 means 200.
	Points int
	// Ends adds, for a test with older points, those that decide how it stands: the
	// last conclusive one of each earlier session, and its last pass.
	Ends bool
}

// DurationFilter selects durations.
type DurationFilter struct {
	Language string
	// Runs is how many of the latest runs count; 0 means 10.
	Runs int
	// Limit is the most tests to return, slowest first; 0 means all.
	Limit int
}

// Duration is how long a test took when it passed.
type Duration struct {
	Test
	Mean, Last time.Duration
	Runs       int
}

// MeasureFilter selects measures.
type MeasureFilter struct {
	Language, Name string
	// Tests selects tests; empty means all.
	Tests []sdk.TestID
	Runs  int
}

// MeasurePoint is a measure of a test in a run.
type MeasurePoint struct {
	TestKey
	RunID string
	At    time.Time
	Value int64
}

// Deferral is a test that the user deferred.
type Deferral struct {
	TestKey
	// File declares the test, and Digest is its content then: the deferral ends when
	// that changes.
	File, Digest string
	SessionID    string
	At           time.Time
	Reason       string
}

// ImportedSession begins the ids of the sessions of imported runs, which are not sessions
// of this workspace.
const ImportedSession = "import:"

// Foreign reports whether the run was made elsewhere: it was ingested or imported. It
// says nothing about the workspace as it is here.
func (r Run) Foreign() bool { return r.Origin != "" || isForeign(r.Kind, r.SessionID) }

// Foreign reports whether the point belongs to a run made elsewhere.
func (p Point) Foreign() bool { return isForeign(p.RunKind, p.SessionID) }

func isForeign(kind api.Kind, session string) bool {
	return kind == api.KindIngest || strings.HasPrefix(session, ImportedSession)
}

// settingMark ends the setting in an Environment. It is followed by what else is unusual.
const settingMark = "."

// ShortOf returns the Environment of a run with a shortened timeout. Its setting is the
// same.
func ShortOf(environment string) string { return environment + settingMark + "short" }

// Beside returns the Environment of a run that was also built from sources which are not those
// of its workspace, in some state. Its setting is the same.
func Beside(environment, state string) string { return environment + settingMark + state }

// Setting returns the part of the Environment that decides which tests exist and how
// they run. Results are evidence of flakiness only if the whole Environment is equal.
func (r Run) Setting() string { return settingOf(r.Environment) }

// Setting returns that of the point's run.
func (p Point) Setting() string { return settingOf(p.Environment) }

func settingOf(environment string) string {
	setting, _, _ := strings.Cut(environment, settingMark)
	return setting
}
