package api

import "time"

// Affected says which tests a run selected because of changes, and why.
type Affected struct {
	// Base names the commit that the sources are compared with.
	Base string `json:"base"`
	// Changed are the first of the files that differ from Base; ChangedTotal counts
	// all.
	Changed      []string `json:"changed"`
	ChangedTotal int      `json:"changed_total"`
	// Chosen are the first of the selected tests and suites. ChosenTests counts the
	// tests that were selected one by one, ChosenSuites the suites that were selected
	// whole.
	Chosen       []ChosenTest `json:"chosen"`
	ChosenTests  int          `json:"chosen_tests"`
	ChosenSuites int          `json:"chosen_suites"`
	// BuildOnly are suites that are built from something that changed, although the
	// change can affect none of their tests. The run only checks that they still build.
	BuildOnly []string `json:"build_only,omitempty"`
	// LeftOutTests counts tests omitted from suites that are built from something that
	// changed; LeftOutSuites counts the suites that are not.
	LeftOutTests  int `json:"left_out_tests"`
	LeftOutSuites int `json:"left_out_suites"`
	// Everything says why all tests were selected, if nothing could be omitted.
	Everything string `json:"everything,omitempty"`
	// Untold are the first of the untracked side effects by which tests of a suite may
	// affect each other: an omitted test may depend on one, or cause one that a selected
	// test depends on. UntoldTotal counts all.
	Untold      []Untold `json:"untold,omitempty"`
	UntoldTotal int      `json:"untold_total,omitempty"`
}

// Untold is an untracked side effect of a test that may affect others, such as files.
type Untold struct {
	Suite string `json:"suite"`
	What  string `json:"what"`
	// Unit is the declaration in File that has the effect.
	Unit string `json:"unit,omitempty"`
	File string `json:"file,omitempty"`
}

// ChosenTest is a selected test, or a whole suite if Test is empty.
type ChosenTest struct {
	Suite string `json:"suite"`
	Test  string `json:"test,omitempty"`
	// Granularity is how precisely it is known to be affected.
	Granularity Granularity `json:"granularity"`
	// Why is the reason, a sentence without a full stop.
	Why string `json:"why"`
}

