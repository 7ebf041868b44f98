package api

import "time"

// WhySchema is the value of [Why.Schema].
const WhySchema = "proctor.why/v1"

// Why says what is on record about a test's last result. It is a public contract like
// the Run object: fields are only added.
type Why struct {
	Schema   string `json:"schema"`
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// File and Line are where it is declared.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Latest is its latest result that proves something; nil if there is none, as for a
	// test that was only ever skipped.
	Latest *Sighting `json:"latest,omitempty"`
	// Results counts its results in the run of Latest if they contradict each other;
	// PassedResults counts the passes.
	Results       int `json:"results,omitempty"`
	PassedResults int `json:"passed_results,omitempty"`
	// Absence is a later run that should have a result of it but has none; nil if none
	// is known.
	Absence *Absence `json:"absence,omitempty"`
	// Skipped is a later run in which it was skipped or never started.
	Skipped *Sighting `json:"skipped,omitempty"`
	// Standing is that of its latest result, in the session of that run.
	Standing *Standing `json:"standing,omitempty"`
	// LastPass is its last pass on record; nil if there is none.
	LastPass *Sighting `json:"last_pass,omitempty"`
	// FirstFailure is the first run after LastPass in which it failed.
	FirstFailure *Sighting `json:"first_failure,omitempty"`
	// FailedRuns counts the runs since then in which it failed.
	FailedRuns int `json:"failed_runs,omitempty"`
	// PassesSince and LastFailure are set for a passing test.
	PassesSince *Sighting `json:"passes_since,omitempty"`
	LastFailure *Sighting `json:"last_failure,omitempty"`
	// UntilFailure are the files that differ between the state it last passed on and
	// the first state it failed on after that; UntilNow are those that differ between
	// the former and the working tree.
	UntilFailure *FileChanges `json:"until_failure,omitempty"`
	UntilNow     *FileChanges `json:"until_now,omitempty"`
	// ChangedLines are the lines of UntilNow, of a failing test.
	ChangedLines *ChangedLines `json:"changed_lines,omitempty"`
	// SinceFailure are the files that differ between the state it last failed on and
	// the working tree; only set for a failing test.
	SinceFailure *FileChanges `json:"since_failure,omitempty"`
	// Parts are the tests inside it that alone made it fail, at most [MaxStates];
	// PartsTotal counts them.
	Parts      []string `json:"parts,omitempty"`
	PartsTotal int      `json:"parts_total,omitempty"`
	// FailedStates are the states it failed on since its last pass, oldest first, at
	// most [MaxStates].
	FailedStates []string `json:"failed_states,omitempty"`
	// Suspects are the changed files, likeliest cause first, at most [MaxNames];
	// SuspectsTotal counts them.
	Suspects      []Suspect `json:"suspects,omitempty"`
	SuspectsTotal int       `json:"suspects_total"`
	// Unlike says how the environments of two runs differ: the two runs that contradict
	// each other if the test is flaky or ends differently in another setting, or else its
	// last pass and the first failure after it. Nil means no known difference.
	Unlike *EnvironmentDiff `json:"unlike,omitempty"`
	// Now is the working tree; nil if unknown.
	Now *Source `json:"now,omitempty"`
	// Cut reports whether there are older results on record than were examined.
	Cut      bool   `json:"cut,omitempty"`
	Warnings []Note `json:"warnings,omitempty"`
}

// MaxStates bounds the states in an answer.
const MaxStates = 20

// Sighting is a result of a test in a run.
type Sighting struct {
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	AgeS      float64   `json:"age_s"`
	// Ended is passed, failed, unfinished, skipped or never_started.
	Ended string `json:"ended"`
	// Fingerprint is the state of the sources, Commit the commit checked out; empty if
	// unknown.
	Fingerprint string `json:"fingerprint,omitempty"`
	Commit      string `json:"commit,omitempty"`
	// Dirty counts the files that differed from the commit, if any are known.
	Dirty      int  `json:"dirty,omitempty"`
	MixedState bool `json:"mixed_state,omitempty"`
	// Kind and Message (its first line) describe the failure.
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// Absence is a run without a result of a test.
type Absence struct {
	// Reason is vanished or not_built.
	Reason    string    `json:"reason"`
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	AgeS      float64   `json:"age_s"`
	// Kind and Message (its first line) describe what prevented the suite from being
	// built.
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
}

// The values of [Absence.Reason].
const (
	// Vanished means that the run reached every existing test, and this was not one of
	// them.
	Vanished = "vanished"
	// NotBuilt means that its suite was not built.
	NotBuilt = "not_built"
)

// Suspect is a changed file that may be the cause of a failure.
type Suspect struct {
	FileChange
	// Since is before_failure if it changed between the last pass and the first
	// failure, or after_failure if it changed only later and so cannot be why the test
	// began to fail. It is empty if the state of the first failure is unknown.
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

// The values of [Suspect.Role], likeliest first.
const (
	RoleFailure = "failure"
	RoleStack   = "stack"
	RoleTest    = "test"
	RoleBeside  = "beside"
	RoleOther   = "other"
)
