package api

import "time"

// IndexSchema is the value of [Index.Schema].
const IndexSchema = "proctor.index/v1"

// Index tells what became of an index of the tests of one language: which lines each
// of them executes, found out by running it alone.
type Index struct {
	Schema    string    `json:"schema"`
	Language  string    `json:"language"`
	Plugin    Plugin    `json:"plugin"`
	Workspace string    `json:"workspace"`
	StartedAt time.Time `json:"started_at"`
	DurationS float64   `json:"duration_s"`
	// BudgetS is the most that it might take, SuiteBudgetS how much longer the tests of
	// one suite might take one by one than together.
	BudgetS      float64 `json:"budget_s"`
	SuiteBudgetS float64 `json:"suite_budget_s"`
	// Complete reports whether every suite that was asked for is indexed as exactly as
	// its tests allow, now or before.
	Complete bool `json:"complete"`
	// Suites are those that were asked for.
	Suites []IndexedSuite `json:"suites"`
	// Tests counts the tests that are known one by one now, Ran those that ran for it.
	Tests int `json:"tests"`
	Ran   int `json:"ran"`
	// Findings are tests that end otherwise alone than together.
	Findings []OrderFinding `json:"findings"`
	// Partial are tests of which not all that they execute was measured.
	Partial []PartialTest `json:"partial,omitempty"`
	// Bytes is what the index of the workspace takes on disk.
	Bytes    int64  `json:"bytes"`
	Message  string `json:"message"`
	Warnings []Note `json:"warnings,omitempty"`
	// RunError is why it could not be made, where it could not.
	RunError string `json:"run_error,omitempty"`
	// Failures are those that kept suites from being built.
	Failures []Failure `json:"failures,omitempty"`
}

// PartialTest is a test of which not all that it executes was measured: it counts as
// one that may execute anything that its suite is built from.
type PartialTest struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
	// Why, in a sentence without a full stop.
	Why string `json:"why"`
}

// IndexedSuite is what became of one suite.
type IndexedSuite struct {
	Suite string     `json:"suite"`
	State IndexState `json:"state"`
	// Granularity is how exactly it is known now.
	Granularity Granularity `json:"granularity"`
	Tests       int         `json:"tests"`
	// Why says why it is not known for each test.
	Why string `json:"why,omitempty"`
}

// IndexState is what became of a suite.
type IndexState string

// The states.
const (
	// IndexDone: its tests ran, and are indexed.
	IndexDone IndexState = "indexed"
	// IndexFresh: nothing changed since it was indexed.
	IndexFresh IndexState = "fresh"
	// IndexCut: the time was over before its tests had all run.
	IndexCut IndexState = "cut"
	// IndexFailed: it was not built, or nothing could be measured.
	IndexFailed IndexState = "failed"
	// IndexEmpty: it has no tests.
	IndexEmpty IndexState = "no_tests"
)

// OrderFinding is a test that ends otherwise alone than among the others of its
// suite: it depends on them, or on their order.
type OrderFinding struct {
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	Alone    Status `json:"alone"`
	Together Status `json:"together"`
}
