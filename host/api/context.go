package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// ContextSchema is the value of [Context.Schema].
const ContextSchema = "proctor.context/v1"

// MaxSpots bounds the lists of a Context; the totals are exact.
const MaxSpots = 100

// Context is what a reader should know at the start of a session.
type Context struct {
	Schema string `json:"schema"`
	// Recurring are the files left unresolved in three or more sessions without
	// recovering since, worst first.
	Recurring      []Spot `json:"recurring"`
	RecurringTotal int    `json:"recurring_total"`
	// Regressions are the files that passed before and fail now.
	Regressions      []Spot `json:"regressions"`
	RegressionsTotal int    `json:"regressions_total"`
	// Flaky are the files with tests that passed and failed on the same sources and
	// have not passed at the end of three sessions since.
	Flaky      []Spot `json:"flaky"`
	FlakyTotal int    `json:"flaky_total"`
	// Outstanding counts what earlier sessions left outstanding, OutstandingCounts
	// breaks it down by kind, and OutstandingTests are the first entries.
	Outstanding       int               `json:"outstanding"`
	OutstandingCounts OutstandingCounts `json:"outstanding_counts,omitzero"`
	OutstandingTests  []NamedTest       `json:"outstanding_tests,omitempty"`
	// Text is the note; empty if there is nothing to say.
	Text string `json:"text"`
}

// Spot is a file that has given trouble.
type Spot struct {
	File           string         `json:"file"`
	Classification Classification `json:"classification,omitempty"`
	// Resolution is the file's status at the end of the last session that ran it.
	Resolution EntryStatus `json:"resolution,omitempty"`
	// Regressed reports whether the file used to pass and has been failing since the
	// last session that ran it, or an earlier one.
	Regressed bool `json:"regressed,omitempty"`
	// FailedSessions and Recurring are as in [Standing].
	FailedSessions int  `json:"failed_sessions"`
	Recurring      bool `json:"recurring,omitempty"`
	// Tests are some of its failing tests.
	Tests []sdk.TestID `json:"tests,omitempty"`
	// Failing describes the first of Tests that is not flaky.
	Failing *SpotTest `json:"failing,omitempty"`
	// Flaky are some of its flaky tests.
	Flaky []sdk.TestID `json:"flaky_tests,omitempty"`
}

// SpotTest is a failing test of a file that gives trouble.
type SpotTest struct {
	sdk.TestID
	// SinceRunID is our first run in which the test failed after its last pass, or the
	// first on record; SinceAt is the time of that run.
	SinceRunID string    `json:"since_run_id"`
	SinceAt    time.Time `json:"since_at"`
	// Changed are the files that differ between the last pass and that run; nil if it
	// never passed.
	Changed *FileChanges `json:"changed,omitempty"`
	// Missing reports whether its name no longer occurs in the file.
	Missing bool `json:"missing,omitempty"`
}

// NamedTest is a test that a note names.
type NamedTest struct {
	sdk.TestID
	// Missing reports whether its name no longer occurs in the file that last held it.
	Missing bool `json:"missing,omitempty"`
}