// Coverage is what the tests of a run executed, as measured by the runner.
type Coverage struct {
	// Statements counts those of the measured files, Covered those that any test
	// executed; Percent is 100 times their ratio.
	Statements int     `json:"statements"`
	Covered    int     `json:"covered"`
	Percent    float64 `json:"percent"`
	// Suites breaks this down by suite, over the files measured with it.
	Suites []SuiteCoverage `json:"suites"`
	// Indexed reports whether `proctor covering` uses the measurement from now on. A
	// run of only some tests does not show what the others execute.
	Indexed bool `json:"indexed"`
	// NotIndexed says why it is not indexed, or which suites are excepted.
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

// Covering says which tests execute a file, or lines of it. An empty list means that
// none does, but only if Granularity is [GranularityTest] or [GranularitySuite].
type Covering struct {
	Schema string `json:"schema"`
	// Workspace is the root that files are relative to.
	Workspace string `json:"workspace,omitempty"`
	// File is relative to the workspace.
	File string `json:"file"`
	// Lines are the requested lines, as "42" or "40-60", several with commas for a
	// diff; empty means the whole file.
	Lines string `json:"lines,omitempty"`
	// Granularity is the coarsest one that the answer relies on.
	Granularity Granularity `json:"granularity"`
	// Stale reports whether the file, or what the tests are built from, changed since
	// the measurement, so that the answer may have changed, too.
	Stale bool `json:"stale"`
	// MeasuredAt is when the oldest measurement behind the answer was made; nil means
	// never.
	MeasuredAt *time.Time `json:"measured_at,omitempty"`
	AgeS       float64    `json:"age_s,omitempty"`
	// Total counts all tests. Tests are the first of them: the most precisely known
	// ones, and among these the most specific.
	Total int            `json:"total"`
	Tests []CoveringTest `json:"tests"`
	// Uncovered are the requested lines with code that no test executes, as "44" or
	// "44-46"; NoCode are those without executable code; Unmapped are those added since
	// the measurement, for which the answer is that of the lines around them.
	Uncovered []string `json:"uncovered,omitempty"`
	NoCode    []string `json:"no_code,omitempty"`
	Unmapped  []string `json:"unmapped,omitempty"`
	// Message says what is known, Advice how to learn more.
	Message string `json:"message"`
	Advice  Advice `json:"advice,omitzero"`
	// State is state by which tests that execute the lines may affect others, each with
	// the first of these; Untold are untracked side effects. Both lists are truncated.
	State  []StateUse `json:"state,omitempty"`
	Untold []Untold   `json:"untold,omitempty"`
	// Warnings are further things the reader should know.
	Warnings []Note `json:"warnings,omitempty"`
}

// StateUse is state that outlives a test, such as a package variable, and the tests
// that use it.
type StateUse struct {
	Suite string `json:"suite"`
	// State is its name, declared in File; By is what may change it.
	State string `json:"state"`
	File  string `json:"file,omitempty"`
	By    string `json:"by"`
	// Tests are the first ones that use it without executing the lines; Total counts
	// all.
	Tests []string `json:"tests"`
	Total int      `json:"total"`
}

// CoveringTest is a test that executes the lines, or may.
type CoveringTest struct {
	Language string `json:"language,omitempty"`
	Suite    string `json:"suite"`
	// Test is empty if it is not known which tests of the suite do, or may.
	Test        string      `json:"test,omitempty"`
	Granularity Granularity `json:"granularity"`
	Stale       bool        `json:"stale,omitempty"`
	// Lines are the requested lines that it executes.
	Lines []string `json:"lines,omitempty"`
	// Blocks is how much it executes in all: the fewer, the more specific.
	Blocks int `json:"blocks,omitempty"`
	// Link is how the test is related to the lines if it executes none of them. Why says
	// so in words, or what a coarser answer is based on.
	Link CoveringLink `json:"link,omitempty"`
	Why  string       `json:"why,omitempty"`
	// MeasuredAt is when this was measured.
	MeasuredAt *time.Time `json:"measured_at,omitempty"`
}

// CoveringLink is how a test is related to lines that it does not execute.
type CoveringLink string

// The links.
const (
	LinkReads    CoveringLink = "reads"
	LinkDeclared CoveringLink = "declared"
)

// Granularity is how precisely it is known which tests execute a line.
type Granularity string

// The granularities, most precise first.
const (
	// GranularityTest means that the test executed it when run alone.
	GranularityTest Granularity = "test"
	// GranularitySuite means that the suite's tests executed it when run together. Its
	// value is "package", after the languages that have those.
	GranularitySuite Granularity = "package"
	// GranularityImport means that the suite is built from the file, so that any of its
	// tests may execute it.
	GranularityImport Granularity = "import"
	// GranularityUnknown means that nothing is known about any test.
	GranularityUnknown Granularity = "unknown"
)

// CoveringDiffSchema is the value of [CoveringDiff.Schema].
const CoveringDiffSchema = "proctor.covering-diff/v1"

// CoveringDiff says which tests execute the changed lines.
type CoveringDiff struct {
	Schema    string `json:"schema"`
	Workspace string `json:"workspace"`
	// Base names the state that the sources are compared with.
	Base string `json:"base"`
	// Files are the changed files, each with the tests that execute its changed lines.
	Files []Covering `json:"files"`
	// FilesTotal counts all changed files.
	FilesTotal int `json:"files_total"`
	// Granularity, Stale, Total and Tests are as in [Covering], over all files.
	Granularity Granularity    `json:"granularity"`
	Stale       bool           `json:"stale"`
	Total       int            `json:"total"`
	Tests       []CoveringTest `json:"tests"`
	Message     string         `json:"message"`
	Advice      Advice         `json:"advice,omitzero"`
	Warnings    []Note         `json:"warnings,omitempty"`
}
