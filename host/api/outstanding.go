package api

import "time"

// OutstandingSchema is the value of [Outstanding.Schema].
const OutstandingSchema = "proctor.outstanding/v1"

// Outstanding lists what failed, did not finish or never started since it last
// passed.
type Outstanding struct {
	Schema string            `json:"schema"`
	Tests  []OutstandingTest `json:"tests"`
	// Total counts all; Tests has the longest outstanding ones.
	Total int `json:"total"`
	// Counts has the kinds of all.
	Counts OutstandingCounts `json:"counts"`
	// Dropped are those that the user took off the list with this command.
	Dropped []OutstandingTest `json:"dropped,omitempty"`
	// Gone are those that left the list with the session's last run, GoneRun, since
	// they do not exist any more.
	Gone      []Gone `json:"gone,omitempty"`
	GoneTotal int    `json:"gone_total,omitempty"`
	GoneRun   string `json:"gone_run_id,omitempty"`
	// NoPass says, of each language of which nothing is outstanding, why the session's
	// last run is no pass all the same.
	NoPass []string `json:"no_pass,omitempty"`
}

// OutstandingTest is one of them. Without a test it is the whole suite, without a
// suite the whole run.
type OutstandingTest struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// Was is the name that it had when it came in, where it was renamed since.
	Was string `json:"was,omitempty"`
	// Reason: failed, unfinished, never_started, suite or run.
	Reason string `json:"reason"`
	// Why tells more of the reason, where more is known: of a suite or run
	// did_not_build, setup_failed or cut_off; of a suite failed_outside_tests,
	// ended_early or fixture_failed; of a run tool_failed, no_end,
	// end_unwritten or record_lost; of a test no_result.
	Why string `json:"why,omitempty"`
	// RunID is the run since which it is outstanding, LastRunID the one in which it
	// was red last. At and SessionID are of the first, where it is on record.
	RunID     string    `json:"run_id"`
	LastRunID string    `json:"last_run_id"`
	SessionID string    `json:"session_id,omitempty"`
	At        time.Time `json:"at,omitzero"`
	AgeS      float64   `json:"age_s,omitempty"`
	// RunnerArgs and Environment are those that the run had, as far as they decide
	// which tests there are: a pass with others does not count for a suite or run.
	RunnerArgs  []string `json:"runner_args,omitempty"`
	Environment []string `json:"environment,omitempty"`
	// Way is what of both decides how it ends: it leaves by a pass in the same way, or in
	// a wider one. Absent, any pass counts, or nothing special decides.
	Way []string `json:"way,omitempty"`
	// Otherwise are those of Environment that are not so now.
	Otherwise []string `json:"otherwise,omitempty"`
}
