package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// DeferralsSchema is the value of [Deferrals.Schema].
const DeferralsSchema = "proctor.deferrals/v1"

// Deferrals are tests that the user deferred.
type Deferrals struct {
	Schema string `json:"schema"`
	// Deferred are the deferrals: the requested one, or all.
	Deferred []Deferral `json:"deferred"`
	// Lifted are the deferrals that this request lifted.
	Lifted []Deferral `json:"lifted,omitempty"`
}

// Deferral is a test that the user deferred until it passes, or until the file that
// declares it changes.
type Deferral struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// File declares the test; empty if unknown.
	File string `json:"file,omitempty"`
	// Watched reports whether the file's content is known, so that a change lifts the
	// deferral.
	Watched   bool      `json:"watched"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	// AgeS is the age in seconds.
	AgeS   float64 `json:"age_s"`
	Reason string  `json:"reason,omitempty"`
}

// HistorySchema is the value of [History.Schema].
const HistorySchema = "proctor.history/v1"

// History answers a question about the record of a workspace. Only what was asked for
// is set. All lists are bounded; the totals count everything.
type History struct {
	Schema string `json:"schema"`
	// Span is what is on record.
	Span HistorySpan `json:"span"`
	// Tests are the requested ones, worst first, or the single test that Timeline
	// belongs to.
	Tests      []TestHistory `json:"tests,omitempty"`
	TestsTotal int           `json:"tests_total,omitempty"`
	// Timeline holds the results of a single test, newest first. TimelineCut reports
	// whether there are older ones.
	Timeline    []TimelinePoint `json:"timeline,omitempty"`
	TimelineCut bool            `json:"timeline_cut,omitempty"`
	// File is the requested file; Entries are its statuses at the end of sessions,
	// newest first.
	File         string  `json:"file,omitempty"`
	Entries      []Entry `json:"entries,omitempty"`
	EntriesTotal int     `json:"entries_total,omitempty"`
	// Durations say how long tests took, slowest first.
	Durations      []TestDuration `json:"durations,omitempty"`
	DurationsTotal int            `json:"durations_total,omitempty"`
	// Rates say how often tests failed, the most often first.
	Rates      []TestRate `json:"rates,omitempty"`
	RatesTotal int        `json:"rates_total,omitempty"`
	// Measures are the tests' measures, those that changed most first.
	Measures      []TestMeasure `json:"measures,omitempty"`
	MeasuresTotal int           `json:"measures_total,omitempty"`
	// Message says why there is nothing, or why a test's results end before the latest
	// run.
	Message string `json:"message,omitempty"`
	// Warnings are further things the reader should know.
	Warnings []Note `json:"warnings,omitempty"`
}

// TestRate says how often a test failed in its latest runs.
type TestRate struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	// Failed counts those of Runs in which the test failed or did not end.
	Failed int `json:"failed"`
	Runs   int `json:"runs"`
}

// HistorySpan is what is on record of a workspace: its finished runs.
type HistorySpan struct {
	Runs     int `json:"runs"`
	Sessions int `json:"sessions"`
	// Since is when the oldest run began; nil if there is none.
	Since *time.Time `json:"since,omitempty"`
	// AgeS is the age of that run in seconds.
	AgeS float64 `json:"age_s,omitempty"`
}

// TestHistory is what is on record of a test. Its standing is as of the last session
// that ran it.
type TestHistory struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	// Test is empty for the suite itself.
	Test string `json:"test"`
	// File and Line are where it is declared, if known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Standing
	// Pattern has a letter for each of its latest runs, oldest first: P passed, F
	// failed, S skipped, U did not finish, N never started.
	Pattern string `json:"pattern"`
	// Last is its latest result.
	Last *TimelinePoint `json:"last,omitempty"`
	// FirstRun is the run that first saw it, possibly no longer on record.
	FirstRun string    `json:"first_run_id,omitempty"`
	FirstAt  time.Time `json:"first_at,omitzero"`
}

// TimelinePoint is the result of a test in a run.
type TimelinePoint struct {
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	Kind      Kind      `json:"kind"`
	At        time.Time `json:"at"`
	// AgeS is the age in seconds.
	AgeS      float64    `json:"age_s"`
	Status    sdk.Status `json:"status"`
	DurationS float64    `json:"duration_s"`
	// Derived reports whether it failed only because of tests inside it.
	Derived bool `json:"derived,omitempty"`
	// Fingerprint, Commit and Branch describe the sources of the run.
	Fingerprint string `json:"fingerprint,omitempty"`
	Commit      string `json:"commit,omitempty"`
	Branch      string `json:"branch,omitempty"`
	// MixedState and Environment are as in [Run].
	MixedState  bool   `json:"mixed_state,omitempty"`
	Environment string `json:"environment,omitempty"`
	Seed        string `json:"seed,omitempty"`
	// Signature identifies the cause of a failure, FailureKind its kind; Excerpt is its
	// headline.
	Signature   string `json:"signature,omitempty"`
	FailureKind string `json:"failure_kind,omitempty"`
	Excerpt     string `json:"excerpt,omitempty"`
}

// TestNeverStarted is the status of a test that a run did not get to. Only the history
// uses it.
const TestNeverStarted sdk.Status = "never_started"

// TestCached is the status of a test whose pass the runner repeated from its cache. Only
// the history uses it.
const TestCached sdk.Status = "cached"

// TestDuration is how long a test took in its latest passing runs.
type TestDuration struct {
	Language string  `json:"language"`
	Suite    string  `json:"suite"`
	Test     string  `json:"test"`
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	MeanS    float64 `json:"mean_s"`
	LastS    float64 `json:"last_s"`
	Runs     int     `json:"runs"`
}

// TestMeasure is a measure of a test in the latest runs that have it.
type TestMeasure struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	Name     string `json:"name"`
	// Values are newest first; there is at least one.
	Values []MeasureValue `json:"values"`
}

// MeasureValue is a measure in a run.
type MeasureValue struct {
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// AgeS is the age in seconds.
	AgeS  float64 `json:"age_s"`
	Value int64   `json:"value"`
}

// Strip is how a test ended in its latest runs, oldest first.
type Strip []StripPoint

// StripPoint is how a test ended in a run: as the worst of its results there.
type StripPoint struct {
	RunID  string     `json:"run_id"`
	At     time.Time  `json:"at"`
	Status sdk.Status `json:"status"`
	// Changed reports whether the sources are known to differ from those of the point
	// before.
	Changed bool `json:"changed,omitempty"`
	// Flaky reports whether the test did not pass although, among these points, it passed
	// on the same sources in the same environment.
	Flaky bool `json:"flaky,omitempty"`
}

// Past is what is on record of a test besides its standing.
type Past struct {
	Strip Strip
	// UsualS is the typical duration of its latest earlier passes in seconds; 0 if unknown.
	UsualS float64
}
