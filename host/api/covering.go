package api

import "time"

// CoveringSchema is the value of [Covering.Schema].
const CoveringSchema = "proctor.covering/v1"

// Covering answers which tests execute a file, or lines of it. An empty list of
// tests means that none does, and only where Granularity is [GranularityTest]
// or [GranularitySuite]; it never means that nobody knows.
type Covering struct {
	Schema string `json:"schema"`
	// Workspace is the root that files are relative to.
	Workspace string `json:"workspace,omitempty"`
	// File is relative to the workspace.
	File string `json:"file"`
	// Lines are those that were asked for, as "42" or "40-60"; several, with commas, of
	// a difference; empty is the whole file.
	Lines string `json:"lines,omitempty"`
	// Granularity is the least exact one that the answer rests on.
	Granularity Granularity `json:"granularity"`
	// Stale: the file or what the tests are built from changed since this was
	// measured, so that it may have changed as well.
	Stale bool `json:"stale"`
	// MeasuredAt is when the oldest of what the answer rests on was measured; nil is
	// never.
	MeasuredAt *time.Time `json:"measured_at,omitempty"`
	AgeS       float64    `json:"age_s,omitempty"`
	// Total counts all tests, of which Tests has the first: those that are known most
	// exactly, and of these the ones that execute least else.
	Total int            `json:"total"`
	Tests []CoveringTest `json:"tests"`
	// Uncovered are the asked lines with code that no test executes, as "44" or
	// "44-46"; NoCode are those without any code that is executed, and Unmapped those
	// that were written since: what is said of them is said of what is around them.
	Uncovered []string `json:"uncovered,omitempty"`
	NoCode    []string `json:"no_code,omitempty"`
	Unmapped  []string `json:"unmapped,omitempty"`
	// Message says in a sentence what is known, and More what to do to know more.
	Message string `json:"message"`
	More    string `json:"more,omitempty"`
	// State is what tests that execute the lines may leave for others, with the first of
	// those that use it; Untold is what they may leave and that is not followed. Both have
	// the first ones.
	State  []StateUse `json:"state,omitempty"`
	Untold []Untold   `json:"untold,omitempty"`
	// Warnings are what a reader should know beside it.
	Warnings []string `json:"warnings,omitempty"`
}

// StateUse is state that outlives a test, such as a variable of a package, and who uses
// it.
type StateUse struct {
	Suite string `json:"suite"`
	// State is what it is called, declared in File; By is what may change it.
	State string `json:"state"`
	File  string `json:"file,omitempty"`
	By    string `json:"by"`
	// Tests are the first ones that use it and do not execute the lines, Total counts all.
	Tests []string `json:"tests"`
	Total int      `json:"total"`
}

// CoveringTest is a test that executes the lines, or that may.
type CoveringTest struct {
	Language string `json:"language,omitempty"`
	Suite    string `json:"suite"`
	// Test is empty where it is known only that tests of the suite do, or may: which of
	// them is not known.
	Test        string      `json:"test,omitempty"`
	Granularity Granularity `json:"granularity"`
	Stale       bool        `json:"stale,omitempty"`
	// Lines are those of the asked ones that it executes.
	Lines []string `json:"lines,omitempty"`
	// Blocks is how much it executes in all: few is specific.
	Blocks int `json:"blocks,omitempty"`
	// Why says how it is known, where that is not by what it executes.
	Why string `json:"why,omitempty"`
	// MeasuredAt is when it was measured.
	MeasuredAt *time.Time `json:"measured_at,omitempty"`
}

// Granularity is how exactly it is known which tests execute a line.
type Granularity string

// The granularities, the most exact first.
const (
	// GranularityTest: the test executed it when it ran alone.
	GranularityTest Granularity = "test"
	// GranularitySuite: the tests of the suite executed it when they ran together. It
	// is called a package, as in the languages that have those.
	GranularitySuite Granularity = "package"
	// GranularityImport: the suite is built from the file, so that any of its tests
	// may execute it.
	GranularityImport Granularity = "import"
	// GranularityUnknown: nothing is known, which says nothing about any test.
	GranularityUnknown Granularity = "unknown"
)

// CoveringDiffSchema is the value of [CoveringDiff.Schema].
const CoveringDiffSchema = "proctor.covering-diff/v1"

// CoveringDiff answers which tests execute the lines that were changed.
type CoveringDiff struct {
	Schema    string `json:"schema"`
	Workspace string `json:"workspace"`
	// Base names the state that the sources are compared with.
	Base string `json:"base"`
	// Files are the changed ones, each with the tests that execute its changed lines.
	Files []Covering `json:"files"`
	// FilesTotal counts all changed files.
	FilesTotal int `json:"files_total"`
	// Granularity, Stale, Total and Tests are as in [Covering], of all of them.
	Granularity Granularity    `json:"granularity"`
	Stale       bool           `json:"stale"`
	Total       int            `json:"total"`
	Tests       []CoveringTest `json:"tests"`
	Message     string         `json:"message"`
	More        string         `json:"more,omitempty"`
	Warnings    []string       `json:"warnings,omitempty"`
}
