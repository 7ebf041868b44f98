package api

// TriageSchema is the value of [Triage.Schema].
const TriageSchema = "proctor.triage/v1"

// Finding says whose a failure is.
type Finding string

// The findings.
const (
	// Introduced: the test passes on the base, or is new since.
	Introduced Finding = "introduced"
	// PreExisting: it fails on the base too.
	PreExisting Finding = "pre_existing"
	// Undecided: it did not run on the base, or what it did there proves nothing.
	Undecided Finding = "unknown"
	// NoMore: it does not exist here any more, perhaps by another name.
	NoMore Finding = "gone"
)

// Triage compares the failing tests of a workspace with what they do on another
// state of its sources, the base.
type Triage struct {
	Schema   string `json:"schema"`
	Language string `json:"language"`
	// Of is the run whose failures were asked about; empty where it was what is
	// outstanding.
	Of   string     `json:"of_run_id,omitempty"`
	Base TriageBase `json:"base"`
	// RunID is the run on the base; empty where nothing had to be run.
	RunID       string `json:"run_id,omitempty"`
	Introduced  int    `json:"introduced"`
	PreExisting int    `json:"pre_existing"`
	Unknown     int    `json:"unknown"`
	Gone        int    `json:"gone"`
	// Tests has every test that was asked about.
	Tests []Triaged `json:"tests"`
	// Clean reports whether the last run passed, and nothing that failed is
	// outstanding.
	Clean bool `json:"clean,omitempty"`
	// Message says why there is nothing to tell, where that is so.
	Message string `json:"message,omitempty"`
	// Warnings are what a reader should know beside.
	Warnings []Note `json:"warnings,omitempty"`
	// RunError is why the tests could not be run on the base.
	RunError string `json:"run_error,omitempty"`
	// Cancelled reports whether it was interrupted, and what is unknown may be so for
	// that.
	Cancelled bool `json:"cancelled,omitempty"`
}

// TriageBase is the state that the tests were run on.
type TriageBase struct {
	// Revision is as it was given, Commit what it means.
	Revision string `json:"revision"`
	Commit   string `json:"commit"`
	// Fingerprint is as in [Source]; empty is not known.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Triaged is what was found out about a failing test. An empty Test is the suite
// itself, an empty Suite beside it the run as a whole.
type Triaged struct {
	Suite   string  `json:"suite"`
	Test    string  `json:"test"`
	Finding Finding `json:"finding"`
	// Why explains the finding.
	Why string `json:"why"`
	// Likeness tells how alike its failure on the base is; empty where that is not
	// known, or it does not fail there.
	Likeness Likeness `json:"likeness,omitempty"`
	// Kind and Excerpt are of its failure on the base.
	Kind    string `json:"kind,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
	// RunID is the run that showed it.
	RunID string `json:"run_id,omitempty"`
	// Cached reports whether that was an earlier one, AgeS seconds ago.
	Cached bool    `json:"cached,omitempty"`
	AgeS   float64 `json:"age_s,omitempty"`
	// Standing is how it stands in this session by what is on record; nil is not
	// known.
	*Standing
}
