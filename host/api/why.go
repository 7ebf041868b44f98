package api

import "time"

// WhySchema is the value of [Why.Schema].
const WhySchema = "proctor.why/v1"

// Why says what is on record about the way a test ended last. It is a public
// contract like the Run object: fields are only added.
type Why struct {
	Schema   string `json:"schema"`
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// File and Line are where it is declared.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Latest is its latest result that tells something, if there is any: a test
	// that was only ever skipped has none.
	Latest *Sighting `json:"latest,omitempty"`
	// Results is how many results the run of Latest has of it, where these contradict
	// each other, and PassedResults how many of them are passes.
	Results       int `json:"results,omitempty"`
	PassedResults int `json:"passed_results,omitempty"`
	// Absence is a later run that has no result of it although it should; nil is that
	// none is known.
	Absence *Absence `json:"absence,omitempty"`
	// Skipped is a later run in which it was skipped or never started.
	Skipped *Sighting `json:"skipped,omitempty"`
	// Standing is that of its latest result, in the session of its run.
	Standing *Standing `json:"standing,omitempty"`
	// LastPass is its last pass on record; nil: it never passed on record.
	LastPass *Sighting `json:"last_pass,omitempty"`
	// FirstFailure is the first run after that in which it failed.
	FirstFailure *Sighting `json:"first_failure,omitempty"`
	// FailedRuns counts the runs since then in which it failed.
	FailedRuns int `json:"failed_runs,omitempty"`
	// PassesSince and LastFailure are of a test that passes.
	PassesSince *Sighting `json:"passes_since,omitempty"`
	LastFailure *Sighting `json:"last_failure,omitempty"`
	// UntilFailure are the files that differ between the state it last passed on
	// and the one it failed on first after that, UntilNow those that differ between
	// the former and the working tree.
	UntilFailure *FileChanges `json:"until_failure,omitempty"`
	UntilNow     *FileChanges `json:"until_now,omitempty"`
	// SinceFailure are the files that differ between the state it failed on last and
	// the working tree; only of a test that fails.
	SinceFailure *FileChanges `json:"since_failure,omitempty"`
	// Parts are the tests inside it because of which alone it failed last, at most
	// [MaxStates]; PartsTotal counts them.
	Parts      []string `json:"parts,omitempty"`
	PartsTotal int      `json:"parts_total,omitempty"`
	// FailedStates are the states it failed on since it last passed, the oldest
	// first, at most [MaxStates].
	FailedStates []string `json:"failed_states,omitempty"`
	// Suspects are the changed files, the likeliest cause first, at most
	// [MaxNames]; SuspectsTotal counts them.
	Suspects      []Suspect `json:"suspects,omitempty"`
	SuspectsTotal int       `json:"suspects_total"`
	// Unlike is in what the environments of two runs differ: of the contradiction, where
	// it is flaky or ends otherwise in another setting, else of its last pass and the
	// first failure after it. Nil: in nothing that is on record.
	Unlike *Unlike `json:"unlike,omitempty"`
	// Now is the working tree; nil is not known.
	Now *Source `json:"now,omitempty"`
	// Cut reports whether there are older results on record than were looked at.
	Cut      bool   `json:"cut,omitempty"`
	Warnings []Note `json:"warnings,omitempty"`
}

// MaxStates bounds the states that an answer names.
const MaxStates = 20

// Sighting is a result of a test in a run.
type Sighting struct {
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	AgeS      float64   `json:"age_s"`
	// Ended is how it ended: passed, failed, unfinished, skipped or
	// never_started.
	Ended string `json:"ended"`
	// Fingerprint is the state of the sources, Commit what git had checked out;
	// empty is not known.
	Fingerprint string `json:"fingerprint,omitempty"`
	Commit      string `json:"commit,omitempty"`
	MixedState  bool   `json:"mixed_state,omitempty"`
	// Kind and Message are of the failure: its first line.
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// Absence is a run that has no result of a test.
type Absence struct {
	// Reason is vanished or not_built.
	Reason    string    `json:"reason"`
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	AgeS      float64   `json:"age_s"`
	// Kind and Message are of what kept the suite from being built: the first line.
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// The values of [Absence.Reason].
const (
	// Vanished: the run got to every test there is, and this one was not among
	// them.
	Vanished = "vanished"
	// NotBuilt: its suite was not built.
	NotBuilt = "not_built"
)

// Suspect is a changed file that may be the cause of a failure.
type Suspect struct {
	FileChange
	// Since is before_failure where it changed between the last pass and the first
	// failure, after_failure where it changed only later: then it cannot be why
	// the test began to fail. It is empty where the state of the first failure is
	// not known.
	Since string `json:"since,omitempty"`
	// Role is failure (the place that failed), stack, test (the file of the test),
	// beside (in its directory) or other.
	Role string `json:"role"`
}

// The values of [Suspect.Since].
const (
	BeforeFailure = "before_failure"
	AfterFailure  = "after_failure"
)

// The values of [Suspect.Role], the likeliest first.
const (
	RoleFailure = "failure"
	RoleStack   = "stack"
	RoleTest    = "test"
	RoleBeside  = "beside"
	RoleOther   = "other"
)
