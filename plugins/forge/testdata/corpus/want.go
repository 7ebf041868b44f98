package corpus

// Want is want.json, written by hand: what a reader who has to fix the code
// needs to know.
type Want struct {
	// Verdict is the host's word for the run, from this output and exit code
	// (docs/verdicts.md); several words are separated by "|".
	Verdict string `json:"verdict"`
	// Counts are numbers of test results by status: passed, failed, skipped.
	// Fixtures are not counted; a status that is not named has none. Nil is not
	// checked, and then there may be suites and tests that are not named here.
	Counts map[string]int `json:"counts,omitempty"`
	// Suites are all suites, by their key in the document.
	Suites map[string]WantSuite `json:"suites"`
	// Build are all compile errors, in any order.
	Build []WantError `json:"build,omitempty"`
	// RunError is contained in an error of the run as a whole.
	RunError string `json:"run_error,omitempty"`
	// Damaged reports whether output is missing or unreadable.
	Damaged bool `json:"damaged,omitempty"`
	// Notes are contained in notes or suite notes.
	Notes []string `json:"notes,omitempty"`
	// ExitCode is how the command ended, -1 for a signal.
	ExitCode int `json:"exit_code"`
}

// WantSuite is one suite.
type WantSuite struct {
	// Outcome is passed, failed, aborted, unfinished or no_tests, or several
	// separated by "|".
	Outcome string `json:"outcome"`
	// Tests are the tests by signature. They are all of the suite unless More
	// says how many others there are, all of them passed.
	Tests map[string]WantTest `json:"tests"`
	More  int                 `json:"more,omitempty"`
}

// WantTest is one test.
type WantTest struct {
	// Status is passed, failed or skipped.
	Status string `json:"status"`
	// Fixture reports whether it is setUp() or the like, and not a test.
	Fixture bool `json:"fixture,omitempty"`
	// Kind is the kind of the failure, or several separated by "|"; "?" is not
	// checked.
	Kind string `json:"kind,omitempty"`
	// Message is contained in the message of the failure, or in the reason for
	// which the test was skipped; MessageExcludes is not.
	Message         string `json:"message,omitempty"`
	MessageExcludes string `json:"message_excludes,omitempty"`
	// File and Line are where the test is declared, relative to the directory
	// that forge ran in. The line is missing if there is no declaration of that
	// name.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Gas is, by kind of measure, the value: unit, fuzz_mean, fuzz_median,
	// table, table_median. Nil is not checked, empty means none.
	Gas map[string]string `json:"gas,omitempty"`
	// Snapshots are gas snapshots by "group/name".
	Snapshots map[string]string `json:"snapshots,omitempty"`
	// Attributes must exist, and their values contain these texts.
	Attributes map[string]string `json:"attributes,omitempty"`
	// Diff are parts of the two sides of a comparison, if the output separates
	// them.
	Diff *WantDiff `json:"diff,omitempty"`
	// Output is contained in the test's own output (its logs).
	Output string `json:"output,omitempty"`
}

// WantDiff holds what the two sides contain.
type WantDiff struct {
	Got  string `json:"got,omitempty"`
	Want string `json:"want,omitempty"`
}

// WantError is one compile error.
type WantError struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
	// Code is the compiler's number for it.
	Code string `json:"code,omitempty"`
	// Message is contained in the message.
	Message string `json:"message"`
}
