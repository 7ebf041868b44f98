package api

import "time"

// ContextSchema is the value of [Context.Schema].
const ContextSchema = "proctor.context/v1"

// MaxSpots bounds the lists of a Context object; the totals are exact.
const MaxSpots = 100

// Context is what a reader should know at the start of a session.
type Context struct {
	Schema string `json:"schema"`
	// Recurring are the files that were left unresolved in three or more sessions
	// and have not recovered since, the worst first.
	Recurring      []Spot `json:"recurring"`
	RecurringTotal int    `json:"recurring_total"`
	// Regressions are the files that were passing and fail now.
	Regressions      []Spot `json:"regressions"`
	RegressionsTotal int    `json:"regressions_total"`
	// Flaky are the files with tests that passed and failed on the same sources, and
	// have not passed at the ends of three sessions since.
	Flaky      []Spot `json:"flaky"`
	FlakyTotal int    `json:"flaky_total"`
	// Outstanding counts what is outstanding from earlier sessions, OutstandingCounts
	// has its kinds, and OutstandingTests are the first ones.
	Outstanding       int               `json:"outstanding"`
	OutstandingCounts OutstandingCounts `json:"outstanding_counts,omitzero"`
	OutstandingTests  []NamedTest       `json:"outstanding_tests,omitempty"`
	// Text is the note; empty where there is nothing to say.
	Text string `json:"text"`
}

// Spot is a file that has given trouble.
type Spot struct {
	File           string         `json:"file"`
	Classification Classification `json:"classification,omitempty"`
	// Resolution is how it stood at the end of the session that ran it last.
	Resolution EntryStatus `json:"resolution,omitempty"`
	// Regressed reports whether it was passing, and fails since the session that ran it
	// last or since an earlier one.
	Regressed bool `json:"regressed,omitempty"`
	// FailedSessions and Recurring are as in [Standing].
	FailedSessions int  `json:"failed_sessions"`
	Recurring      bool `json:"recurring,omitempty"`
	// Tests are those in it that fail, at most some.
	Tests []Test `json:"tests,omitempty"`
	// Failing tells more of the first of them that is not flaky.
	Failing *SpotTest `json:"failing,omitempty"`
	// Flaky are its flaky tests, at most some.
	Flaky []Test `json:"flaky_tests,omitempty"`
}

// SpotTest is a failing test of a file that gives trouble.
type SpotTest struct {
	Test
	// SinceRunID is the first run of ours in which it failed after its last pass, or
	// the first on record; SinceAt is when that began.
	SinceRunID string    `json:"since_run_id"`
	SinceAt    time.Time `json:"since_at"`
	// Changed are the files that differ between its last pass and that run; nil where
	// it never passed.
	Changed *FileChanges `json:"changed,omitempty"`
	// Missing reports whether its name does not stand in the file any more.
	Missing bool `json:"missing,omitempty"`
}

// NamedTest is a test that a note names.
type NamedTest struct {
	Test
	// Missing reports whether its name does not stand any more in the file that had it
	// last.
	Missing bool `json:"missing,omitempty"`
}
