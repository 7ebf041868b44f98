package api

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
