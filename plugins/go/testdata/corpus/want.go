package corpus

// Want is want.json, written by hand: what a reader who has to fix the code
// needs to know.
type Want struct {
	// Red says that the run must not be taken for a success. A run in which
	// nothing ran is not red.
	Red bool `json:"verdict_red"`
	// Failures are all records, and there are no others.
	Failures []WantFailure `json:"failures"`
	// Unfinished are all tests with a start and no end.
	Unfinished []WantTest `json:"unfinished"`
	// MayBeUnfinished may be reported as unfinished or not, such as a test that
	// was hit by a signal.
	MayBeUnfinished []WantTest `json:"may_be_unfinished,omitempty"`
	// PartlyRun are tests that failed because of a subtest before all of their
	// subtests had run.
	PartlyRun []WantTest `json:"partly_run,omitempty"`
	// HostDecides means that only the exit code is red, and nothing says why.
	HostDecides bool `json:"host_decides,omitempty"`
	// Suites are outcomes by name; suites that are not named are not checked.
	Suites map[string]string `json:"suites,omitempty"`
	// Cached are the suites that the go command took from its cache.
	Cached []string `json:"cached,omitempty"`
	// Counts are numbers of test results by status; nil is not checked.
	Counts map[string]int `json:"counts,omitempty"`
	// RunError and Note are texts that must be among what was reported.
	RunError string `json:"run_error_contains,omitempty"`
	Note     string `json:"note_contains,omitempty"`
	// Unread is "damaged", "foreign", or empty for none; "any" accepts all.
	Unread string `json:"unread,omitempty"`
}

// WantTest names a test.
type WantTest struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
}

// WantPlace is a place in a file.
type WantPlace struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// WantDiff holds parts that the two sides contain.
type WantDiff struct {
	Got  string `json:"got,omitempty"`
	Want string `json:"want,omitempty"`
	Text string `json:"text,omitempty"`
	// None are the sides, by these names, that must be empty.
	None []string `json:"none,omitempty"`
}

// WantFailure is one expected record.
type WantFailure struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
	// SuiteAny and TestAny are other names that are accepted.
	SuiteAny []string `json:"suite_any,omitempty"`
	TestAny  []string `json:"test_any,omitempty"`
	// Kind is a word, or several separated by "|".
	Kind string `json:"kind"`
	WantPlace
	// PlaceAny are other places that are accepted; AnyPlace accepts all.
	PlaceAny []WantPlace `json:"place_any,omitempty"`
	AnyPlace bool        `json:"any_place,omitempty"`
	// Message is contained in the message; MessageExcludes is not.
	Message         string `json:"message_contains"`
	MessageExcludes string `json:"message_excludes,omitempty"`
	// AlsoLines are in the further messages, NotAlsoLines are not.
	AlsoLines    []int `json:"also_lines,omitempty"`
	NotAlsoLines []int `json:"not_also_lines,omitempty"`
	// AlsoContain are parts of the further messages.
	AlsoContain []string `json:"also_contain,omitempty"`
	// TestFrame is the place within the test's own code.
	TestFrame *WantPlace `json:"test_frame,omitempty"`
	Diff      *WantDiff  `json:"diff,omitempty"`
	Blocks    []string   `json:"blocks,omitempty"`
	// DerivedFrom is a test under whose name the evidence was printed.
	DerivedFrom string `json:"derived_from,omitempty"`
	// Repro is contained in the command that shows the failure again.
	Repro string `json:"repro_contains,omitempty"`
	// Output is contained in the excerpt.
	Output string `json:"output_contains,omitempty"`
	// Repeat is how many records are allowed, one for each attempt.
	Repeat int `json:"repeat,omitempty"`
	// Optional records may be missing.
	Optional bool `json:"optional,omitempty"`
}
