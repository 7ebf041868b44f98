package api

import "time"

// DeferralsSchema is the value of [Deferrals.Schema].
const DeferralsSchema = "proctor.deferrals/v1"

// Deferrals are tests that the user set aside.
type Deferrals struct {
	Schema string `json:"schema"`
	// Deferred are set aside: the one that was asked for, or all of them.
	Deferred []Deferral `json:"deferred"`
	// Lifted is not set aside any more, because that was asked for.
	Lifted []Deferral `json:"lifted,omitempty"`
}

// Deferral is a test that the user set aside: until it passes, or the file in
// which it is declared changes.
type Deferral struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// File is where it is declared; empty is not known.
	File string `json:"file,omitempty"`
	// Watched reports whether the content of the file is known, so that a change lifts
	// it.
	Watched   bool      `json:"watched"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	// AgeS is how long ago that was, in seconds.
	AgeS   float64 `json:"age_s"`
	Reason string  `json:"reason,omitempty"`
}

// HistorySchema is the value of [History.Schema].
const HistorySchema = "proctor.history/v1"

// History answers a question about the record of a workspace. What was not asked
// for is absent. All lists are bounded; the totals count what there is.
type History struct {
	Schema string `json:"schema"`
	// Span is what is on record.
	Span HistorySpan `json:"span"`
	// Tests are those that were asked for, the worst first, or the one test whose
	// timeline this is.
	Tests      []TestHistory `json:"tests,omitempty"`
	TestsTotal int           `json:"tests_total,omitempty"`
	// Timeline are the results of the one test, the newest first. TimelineCut:
	// there are older ones.
	Timeline    []TimelinePoint `json:"timeline,omitempty"`
	TimelineCut bool            `json:"timeline_cut,omitempty"`
	// File is the one that was asked for, Entries how it stood at the end of
	// sessions, the newest first.
	File         string  `json:"file,omitempty"`
	Entries      []Entry `json:"entries,omitempty"`
	EntriesTotal int     `json:"entries_total,omitempty"`
	// Durations are how long tests took, the slowest first.
	Durations      []TestDuration `json:"durations,omitempty"`
	DurationsTotal int            `json:"durations_total,omitempty"`
	// Measures are what was measured of tests, those first that changed most.
	Measures      []TestMeasure `json:"measures,omitempty"`
	MeasuresTotal int           `json:"measures_total,omitempty"`
	// Message says why there is nothing, where there is nothing, and of one test why
	// its results end before the latest run.
	Message string `json:"message,omitempty"`
	// Warnings are what a reader should know beside the answer.
	Warnings []Note `json:"warnings,omitempty"`
}

// HistorySpan is what is on record of a workspace: its finished runs.
type HistorySpan struct {
	Runs     int `json:"runs"`
	Sessions int `json:"sessions"`
	// Since is when the oldest of them began; nil without any.
	Since *time.Time `json:"since,omitempty"`
	// AgeS is how long ago that was, in seconds.
	AgeS float64 `json:"age_s,omitempty"`
}

// TestHistory is what is on record of a test. Its standing is that of the latest
// session that ran it.
type TestHistory struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	// Test is empty for the suite itself.
	Test string `json:"test"`
	// File and Line are where it is declared, where that is known.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Standing
	// Pattern has a letter for each of its latest runs, the oldest first: P passed,
	// F failed, S skipped, U did not finish, N never started.
	Pattern string `json:"pattern"`
	// Last is its latest result.
	Last *TimelinePoint `json:"last,omitempty"`
	// FirstRun is the run that it was seen in first, which need not be on record
	// any more.
	FirstRun string    `json:"first_run_id,omitempty"`
	FirstAt  time.Time `json:"first_at,omitzero"`
}

// TimelinePoint is the result of a test in a run.
type TimelinePoint struct {
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	Kind      Kind      `json:"kind"`
	At        time.Time `json:"at"`
	// AgeS is how long ago that was, in seconds.
	AgeS      float64 `json:"age_s"`
	Status    Status  `json:"status"`
	DurationS float64 `json:"duration_s"`
	// Derived reports whether it failed only because of tests inside it.
	Derived bool `json:"derived,omitempty"`
	// Fingerprint, Commit and Branch are of the sources that the run saw.
	Fingerprint string `json:"fingerprint,omitempty"`
	Commit      string `json:"commit,omitempty"`
	Branch      string `json:"branch,omitempty"`
	// MixedState and Environment are as in [Run].
	MixedState  bool   `json:"mixed_state,omitempty"`
	Environment string `json:"environment,omitempty"`
	Seed        string `json:"seed,omitempty"`
	// Signature names the cause of a failure, FailureKind its kind, Excerpt is its
	// headline: what went wrong, or what differs.
	Signature   string `json:"signature,omitempty"`
	FailureKind string `json:"failure_kind,omitempty"`
	Excerpt     string `json:"excerpt,omitempty"`
}

// TestNeverStarted is the status of a test in a run that did not get to it. Only
// the history has it.
const TestNeverStarted Status = "never_started"

// TestDuration is how long a test took in the latest runs in which it passed.
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

// TestMeasure is what a measure of a test was in the latest runs that had it.
type TestMeasure struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	Name     string `json:"name"`
	// Values are the newest first; there is at least one.
	Values []MeasureValue `json:"values"`
}

// MeasureValue is a measure in a run.
type MeasureValue struct {
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// AgeS is how long ago that was, in seconds.
	AgeS  float64 `json:"age_s"`
	Value int64   `json:"value"`
}
