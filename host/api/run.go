package api

import (
	"encoding/json"
	"time"
)

// Schema is the value of [Run.Schema].
const Schema = "proctor.run/v1"

// MaxFailures is how many failures a Run object carries; FailuresTotal counts
// all of them. It equals the most that a reader can ask for in one answer, so
// that one object stays readable; the record on disk holds every failure.
const MaxFailures = 500

// MaxNames bounds the lists of unfinished and never-started tests of a Run
// object in the same way; the counts are exact.
const MaxNames = 1000

// Kind tells a run from a rerun.
type Kind string

// The kinds of runs.
const (
	KindRun    Kind = "run"
	KindRerun  Kind = "rerun"
	KindParsed Kind = "parse"  // a recorded output, read without running anything
	KindIngest Kind = "ingest" // a recorded output that was taken into the history
	KindTriage Kind = "triage" // some tests on another state of the sources
)

// State reports whether a run is over.
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

// Run is one run of one language's tests.
type Run struct {
	Schema    string  `json:"schema"`
	RunID     string  `json:"run_id"`
	SessionID string  `json:"session_id"`
	Kind      Kind    `json:"kind"`
	State     State   `json:"state"`
	Verdict   Verdict `json:"verdict"`
	// Reason is one sentence: why this verdict.
	Reason string `json:"reason"`
	// ExitCode is the runner's; 124 after a time-out; -1 when it is not known.
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

	Counts        Counts    `json:"counts"`
	Failures      []Failure `json:"failures"`
	FailuresTotal int       `json:"failures_total"`
	Unfinished    []Test    `json:"unfinished"`
	NeverStarted  []Test    `json:"never_started"`
	// Outstanding counts the tests that failed, did not finish or never
	// started since they last passed, in this session and language.
	Outstanding int `json:"outstanding"`
	// OutstandingCounts has their kinds; zero where these are not known.
	OutstandingCounts OutstandingCounts `json:"outstanding_counts,omitzero"`

	// Results is only filled by show.
	Results []Result `json:"results,omitempty"`
	// Requested is only filled for a rerun.
	Requested []Requested `json:"requested,omitempty"`

	// RunError is the runner's or the plugin's own account of why it could not
	// work.
	RunError string `json:"run_error,omitempty"`
	// Message is a notice for the reader.
	Message string `json:"message,omitempty"`
	// Warnings are what a reader should know beside the verdict: parts of the
	// workspace that were not tested, output that was not understood.
	Warnings []Note `json:"warnings,omitempty"`
	// Seed decided what the runner drew at random; empty is none, or not known.
	Seed string `json:"seed,omitempty"`
	// Conditions are what the results depend on beside the sources and the
	// seed, as the plugin names them. Measures are only compared between runs
	// of equal conditions.
	Conditions map[string]string `json:"conditions,omitempty"`
	// Source is the state of the sources that the run saw; nil is not known.
	Source *Source `json:"source,omitempty"`
	// MixedState reports whether files changed while the run was going on, so that its
	// results are of no one state. They are no evidence that a test is flaky.
	MixedState bool `json:"mixed_state,omitempty"`
	// Environment names what the results depend on beside the sources: arguments,
	// settings, tools, environment. Runs that differ in it are not compared for
	// flakiness.
	Environment string `json:"environment,omitempty"`
	// Integrity tells what vanished or became skipped; nil where there is nothing
	// to tell, or nothing to compare with.
	Integrity *Integrity `json:"integrity,omitempty"`
	// Causes group the failures of which several have one cause.
	Causes []Cause `json:"causes,omitempty"`
	// Stale says what changed since; only where a run is read again.
	Stale *Stale `json:"stale,omitempty"`
	// Origin says where a run was made that was not made here: the file that it
	// was ingested or imported from.
	Origin string `json:"origin,omitempty"`
	// Running is another run of the session and language that goes on, where a
	// finished one is asked for.
	Running string `json:"running,omitempty"`
	// Affected tells which tests were chosen because of what was changed; nil where the
	// run did not ask for that.
	Affected *Affected `json:"affected,omitempty"`
	// Coverage is what the tests executed; nil where it was not measured.
	Coverage *Coverage `json:"coverage,omitempty"`
	// TimeoutS is the deadline the run had, in seconds.
	TimeoutS float64 `json:"timeout_s,omitempty"`
}

// Plugin names the detector plugin that read the run.
type Plugin struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Override is the path given with --plugin or PROCTOR_PLUGIN_NAME, when it was.
	Override string `json:"override,omitempty"`
	// Lock is the path of the lock file that names the plugin, when one does.
	Lock string `json:"lock,omitempty"`
}

