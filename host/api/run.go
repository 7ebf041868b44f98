package api

import (
	"strings"
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Schema is the value of [Run.Schema].
const Schema = "proctor.run/v1"

// MaxFailures is how many failures a Run object carries; FailuresTotal counts all of
// them. It equals the most that a reader can request at once, so that an object stays
// readable; the record on disk holds every failure.
const MaxFailures = 500

// MaxNames likewise bounds the lists of unfinished and never-started tests; the counts
// are exact.
const MaxNames = 1000

// Kind distinguishes runs from reruns.
type Kind string

// The kinds of runs.
const (
	KindRun    Kind = "run"
	KindRerun  Kind = "rerun"
	KindParsed Kind = "parse"  // recorded output, read without running anything
	KindIngest Kind = "ingest" // recorded output, added to the history
	KindRetry  Kind = "retry"  // what failed in another run, on the same state, at once
	KindTriage Kind = "triage" // some tests on another state of the sources
	KindMerge  Kind = "merge"  // the shards of a run, together
)

// State says whether a run is over.
type State string

// The states of a run.
const (
	StateRunning  State = "running"
	StateFinished State = "finished"
)

// Verdict is what a run proved. Package verdict decides it.
type Verdict string

// The verdicts, as docs/verdicts.md defines them.
const (
	Passed      Verdict = "passed"
	Failed      Verdict = "failed"
	BuildFailed Verdict = "build_failed"
	Incomplete  Verdict = "incomplete"
	NothingRan  Verdict = "nothing_ran"
	ToolError   Verdict = "tool_error"
)

// Words returns the verdict as a sentence has it: "build failed".
func (v Verdict) Words() string { return strings.ReplaceAll(string(v), "_", " ") }

// Run is one run of one language's tests.
type Run struct {
	Schema    string  `json:"schema"`
	RunID     string  `json:"run_id"`
	SessionID string  `json:"session_id"`
	Kind      Kind    `json:"kind"`
	State     State   `json:"state"`
	Verdict   Verdict `json:"verdict"`
	// Reason is one sentence that explains the verdict.
	Reason string `json:"reason"`
	// Caveats are what a pass leaves out or excuses, or what is wrong besides failures, as
	// the reason says, too.
	Caveats []Caveat `json:"caveats,omitempty"`
	// ExitCode is the runner's; 124 after a timeout, -1 if unknown.
	ExitCode  int    `json:"exit_code"`
	Signal    string `json:"signal,omitempty"`
	TimedOut  bool   `json:"timed_out"`
	Cancelled bool   `json:"cancelled"`

	Language  string    `json:"language"`
	Plugin    Plugin    `json:"plugin"`
	Workspace string    `json:"workspace"`
	StartedAt time.Time `json:"started_at"`
	DurationS float64   `json:"duration_s"`
	Selection Selection `json:"selection"`
	Commands  []Command `json:"commands"`

	Counts        Counts       `json:"counts"`
	Failures      []Failure    `json:"failures"`
	FailuresTotal int          `json:"failures_total"`
	Unfinished    []sdk.TestID `json:"unfinished"`
	NeverStarted  []sdk.TestID `json:"never_started"`
	// Outstanding counts the tests of this session and language that failed, did not
	// finish or never started and have not passed since.
	Outstanding int `json:"outstanding"`
	// Quarantined counts the failed tests whose known failure did not decide the
	// verdict, as the project's quarantine says; OutstandingQuarantined counts those
	// that are outstanding.
	Quarantined            int `json:"quarantined,omitempty"`
	OutstandingQuarantined int `json:"outstanding_quarantined,omitempty"`
	// OutstandingCounts breaks it down by kind; zero if unknown.
	OutstandingCounts OutstandingCounts `json:"outstanding_counts,omitzero"`

	// Results is only set if all results were requested.
	Results []Result `json:"results,omitempty"`
	// Requested is only set for a rerun.
	Requested []Requested `json:"requested,omitempty"`

	// Retried are the failed tests that ran again, in runs of their own.
	Retried []Retried `json:"retried,omitempty"`
	// Shard says which part of a run this is; nil if it is none.
	Shard *Shard `json:"shard,omitempty"`
	// Merged are the shards of a merge.
	Merged *Merged `json:"merged,omitempty"`
	// From says whose failures a rerun ran, if they are of runs elsewhere.
	From *From `json:"from,omitempty"`
	// RetryOf is the run whose failed tests a retry runs.
	RetryOf string `json:"retry_of,omitempty"`

	// RunError is the runner's or plugin's own explanation of why it could not work.
	RunError string `json:"run_error,omitempty"`
	// Message is a notice for the reader.
	Message string `json:"message,omitempty"`
	// Advice says what to do next.
	Advice Advice `json:"advice,omitzero"`
	// Warnings are what a reader should know besides the verdict: untested parts of the
	// workspace, output that could not be parsed.
	Warnings []Note `json:"warnings,omitempty"`
	// Seed is the seed of the runner's random choices; empty if none, or unknown.
	Seed string `json:"seed,omitempty"`
	// Conditions are what the results depend on besides sources and seed, as the plugin
	// names them. Measures are only compared between runs with equal conditions.
	Conditions map[string]string `json:"conditions,omitempty"`
	// Source is the state of the sources; nil if unknown.
	Source *Source `json:"source,omitempty"`
	// MixedState reports whether files changed during the run, so that its results
	// belong to no single state. They are not evidence of flakiness.
	MixedState bool `json:"mixed_state,omitempty"`
	// Environment identifies what the results depend on besides the sources: arguments,
	// settings, tools, variables. Runs that differ in it are not compared for
	// flakiness.
	Environment string `json:"environment,omitempty"`
	// Integrity says what vanished or became skipped; nil if nothing did, or there is
	// nothing to compare with.
	Integrity *Integrity `json:"integrity,omitempty"`
	// Causes groups failures that share a cause with others.
	Causes []Cause `json:"causes,omitempty"`
	// Stale says what changed since; only set when a run is read again.
	Stale *Stale `json:"stale,omitempty"`
	// Origin is the file that a run was ingested or imported from; empty if it was made
	// here.
	Origin string `json:"origin,omitempty"`
	// Running is a run of the same session and language that is in progress; only set if
	// this one is finished.
	Running string `json:"running,omitempty"`
	// Affected says which tests were selected because of changes; nil if the run did
	// not ask for that.
	Affected *Affected `json:"affected,omitempty"`
	// Coverage is what the tests executed; nil if it was not measured.
	Coverage *Coverage `json:"coverage,omitempty"`
	// TimeoutS is the run's deadline in seconds.
	TimeoutS float64 `json:"timeout_s,omitempty"`
}

// OutstandingUnquarantined counts what is outstanding and not in quarantine.
func (r Run) OutstandingUnquarantined() int { return max(r.Outstanding-r.OutstandingQuarantined, 0) }

// Fingerprint is the state of the sources that the run saw; empty if unknown.
func (r Run) Fingerprint() string {
	if r.Source == nil {
		return ""
	}
	return r.Source.Fingerprint
}

// Plugin names the plugin that parsed the run.
type Plugin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Override is the path given by --plugin or PROCTOR_PLUGIN_NAME, if any.
	Override string `json:"override,omitempty"`
	// Lock is the path of the lock file that names the plugin, if any.
	Lock string `json:"lock,omitempty"`
}

