package api

import (
	"slices"
	"time"
)

// Classification compares how a test or a file ends in a session with what was
// on record before. docs/history.md has the table.
type Classification string

// The classifications.
const (
	// Gap: never seen before this session, or nothing was proved about it there.
	Gap Classification = "gap"
	// Steady: passes, and has prior history.
	Steady Classification = "passed"
	// Fixed: failed earlier in this session, or when last seen; passes now.
	Fixed Classification = "fixed"
	// Regression: passing in the most recent prior session that ran it; fails
	// now.
	Regression Classification = "regression"
	// Failing: failing then and now.
	Failing Classification = "failing"
	// Unsteady: would be a regression or fixed, and is flaky: the sources need have
	// nothing to do with it.
	Unsteady Classification = "flaky"
)

// EntryStatus is how a test or file stands at the end of a session.
type EntryStatus string

// The statuses.
const (
	StatusPassed     EntryStatus = "passed"
	StatusFixed      EntryStatus = "fixed"
	StatusUnresolved EntryStatus = "unresolved"
	// StatusDeferred: unresolved, and set aside by the user.
	StatusDeferred EntryStatus = "deferred"
)

// Standing is what the record knows of a test beside its latest result.
type Standing struct {
	Classification Classification `json:"classification,omitempty"`
	// Resolution is how the test stands in this session.
	Resolution EntryStatus `json:"resolution,omitempty"`
	// FailedSessions counts the different sessions that ended with it unresolved,
	// this one included.
	FailedSessions int `json:"failed_sessions"`
	// Recurring reports whether it was left unresolved in three or more sessions and
	// has not recovered since.
	Recurring bool `json:"recurring,omitempty"`
	// LastPassed is the last pass on record before; nil is none.
	LastPassed *LastPassed `json:"last_passed,omitempty"`
	// FailedRuns counts the runs without a pass in between that ended badly, however
	// they did, this one included.
	FailedRuns int `json:"failed_runs,omitempty"`
	// FailedRunsAtLeast reports whether there may be earlier ones, which were not
	// looked at.
	FailedRunsAtLeast bool `json:"failed_runs_at_least,omitempty"`
	// SameFailure tells that it is not the first run with this failure.
	SameFailure *SameFailure `json:"same_failure,omitempty"`
	// SimilarFailure counts the runs whose failures were the same or similar, where
	// that is more: see [Likeness].
	SimilarFailure *SameFailure `json:"similar_failure,omitempty"`
	// Flaky: it passed and failed on the same source state, and has not passed at the
	// ends of three sessions since.
	Flaky *Flaky `json:"flaky,omitempty"`
	// Formerly is the name that a red test had before, of a [Gap].
	Formerly *Formerly `json:"formerly,omitempty"`
	// Otherwise: it ended the other way with other arguments, settings or tools,
	// where the sources made no difference.
	Otherwise *Otherwise `json:"otherwise,omitempty"`
}

// Formerly is the name that a test had, and how it ended last under that.
type Formerly struct {
	Test  string `json:"test"`
	RunID string `json:"run_id"`
	Ended string `json:"ended"`
}

// Otherwise is a result on sources on which the test ended the other way in the
// present setting: arguments, settings, tools. It has not ended as it does now in
// the setting of that run since.
type Otherwise struct {
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// Failed reports whether it failed there, and passes here; else the other way
	// round.
	Failed bool `json:"failed"`
	// RunnerArgs are those of that run, where they are on record.
	RunnerArgs []string `json:"runner_args,omitempty"`
}

