package api

// TriageSchema is the value of [Triage.Schema].
const TriageSchema = "proctor.triage/v1"

// Finding says whether changes since the base caused a failure.
type Finding string

// The findings.
const (
	// Introduced means that the test passes on the base, or is new since.
	Introduced Finding = "introduced"
	// PreExisting means that it fails on the base, too.
	PreExisting Finding = "pre_existing"
	// Undecided means that it did not run on the base, or that its result there proves
	// nothing.
	Undecided Finding = "unknown"
	// NoMore means that it no longer exists here, perhaps because of a rename.
	NoMore Finding = "gone"
)

// Triage compares the failing tests of a workspace with their results on another state
// of the sources, the base.
type Triage struct {
	Schema   string `json:"schema"`
	Language string `json:"language"`
	// Of is the run whose failures are triaged; empty means what is outstanding.
	Of   string     `json:"of_run_id,omitempty"`
	Base TriageBase `json:"base"`
	// RunID is the run on the base; empty if nothing had to run.
	RunID       string `json:"run_id,omitempty"`
	Introduced  int    `json:"introduced"`
	PreExisting int    `json:"pre_existing"`
	Unknown     int    `json:"unknown"`
	Gone        int    `json:"gone"`
	// Tests are all tests that were triaged.
	Tests []Triaged `json:"tests"`
	// Clean reports whether the last run passed, and nothing that failed is
	// outstanding.
	Clean bool `json:"clean,omitempty"`
	// Message says why there is nothing to report, NoRunYet that it is because there is no run.
	Message  string `json:"message,omitempty"`
	NoRunYet bool   `json:"-"`
	// Warnings are further things the reader should know.
	Warnings []Note `json:"warnings,omitempty"`
	// RunError says why the tests could not run on the base.
	RunError string `json:"run_error,omitempty"`
	// Cancelled reports whether it was interrupted, which may explain what is unknown.
	Cancelled bool `json:"cancelled,omitempty"`
}

// TriageBase is the state that the tests ran on.
type TriageBase struct {
	// Revision is as given, Commit is what it resolves to.
	Revision string `json:"revision"`
	Commit   string `json:"commit"`
	// Fingerprint is as in [Source]; empty if unknown.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Triaged is the result for a failing test. An empty Test means the suite itself; if
// Suite is empty, too, the run as a whole.
type Triaged struct {
	Suite   string  `json:"suite"`
	Test    string  `json:"test"`
	Finding Finding `json:"finding"`
	// Why explains the finding.
	Why string `json:"why"`
	// Likeness compares its failure with that on the base; empty if unknown, or if it
	// does not fail there.
	Likeness Likeness `json:"likeness,omitempty"`
	// Kind and Excerpt describe its failure on the base.
	Kind    string `json:"kind,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
	// RunID is the run that the finding is based on.
	RunID string `json:"run_id,omitempty"`
	// Cached reports whether that is the run of an earlier triage, AgeS seconds ago.
	Cached bool    `json:"cached,omitempty"`
	AgeS   float64 `json:"age_s,omitempty"`
	// Standing is its standing in this session according to the record; nil if unknown.
	*Standing
}