// Selection is what the user asked for, in the terms of the fronts.
type Selection struct {
	Packages      []string `json:"packages,omitempty"`
	MatchPath     string   `json:"match_path,omitempty"`
	MatchContract string   `json:"match_contract,omitempty"`
	Filter        string   `json:"filter,omitempty"`
	RunnerArgs    []string `json:"runner_args,omitempty"`
	// Affected is the revision whose changes since selected the tests; empty if they
	// selected none, or all.
	Affected string `json:"affected,omitempty"`
	// Shard is the part of the selected tests that ran, as in "2/5"; empty if all did.
	Shard string `json:"shard,omitempty"`
	// Configured are project settings that leave tests out.
	Configured []string `json:"configured,omitempty"`
	// Selected and Total count the listed tests that ran and that exist; only known for
	// a filtered run of a language that can list its tests.
	Selected int `json:"selected,omitempty"`
	Total    int `json:"total,omitempty"`
}

// Narrows reports whether less than everything was requested. Only the runner knows
// what runner arguments leave out.
func (s Selection) Narrows() bool {
	return len(s.Packages) > 0 || s.MatchPath != "" || s.MatchContract != "" || s.Filter != "" || s.Affected != "" || s.Shard != ""
}

// Command is an executed process.
type Command struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
}

