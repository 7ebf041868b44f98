package api

import "time"

// OutstandingSchema is the value of [Outstanding.Schema].
const OutstandingSchema = "proctor.outstanding/v1"

// Outstanding lists what failed, did not finish or never started and has not passed
// since.
type Outstanding struct {
	Schema string            `json:"schema"`
	Tests  []OutstandingTest `json:"tests"`
	// Total counts each name once, and Tests has it once for each setting in which it is
	// outstanding, longest first. Unlisted counts what the limit left out of Tests.
	Total    int `json:"total"`
	Unlisted int `json:"unlisted,omitempty"`
	// Counts breaks Total down by kind.
	Counts OutstandingCounts `json:"counts"`
	// Quarantined counts those whose known failure does not affect verdicts.
	Quarantined int `json:"quarantined,omitempty"`
	// Dropped are the entries that the user removed with this command.
	Dropped []OutstandingTest `json:"dropped,omitempty"`
	// Gone are the entries that GoneRun, the session's last run, removed because they
	// no longer exist.
	Gone      []Gone `json:"gone,omitempty"`
	GoneTotal int    `json:"gone_total,omitempty"`
	GoneRun   string `json:"gone_run_id,omitempty"`
	// NoPass says, for each language with nothing outstanding, why the session's last
	// run is not a pass all the same.
	NoPass []Note `json:"no_pass,omitempty"`
}

// OutstandingTest is an entry of the list. Without a test it is the whole suite,
// without a suite the whole run.
type OutstandingTest struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// Was is its original name, if it was renamed since.
	Was string `json:"was,omitempty"`
	// Quarantined reports whether its failure is in quarantine: a rerun leaves it out.
	Quarantined bool `json:"quarantined,omitempty"`
	// Reason is failed, unfinished, never_started, suite or run.
	Reason string `json:"reason"`
	// Why details the reason, if known. A suite or run has did_not_build, setup_failed
	// or cut_off; a suite also failed_outside_tests, ended_early or fixture_failed; a
	// run tool_failed, no_end, end_unwritten, record_lost or misplaced; a test no_result.
	Why string `json:"why,omitempty"`
	// RunID is the run since which it is outstanding, LastRunID the one in which it was
	// last red. At and SessionID describe the first, if on record.
	RunID     string    `json:"run_id"`
	LastRunID string    `json:"last_run_id"`
	SessionID string    `json:"session_id,omitempty"`
	At        time.Time `json:"at,omitzero"`
	AgeS      float64   `json:"age_s,omitempty"`
	// RunnerArgs and Environment are those of the run, which can decide which tests
	// exist: for a suite or run, a pass with others does not count.
	RunnerArgs  []string `json:"runner_args,omitempty"`
	Environment []string `json:"environment,omitempty"`
	// Way is the part of both that affects its result: it leaves the list by a pass in
	// the same way, or in a wider one. If absent, any pass counts, or nothing special
	// affects it.
	Way []string `json:"way,omitempty"`
	// Otherwise are the parts of Environment that differ now.
	Otherwise []string `json:"otherwise,omitempty"`
}
