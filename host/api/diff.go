package api

import (
	"encoding/json"
	"time"
)

// DiffSchema is the value of [RunDiff.Schema].
const DiffSchema = "proctor.diff/v1"

// RunDiff says which tests ended differently in two runs. It is a public contract like
// the Run object: fields are only added. Its lists hold at most [MaxNames] entries;
// Counts are exact.
type RunDiff struct {
	Schema   string    `json:"schema"`
	Language string    `json:"language"`
	Before   DiffedRun `json:"before"`
	Now      DiffedRun `json:"now"`
	// Sources are the files that differ between the runs' source states.
	Sources FileChanges `json:"sources"`
	// Notes say what prevents a complete comparison.
	Notes []Note `json:"notes,omitempty"`
	// Message summarizes the comparison in one line.
	Message string     `json:"message"`
	Counts  DiffCounts `json:"counts"`

	NewFailures []DiffedTest `json:"new_failures"`
	// FailingNotRun fail now and did not run before. Those that passed in their last
	// run are new failures instead.
	FailingNotRun []DiffedTest `json:"failing_not_run_before,omitempty"`
	Fixed         []DiffedTest `json:"fixed"`
	// PassedFlaky failed before, passed now and are flaky: nothing shows that they were
	// fixed.
	PassedFlaky []DiffedTest `json:"passed_flaky,omitempty"`
	// PassedOtherwise failed before and passed now on the same sources with other
	// arguments, settings or tools: nothing was fixed.
	PassedOtherwise []DiffedTest `json:"passed_otherwise,omitempty"`
	StillFailing    []DiffedTest `json:"still_failing"`
	Vanished        []DiffedTest `json:"vanished"`
	NewlySkipped    []DiffedTest `json:"newly_skipped"`
	// New tests did not exist before; failing ones are new failures instead.
	New []DiffedTest `json:"new"`
	// Renamed ended the same way in both runs, and not badly. The other lists hold the
	// rest, with their old names.
	Renamed []DiffedTest `json:"renamed,omitempty"`
	Slower  []SlowerTest `json:"slower"`
	// More are measures that grew, largest difference first.
	More []GrownMeasure `json:"more"`

	ThresholdPercent float64 `json:"threshold_percent"`
	Warnings         []Note  `json:"warnings,omitempty"`
}

// DiffedRun is one of the two runs.
type DiffedRun struct {
	RunID     string    `json:"run_id"`
	SessionID string    `json:"session_id"`
	Kind      Kind      `json:"kind"`
	Verdict   Verdict   `json:"verdict"`
	StartedAt time.Time `json:"started_at"`
	AgeS      float64   `json:"age_s"`
	Counts    Counts    `json:"counts"`
	// Whole reports whether it ran everything to the end.
	Whole      bool    `json:"whole"`
	Source     *Source `json:"source,omitempty"`
	MixedState bool    `json:"mixed_state,omitempty"`
	Origin     string  `json:"origin,omitempty"`
}

// DiffCounts are the totals of a comparison.
type DiffCounts struct {
	NewFailures     int `json:"new_failures"`
	FailingNotRun   int `json:"failing_not_run_before"`
	Fixed           int `json:"fixed"`
	PassedFlaky     int `json:"passed_flaky"`
	PassedOtherwise int `json:"passed_otherwise"`
	StillFailing    int `json:"still_failing"`
	// OtherFailure counts tests that still fail but with another message, place or
	// kind.
	OtherFailure int `json:"other_failure"`
	Vanished     int `json:"vanished"`
	NewlySkipped int `json:"newly_skipped"`
	New          int `json:"new"`
	// Renamed counts renamed tests that are in no other list.
	Renamed int `json:"renamed"`
	Slower  int `json:"slower"`
	More    int `json:"more"`
	// Alike counts tests that ended the same way in both runs, and not badly.
	Alike int `json:"alike"`
	// NotRun counts tests of the earlier run that are not in this one, which did not
	// run everything: nothing is known of them. NotRunBefore is the reverse.
	NotRun       int `json:"not_run"`
	NotRunBefore int `json:"not_run_before"`
}

// DiffedTest is a test that ended differently, or badly in both runs.
type DiffedTest struct {
	Suite string `json:"suite"`
	Test  string `json:"test"`
	// RenamedFrom is its name in the earlier run, if different.
	RenamedFrom string `json:"renamed_from,omitempty"`
	// File and Line are where it failed, or else where it is declared.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Was is how it ended before: passed, failed, skipped, unfinished,
	// never_started, absent (it did not exist) or not_run.
	Was string `json:"was,omitempty"`
	// Now is how it ended now.
	Now string `json:"now,omitempty"`
	// Kind and Message (its first line) describe the failure of this run or, if the
	// test passes, of the earlier one.
	Kind    string `json:"kind,omitempty"`
	Message string `json:"message,omitempty"`
	// Likeness compares the two failures of a test that still fails; empty if unknown.
	Likeness Likeness `json:"likeness,omitempty"`
	// Standing follows this run; only for new failures, tests still failing and fixed
	// ones.
	*Standing
}

// SlowerTest is a test that passed in both runs and got slower.
type SlowerTest struct {
	Suite   string  `json:"suite"`
	Test    string  `json:"test"`
	File    string  `json:"file,omitempty"`
	Line    int     `json:"line,omitempty"`
	BeforeS float64 `json:"before_s"`
	NowS    float64 `json:"now_s"`
	// MeanS is its mean over the last Runs passes up to the earlier run.
	MeanS float64 `json:"mean_s"`
	Runs  int     `json:"runs"`
}

// GrownMeasure is a measure of a test that passed in both runs.
type GrownMeasure struct {
	Suite   string      `json:"suite"`
	Test    string      `json:"test"`
	Name    string      `json:"name"`
	Kind    string      `json:"kind,omitempty"`
	Section string      `json:"section,omitempty"`
	Before  json.Number `json:"before"`
	Now     json.Number `json:"now"`
	Delta   json.Number `json:"delta"`
}

// FileChanges are the files that differ between two states of the sources.
type FileChanges struct {
	// Known reports whether both states are on record.
	Known bool `json:"known"`
	// Why explains why they are not known.
	Why string `json:"why,omitempty"`
	// Total counts them; Files are the first ones.
	Total int          `json:"total"`
	Files []FileChange `json:"files,omitempty"`
}

// FileChange is a file that differs. Its path is relative to the workspace.
type FileChange struct {
	File string `json:"file"`
	// Change is added, modified or deleted.
	Change string `json:"change"`
}