// Selection is what the user asked for, in the words of the fronts.
type Selection struct {
	Packages      []string `json:"packages,omitempty"`
	MatchPath     string   `json:"match_path,omitempty"`
	MatchContract string   `json:"match_contract,omitempty"`
	Filter        string   `json:"filter,omitempty"`
	RunnerArgs    []string `json:"runner_args,omitempty"`
	// Affected is the revision since which changes chose the tests; empty where they
	// chose none, or all.
	Affected string `json:"affected,omitempty"`
	// Configured are settings of the project that leave tests out.
	Configured []string `json:"configured,omitempty"`
	// Selected and Total count listed tests that ran and that exist; they are
	// only known for a filtered run of a language that can list its tests.
	Selected int `json:"selected,omitempty"`
	Total    int `json:"total,omitempty"`
}

// Narrows reports whether less than everything was asked for. What runner
// arguments leave out is only known to the runner.
func (s Selection) Narrows() bool {
	return len(s.Packages) > 0 || s.MatchPath != "" || s.MatchContract != "" || s.Filter != "" || s.Affected != ""
}

// Command is one process that was executed.
type Command struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
}

// Counts are the figures of a run. Passed to Unfinished count results, of subtests
// too and each time that a test ran, as runners print them; but a test that failed
// only because of a test inside it is not counted as failed.
type Counts struct {
	Suites int `json:"suites"`
	// SuitesWithoutTests are those of the suites in which no test ran.
	SuitesWithoutTests int `json:"suites_without_tests"`
	// Tests are the tests that have a result, each once and without subtests;
	// TestsPassed passed each time that they were not skipped, TestsSkipped were skipped
	// each time. All are 0 where there are too many to tell them apart.
	Tests        int `json:"tests"`
	TestsPassed  int `json:"tests_passed"`
	TestsSkipped int `json:"tests_skipped"`
	// Subtests counts the results of subtests, Repeats those that a test has beyond
	// its first.
	Subtests int `json:"subtests"`
	Repeats  int `json:"repeats"`
	// SubtestsUnfinished are those of Unfinished that are of subtests, Fixtures results
	// of what is run around tests and did not pass.
	SubtestsUnfinished int `json:"subtests_unfinished"`
	Fixtures           int `json:"fixtures"`

	Passed            int   `json:"passed"`
	Failed            int   `json:"failed"`
	Skipped           int   `json:"skipped"`
	Unfinished        int   `json:"unfinished"`
	NeverStarted      int   `json:"never_started"`
	BuildFailed       int   `json:"build_failed"`
	ParseSkippedBytes int64 `json:"parse_skipped_bytes"`
}

// GreenTests is how many tests passed, each counted once where that is known.
func (c Counts) GreenTests() int {
	if c.TestsPassed > 0 {
		return c.TestsPassed
	}
	return c.Passed
}

// Test names a test. An empty Test is the suite itself.
type Test struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
}

// Status is how a test ended.
type Status string

// The ends of a test.
const (
	TestPassed     Status = "passed"
	TestFailed     Status = "failed"
	TestSkipped    Status = "skipped"
	TestUnfinished Status = "unfinished"
)

// Result is the end of one test or subtest.
type Result struct {
	Suite     string  `json:"suite"`
	Test      string  `json:"test"`
	Status    Status  `json:"status"`
	DurationS float64 `json:"duration_s"`
	File      string  `json:"file,omitempty"`
	Line      int     `json:"line,omitempty"`
	// Body is a digest of its body: that of a test that was renamed stays.
	Body string `json:"body,omitempty"`
	// Root is the listed test that this one belongs to, if not itself.
	Root string `json:"root,omitempty"`
	// Container: tests ran inside it. Derived: it failed only because of them.
	Container bool `json:"container,omitempty"`
	Derived   bool `json:"derived,omitempty"`
	// Fixture reports whether it is no test of its own but what its suite's tests stand
	// on.
	Fixture bool `json:"fixture,omitempty"`
	// Measures are what was measured.
	Measures []Measure `json:"measures,omitempty"`
	// Attributes hold a language's own detail.
	Attributes map[string]string `json:"attributes,omitempty"`
}

// Measure is something that a test measured.
type Measure struct {
	Name  string      `json:"name"`
	Value json.Number `json:"value"`
	// Kind says how the value came about, where there are several ways.
	Kind string `json:"kind,omitempty"`
	// Section is the part of the test that was measured; empty is the whole.
	Section string `json:"section,omitempty"`
	// Runs is how many executions the value sums up.
	Runs int64 `json:"runs,omitempty"`
	// Seed is the seed that the value depends on.
	Seed string `json:"seed,omitempty"`
}

// Outcome is what became of a test that a rerun asked for.
type Outcome string

// The outcomes of a requested test.
const (
	OutcomePassed    Outcome = "passed"
	OutcomeFailed    Outcome = "failed"
	OutcomeDidNotRun Outcome = "did_not_run"
	OutcomeSkipped   Outcome = "skipped"
)

// Requested is one test that a rerun asked for.
type Requested struct {
	Suite   string  `json:"suite"`
	Test    string  `json:"test"`
	Outcome Outcome `json:"outcome"`
	// Why explains an outcome that is not a plain pass or failure.
	Why string `json:"why,omitempty"`
}