// Counts are the totals of a run. Passed to Unfinished count results as runners print
// them, including those of subtests and of each execution of a test; but a test that
// failed only because of a test inside it does not count as failed.
type Counts struct {
	Suites int `json:"suites"`
	// SuitesWithoutTests counts the suites in which no test ran.
	SuitesWithoutTests int `json:"suites_without_tests"`
	// Tests counts the tests with a result, once each and without subtests. TestsPassed
	// counts those that passed whenever they were not skipped, TestsSkipped those that
	// were always skipped. All are 0 if some of too many to distinguish have several results.
	Tests        int `json:"tests"`
	TestsPassed  int `json:"tests_passed"`
	TestsSkipped int `json:"tests_skipped"`
	// Subtests counts results of subtests; Repeats counts results of a test beyond its
	// first.
	Subtests int `json:"subtests"`
	Repeats  int `json:"repeats"`
	// SubtestsUnfinished counts the subtests in Unfinished; Fixtures counts results of
	// fixtures that did not pass.
	SubtestsUnfinished int `json:"subtests_unfinished"`
	Fixtures           int `json:"fixtures"`
	// TestsCached and Cached count those of TestsPassed and Passed that the runner took
	// from its cache without running them.
	TestsCached int `json:"tests_cached"`
	Cached      int `json:"cached"`
	// Flaky counts the failed tests that passed when they were retried.
	Flaky int `json:"flaky"`

	Passed            int   `json:"passed"`
	Failed            int   `json:"failed"`
	Skipped           int   `json:"skipped"`
	Unfinished        int   `json:"unfinished"`
	NeverStarted      int   `json:"never_started"`
	BuildFailed       int   `json:"build_failed"`
	ParseSkippedBytes int64 `json:"parse_skipped_bytes"`
}

// FailedTests counts the tests that failed, once each; if tests were not told apart from
// their parts, it counts results.
func (c Counts) FailedTests() int {
	if c.Tests == 0 {
		return c.Failed
	}
	return max(c.Tests-c.TestsPassed-c.TestsSkipped-(c.Unfinished-c.SubtestsUnfinished), 0)
}

// GreenTests returns how many tests passed, once each if known.
func (c Counts) GreenTests() int {
	if c.TestsPassed > 0 {
		return c.TestsPassed
	}
	return c.Passed
}

// Result is the end of one test or subtest.
type Result struct {
	sdk.TestResult
	DurationS float64 `json:"duration_s"`
	// Cached reports whether the runner took it from its cache: it is the result of an
	// earlier run.
	Cached bool `json:"cached,omitempty"`
}

// Outcome is the result of a test that a rerun requested.
type Outcome string

// The outcomes of a requested test.
const (
	OutcomePassed    Outcome = "passed"
	OutcomeFailed    Outcome = "failed"
	OutcomeDidNotRun Outcome = "did_not_run"
	OutcomeSkipped   Outcome = "skipped"
)

// Retried is a failed test that ran again. Flaky reports whether it passed then.
type Retried struct {
	sdk.TestID
	Flaky    bool      `json:"flaky"`
	Attempts []Attempt `json:"attempts"`
}

// Attempt is a further execution of a failed test. Each is in a run of its own.
type Attempt struct {
	RunID   string  `json:"run_id"`
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why,omitempty"`
}

// PassedOnTry returns on which try a failed test passed, as in "passed on the 2nd try";
// 0 if it did not.
func (r Run) PassedOnTry(suite, test string) int {
	for _, t := range r.Retried {
		if t.Flaky && t.Suite == suite && t.Test == test {
			return 1 + len(t.Attempts)
		}
	}
	return 0
}

// Requested is a test that a rerun requested.
type Requested struct {
	sdk.TestID
	Outcome Outcome `json:"outcome"`
	// Why explains an outcome other than a plain pass or failure.
	Why string `json:"why,omitempty"`
}