// LastPassed is a pass on record.
type LastPassed struct {
	RunID string    `json:"run_id"`
	At    time.Time `json:"at"`
	// AgeS is how long ago it was when this was written, in seconds.
	AgeS float64 `json:"age_s"`
	// Fingerprint is the source state it passed on; empty is not known.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Likeness is how alike two failures of one test are.
type Likeness string

// The likenesses.
const (
	LikenessUnknown Likeness = ""
	// SameFailureAgain: of one kind, at one place, with one message, up to what
	// differs from run to run.
	SameFailureAgain Likeness = "same"
	// SimilarFailure: of one kind, at one place as far as that is known, with messages
	// of one shape.
	SimilarFailure Likeness = "similar"
	// OtherMessage, OtherPlace and OtherKind say in what they differ.
	OtherMessage Likeness = "other_message"
	OtherPlace   Likeness = "other_place"
	OtherKind    Likeness = "other_kind"
)

// SameFailure counts the runs without a pass in between that ended with the same
// failure, or similar ones.
type SameFailure struct {
	// Signature names the cause; see [Failure.Signature].
	Signature string `json:"signature,omitempty"`
	// Run is the ordinal of this run among them: 4 is the fourth.
	Run int `json:"run"`
	// AtLeast reports whether there may be earlier ones, which were not looked at.
	AtLeast bool `json:"at_least,omitempty"`
	// Edits counts the changed files between each of these runs and the next; -1
	// is not known.
	Edits int `json:"edits"`
	// Since is the first of these runs.
	Since   time.Time `json:"since"`
	SinceID string    `json:"since_run_id"`
}

// IsFlaky reports whether a test stands as flaky. One standing wins: a test that is
// failing is not flaky beside that, whatever is on record of it.
func (s *Standing) IsFlaky() bool {
	return s.Flaky != nil && (s.Classification == Unsteady || s.Classification == Steady)
}

// Flaky is the evidence that a test both passed and failed on one state of the
// sources, in the same environment.
type Flaky struct {
	Fingerprint string `json:"fingerprint,omitempty"`
	PassedRun   string `json:"passed_run_id"`
	FailedRun   string `json:"failed_run_id"`
	// Seeds are those of the two runs, where they are known and differ.
	Seeds []string `json:"seeds,omitempty"`
}

// Entry is how a file stood at the end of a session: the unit of the exported
// history.
type Entry struct {
	File           string         `json:"file"`
	Status         EntryStatus    `json:"status"`
	SessionID      string         `json:"session_id"`
	Timestamp      time.Time      `json:"timestamp"`
	Classification Classification `json:"classification"`
}

// Source is the state of the sources that a run saw.
type Source struct {
	// Fingerprint is the identity of the state, uncommitted edits included.
	Fingerprint string `json:"fingerprint"`
	// Kind tells how it was found: git, or walk where there is no git.
	Kind string `json:"kind"`
	// Commit and Branch are what git had checked out.
	Commit string `json:"commit,omitempty"`
	Branch string `json:"branch,omitempty"`
	// Worktree is the git directory of this checkout: it tells the worktrees of
	// one repository apart.
	Worktree string `json:"worktree,omitempty"`
	// Dirty counts the files that differ from the commit, untracked ones
	// included; -1 is not known.
	Dirty int `json:"dirty"`
}

// Integrity tells what no longer verifies anything, although nothing failed:
// compared with the last run of everything before the session began, or else the
// first one in it.
type Integrity struct {
	// Since is the run that was compared with; empty where there was none.
	Since string `json:"since_run_id,omitempty"`
	// Vanished ran then and do not exist any more; NewlySkipped ran then and are
	// skipped now. At most [MaxNames] are named, the counts are exact.
	Vanished          []Test `json:"vanished,omitempty"`
	NewlySkipped      []Test `json:"newly_skipped,omitempty"`
	VanishedTotal     int    `json:"vanished_total"`
	NewlySkippedTotal int    `json:"newly_skipped_total"`
	// Renamed ran then, and are now called otherwise.
	Renamed      []Renamed `json:"renamed,omitempty"`
	RenamedTotal int       `json:"renamed_total,omitempty"`
	// Gone were outstanding and do not exist any more: they never passed.
	Gone      []Gone `json:"gone,omitempty"`
	GoneTotal int    `json:"gone_total,omitempty"`
}

// Rename notes the new names of tests that are gone: they have not vanished.
func (i *Integrity) Rename(names map[Test]Test) {
	for n := range i.Gone {
		if to, ok := names[i.Gone[n].Test]; ok {
			i.Gone[n].RenamedTo = &to
		}
	}
	left := slices.DeleteFunc(i.Vanished, func(t Test) bool { _, renamed := names[t]; return renamed })
	i.VanishedTotal -= len(i.Vanished) - len(left)
	i.Vanished = left
}

// Renamed is a test that has another name now.
type Renamed struct {
	Test
	To Test `json:"renamed_to"`
}

// Gone is an outstanding test, or a suite, that does not exist any more.
type Gone struct {
	Test
	// Was says how it was outstanding: failed, unfinished, never_started or suite.
	Was string `json:"was"`
	// RenamedTo is the test that it is now: a new one of its suite with the same body,
	// one of its file at the same place or with the same failure, or one of the same
	// name in another suite.
	RenamedTo *Test `json:"renamed_to,omitempty"`
}

// Cause groups failures that have one signature.
type Cause struct {
	Signature string `json:"signature"`
	// Total counts them, also those that the object does not carry, among the first
	// 20,000 failures of the run.
	Total int `json:"total"`
	// Failures are the ids of those that the Run object carries.
	Failures []string `json:"failures"`
}

// Stale says what happened to the sources since a result was made.
type Stale struct {
	// Changed counts the files that differ now from what the run saw; Files
	// names the first ones.
	Changed int      `json:"changed"`
	Files   []string `json:"files,omitempty"`
	// Suites are those whose tests are known to lie beside or in a changed file.
	// Others may be touched too.
	Suites []string `json:"suites,omitempty"`
}
