package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// IndexSchema is the value of [Index.Schema].
const IndexSchema = "proctor.index/v1"

// Index reports on indexing the tests of one language: finding out which lines each
// test executes by running it alone.
type Index struct {
	Schema   string `json:"schema"`
	Language string `json:"language"`
	// SuiteNoun is what the language's users call a suite.
	SuiteNoun string    `json:"-"`
	Plugin    Plugin    `json:"plugin"`
	Workspace string    `json:"workspace"`
	StartedAt time.Time `json:"started_at"`
	DurationS float64   `json:"duration_s"`
	// BudgetS is the time limit. SuiteBudgetS is how much longer the tests of a suite may
	// take one by one than together. Both are in seconds.
	BudgetS      float64 `json:"budget_s"`
	SuiteBudgetS float64 `json:"suite_budget_s"`
	// Complete reports whether every requested suite is indexed as precisely as its
	// tests allow, now or from before.
	Complete bool `json:"complete"`
	// Suites are the requested ones.
	Suites []IndexedSuite `json:"suites"`
	// Tests counts the tests that are now indexed individually; Ran counts those that ran
	// to be indexed.
	Tests int `json:"tests"`
	Ran   int `json:"ran"`
	// Findings are tests that end differently alone than together.
	Findings []OrderFinding `json:"findings"`
	// Partial are tests that were measured only in part.
	Partial []PartialTest `json:"partial,omitempty"`
	// Bytes is the size of the workspace's index on disk.
	Bytes    int64  `json:"bytes"`
	Message  string `json:"message"`
	Warnings []Note `json:"warnings,omitempty"`
	// RunError says why indexing failed.
	RunError string `json:"run_error,omitempty"`
	// Failures are those that prevented suites from being built.
	Failures []Failure `json:"failures,omitempty"`
}

// PartialTest is a test that was measured only in part. It counts as possibly executing
// everything that its suite is built from.
type PartialTest struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
	// Why is a sentence without a full stop.
	Why string `json:"why"`
}

// IndexedSuite is the result of indexing one suite.
type IndexedSuite struct {
	Suite string     `json:"suite"`
	State IndexState `json:"state"`
	// Granularity is how precisely it is known now.
	Granularity Granularity `json:"granularity"`
	Tests       int         `json:"tests"`
	// Why says why it is not known for each test.
	Why string `json:"why,omitempty"`
}

// IndexState is the result of indexing a suite.
type IndexState string

// The states.
const (
	// IndexDone means that its tests ran and are indexed.
	IndexDone IndexState = "indexed"
	// IndexFresh means that nothing changed since it was indexed.
	IndexFresh IndexState = "fresh"
	// IndexCut means that time ran out before all of its tests had run.
	IndexCut IndexState = "cut"
	// IndexFailed means that it was not built, or nothing could be measured.
	IndexFailed IndexState = "failed"
	// IndexEmpty means that it has no tests.
	IndexEmpty IndexState = "no_tests"
)

// OrderFinding is a test that ends differently alone than with its suite: it depends on
// other tests, or on their order.
type OrderFinding struct {
	Suite    string     `json:"suite"`
	Test     string     `json:"test"`
	Alone    sdk.Status `json:"alone"`
	Together sdk.Status `json:"together"`
}
