package api

import (
	"slices"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Classification compares how a test or file ends in a session with its prior record.
// docs/history.md has the table.
type Classification string

// The classifications.
const (
	// Gap means that it was not seen before this session, or without a conclusive
	// result.
	Gap Classification = "gap"
	// Steady means that it passes and has prior history.
	Steady Classification = "passed"
	// Fixed means that it failed earlier in this session, or when last seen, and passes
	// now.
	Fixed Classification = "fixed"
	// Regression means that it passed in the latest prior session that ran it and fails
	// now.
	Regression Classification = "regression"
	// Failing means that it failed in the latest prior session that ran it, and fails
	// now.
	Failing Classification = "failing"
	// Unsteady means that it would be a regression or fixed but is flaky: the sources
	// may have nothing to do with it.
	Unsteady Classification = "flaky"
)

// classificationWords returns all classifications.
func classificationWords() []string {
	return []string{string(Gap), string(Steady), string(Fixed), string(Regression), string(Failing), string(Unsteady)}
}

// EntryStatus is the status of a test or file at the end of a session.
type EntryStatus string

// The statuses.
const (
	StatusPassed     EntryStatus = "passed"
	StatusFixed      EntryStatus = "fixed"
	StatusUnresolved EntryStatus = "unresolved"
	// StatusDeferred means unresolved, and deferred by the user.
	StatusDeferred EntryStatus = "deferred"
)

// Standing is what the record says about a test besides its latest result.
type Standing struct {
	Classification Classification `json:"classification,omitempty"`
	// Resolution is the test's status in this session.
	Resolution EntryStatus `json:"resolution,omitempty"`
	// FailedSessions counts the sessions that ended with it unresolved, including this
	// one.
	FailedSessions int `json:"failed_sessions"`
	// Recurring reports whether it was left unresolved in three or more sessions
	// without recovering since.
	Recurring bool `json:"recurring,omitempty"`
	// LastPassed is the previous pass on record; nil if there is none.
	LastPassed *LastPassed `json:"last_passed,omitempty"`
	// Changed are the first files, by path below the repository's top, that differ
	// between the last pass and the first failure since, those near the test before others;
	// ChangedTotal counts all. They are empty if that is unknown.
	Changed      []string `json:"changed,omitempty"`
	ChangedTotal int      `json:"changed_total,omitempty"`
	// FailedRuns counts the runs since the last pass that ended badly in any way,
	// including this one.
	FailedRuns int `json:"failed_runs,omitempty"`
	// FailedRunsAtLeast reports whether there may be earlier ones that were not
	// examined.
	FailedRunsAtLeast bool `json:"failed_runs_at_least,omitempty"`
	// SameFailure is set if earlier runs had the same failure.
	SameFailure *SameFailure `json:"same_failure,omitempty"`
	// SimilarFailure counts the runs with the same or a similar failure, if there are
	// more of them: see [Likeness].
	SimilarFailure *SameFailure `json:"similar_failure,omitempty"`
	// Flaky is set if it passed and failed on the same source state and has not passed
	// at the end of three sessions since.
	Flaky *Flaky `json:"flaky,omitempty"`
	// Formerly is the earlier name of a red test; only for a [Gap].
	Formerly *Formerly `json:"formerly,omitempty"`
	// Otherwise is set if it ended the other way on the same sources with other
	// arguments, settings or tools.
	Otherwise *Otherwise `json:"otherwise,omitempty"`
}

// Formerly is a test's earlier name, and its last result under that name.
type Formerly struct {
	Test  string `json:"test"`
	RunID string `json:"run_id"`
	Ended string `json:"ended"`
}

// Otherwise is a result with other arguments, settings or tools, on sources on which the
// test ended the other way in the present ones. Since then, the others have not produced
// the present result.
type Otherwise struct {
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// Failed reports whether it failed there and passes here; otherwise it is the
	// reverse.
	Failed bool `json:"failed"`
	// RunnerArgs are the runner arguments of that run, if on record.
	RunnerArgs []string `json:"runner_args,omitempty"`
}

// LastPassed is a pass on record.
type LastPassed struct {
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// AgeS is its age in seconds at the time of writing.
	AgeS float64 `json:"age_s"`
	// Fingerprint is the source state it passed on; empty if unknown.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Likeness is how alike two failures of one test are.
type Likeness string

// The likenesses.
const (
	LikenessUnknown Likeness = ""
	// SameFailureAgain means the same kind, place and message, apart from what varies
	// from run to run.
	SameFailureAgain Likeness = "same"
	// SimilarFailure means the same kind, the same place as far as known, and messages
	// of the same shape.
	SimilarFailure Likeness = "similar"
	// OtherMessage, OtherPlace and OtherKind say how they differ.
	OtherMessage Likeness = "other_message"
	OtherPlace   Likeness = "other_place"
	OtherKind    Likeness = "other_kind"
)

// SameFailure counts the runs since the last pass that ended with the same failure, or
// similar ones.
type SameFailure struct {
	// Signature identifies the cause; see [Failure.Signature].
	Signature string `json:"signature,omitempty"`
	// Run is the ordinal of this run among them: 4 means the fourth.
	Run int `json:"run"`
	// AtLeast reports whether there may be earlier ones that were not examined.
	AtLeast bool `json:"at_least,omitempty"`
	// Edits counts the changed files between each of these runs and the next; -1 if
	// unknown.
	Edits int `json:"edits"`
	// Since is the first of these runs.
	Since   time.Time `json:"since,omitzero"`
	SinceID string    `json:"since_run_id,omitempty"`
}

// IsFlaky reports whether a test counts as flaky. A failing test does not, whatever is
// on record of it.
func (s *Standing) IsFlaky() bool {
	return s.Flaky != nil && (s.Classification == Unsteady || s.Classification == Steady)
}

// Flaky is the evidence that a test both passed and failed on one state of the sources,
// in the same environment.
type Flaky struct {
	Fingerprint string `json:"fingerprint,omitempty"`
	PassedRun   string `json:"passed_run_id"`
	FailedRun   string `json:"failed_run_id"`
	// FailedRuns are those of the last Runs in which it did not pass; Runs is at most 40.
	FailedRuns int `json:"failed_runs"`
	Runs       int `json:"runs"`
	// Seeds are those of the two runs, if known and different.
	Seeds []string `json:"seeds,omitempty"`
}

// Entry is the status of a file at the end of a session, the unit of the exported
// history.
type Entry struct {
	File           string         `json:"file"`
	Status         EntryStatus    `json:"status"`
	SessionID      string         `json:"session_id"`
	Timestamp      time.Time      `json:"timestamp"`
	Classification Classification `json:"classification"`
}

// Source is the state of the sources that a run tested.
type Source struct {
	// Fingerprint identifies the state, including uncommitted changes.
	Fingerprint string `json:"fingerprint"`
	// Kind says how it was determined: git, or walk without git.
	Kind string `json:"kind"`
	// Commit and Branch are what git had checked out.
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Worktree is the git directory of this checkout, which distinguishes worktrees of
	// a repository.
	Worktree string `json:"worktree,omitempty"`
	// Dirty counts the files that differ from the commit, including untracked ones; -1
	// if unknown.
	Dirty int `json:"dirty"`
}

// Integrity names tests that no longer verify anything although nothing failed. It
// compares a run with the last run of everything before the session, or else with the
// session's first.
type Integrity struct {
	// Since is the run compared with; empty if there was none.
	Since string `json:"since_run_id,omitempty"`
	// Vanished ran then and no longer exist; NewlySkipped ran then and are skipped now.
	// At most [MaxNames] are named; the counts are exact.
	Vanished          []sdk.TestID `json:"vanished,omitempty"`
	NewlySkipped      []sdk.TestID `json:"newly_skipped,omitempty"`
	VanishedTotal     int          `json:"vanished_total"`
	NewlySkippedTotal int          `json:"newly_skipped_total"`
	// Renamed ran then under another name.
	Renamed      []Renamed `json:"renamed,omitempty"`
	RenamedTotal int       `json:"renamed_total,omitempty"`
	// Gone were outstanding and no longer exist without ever having passed.
	Gone      []Gone `json:"gone,omitempty"`
	GoneTotal int    `json:"gone_total,omitempty"`
}

// Rename records the new names of tests that are gone: they have not vanished.
func (i *Integrity) Rename(names map[sdk.TestID]sdk.TestID) {
	for n := range i.Gone {
		if to, ok := names[i.Gone[n].TestID]; ok {
			i.Gone[n].RenamedTo = &to
		}
	}
	left := slices.DeleteFunc(i.Vanished, func(t sdk.TestID) bool { _, renamed := names[t]; return renamed })
	i.VanishedTotal -= len(i.Vanished) - len(left)
	i.Vanished = left
}

// Renamed is a test with a new name.
type Renamed struct {
	sdk.TestID
	To sdk.TestID `json:"renamed_to"`
}

// Gone is an outstanding test or suite that no longer exists.
type Gone struct {
	sdk.TestID
	// Was says how it was outstanding: failed, unfinished, never_started or suite.
	Was string `json:"was"`
	// RenamedTo is the test that it is now: a new one of its suite with the same body,
	// one of its file at the same place or with the same failure, or one with the same
	// name in another suite.
	RenamedTo *sdk.TestID `json:"renamed_to,omitempty"`
}

// Cause groups failures that share a signature.
type Cause struct {
	Signature string `json:"signature"`
	// Total counts them among the first 20,000 failures of the run, including those
	// that the object does not carry.
	Total int `json:"total"`
	// Failures are the ids of those that the Run object carries.
	Failures []string `json:"failures"`
}

// Stale says how the sources changed since a result.
type Stale struct {
	// Changed counts the files that differ from those of the run; Files names the
	// first.
	Changed int      `json:"changed"`
	Files   []string `json:"files,omitempty"`
	// Suites are those whose tests are known to lie in or beside a changed file. Others
	// may be affected, too. SuitesTotal counts them.
	Suites      []string `json:"suites,omitempty"`
	SuitesTotal int      `json:"suites_total,omitempty"`
}
