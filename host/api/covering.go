package api

import "time"

// Affected tells which tests a run chose because of what was changed, and why.
type Affected struct {
	// Base names the state that the sources are compared with: a commit.
	Base string `json:"base"`
	// Changed are the files that differ from it, the first ones; ChangedTotal counts
	// all.
	Changed      []string `json:"changed"`
	ChangedTotal int      `json:"changed_total"`
	// Chosen are the first of the tests and suites that were chosen; ChosenTests and
	// ChosenSuites count the tests that were chosen one by one, and the suites of which
	// all tests were.
	Chosen       []ChosenTest `json:"chosen"`
	ChosenTests  int          `json:"chosen_tests"`
	ChosenSuites int          `json:"chosen_suites"`
	// BuildOnly are suites that are built from something that changed, although none
	// of their tests can notice it: they are built, to see that they still can be.
	BuildOnly []string `json:"build_only,omitempty"`
	// LeftOutTests and LeftOutSuites count the tests that were left out of suites that
	// are built from something that changed, and the suites that are not.
	LeftOutTests  int `json:"left_out_tests"`
	LeftOutSuites int `json:"left_out_suites"`
	// Everything says why all tests were chosen, where nothing could be left out.
	Everything string `json:"everything,omitempty"`
	// Untold are the first of the things that tests of a suite may leave for each other,
	// and that are not followed: nobody can tell whether a test that is left out finds
	// them, or leaves them for one that is chosen. UntoldTotal counts all.
	Untold      []Untold `json:"untold,omitempty"`
	UntoldTotal int      `json:"untold_total,omitempty"`
}

// Untold is something that a test may leave for others and that is not followed, such as
// files.
type Untold struct {
	Suite string `json:"suite"`
	What  string `json:"what"`
	// Unit is the declaration that does so, in File.
	Unit string `json:"unit,omitempty"`
	File string `json:"file,omitempty"`
}

// ChosenTest is a test that was chosen; a whole suite where Test is empty.
type ChosenTest struct {
	Suite string `json:"suite"`
	Test  string `json:"test,omitempty"`
	// Granularity is how exactly it is known that it is affected.
	Granularity Granularity `json:"granularity"`
	// Why it was chosen, in a sentence without a full stop.
	Why string `json:"why"`
}

// Coverage is what the tests of a run executed, as the runner measured it.
type Coverage struct {
	// Statements counts those of the measured files, Covered those that were executed
	// by any test; Percent is 100 times their ratio.
	Statements int     `json:"statements"`
	Covered    int     `json:"covered"`
	Percent    float64 `json:"percent"`
	// Suites have the same for each suite, of the files that were measured with it.
	Suites []SuiteCoverage `json:"suites"`
	// Indexed reports whether the measurement answers `proctor covering` from now on. A
	// run of some tests only does not say what the others execute.
	Indexed bool `json:"indexed"`
	// NotIndexed says why not, or of which suites not.
	NotIndexed string `json:"not_indexed,omitempty"`
}

// SuiteCoverage is what the tests of one suite executed.
type SuiteCoverage struct {
	Suite      string  `json:"suite"`
	Statements int     `json:"statements"`
	Covered    int     `json:"covered"`
	Percent    float64 `json:"percent"`
}

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
	// Stale reports whether the file or what the tests are built from changed since
	// this was measured, so that it may have changed as well.
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
	Warnings []Note `json:"warnings,omitempty"`
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
	Warnings    []Note         `json:"warnings,omitempty"`
}
