package api

import (
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// From identifies the runs elsewhere whose red tests a rerun ran here.
type From struct {
	// Name is the file, directory or address that they were read from.
	Name string   `json:"name"`
	Runs []RunRef `json:"runs"`
	// Red counts what was red there: tests, and suites or a run as a whole. Unanswered
	// counts those that neither passed nor failed here, because they do not exist, did
	// not run, or were skipped.
	Red        int `json:"red"`
	Unanswered int `json:"unanswered"`
	// SameSources reports whether the sources here are the same as those of all the runs.
	SameSources bool `json:"same_sources"`
}

// RunRef names a run that is on record elsewhere.
type RunRef struct {
	RunID     string    `json:"run_id"`
	Kind      Kind      `json:"kind"`
	Verdict   Verdict   `json:"verdict"`
	Reason    string    `json:"reason"`
	StartedAt time.Time `json:"started_at"`
	// Shard is the part of a sharded run that it was, as in "2/5".
	Shard       string `json:"shard,omitempty"`
	Commit      string `json:"commit,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Environment string `json:"environment,omitempty"`
}

// String names where the runs are from: "run k3f9 of ci.json", or "3 runs of ci".
func (f From) String() string {
	if len(f.Runs) == 1 {
		return "run " + f.Runs[0].RunID + " of " + prose.Line(f.Name)
	}
	return fmt.Sprintf("%d runs of %s", len(f.Runs), prose.Line(f.Name))
}

// IsOfState reports whether all of the runs tested the given state of the sources.
func (f From) IsOfState(fingerprint string) bool {
	return fingerprint != "" && !slices.ContainsFunc(f.Runs, func(r RunRef) bool { return r.Fingerprint != fingerprint })
}

// commit names the commit of the runs, if they have one in common.
func (f From) commit() string {
	commit := f.Runs[0].Commit
	if commit == "" || slices.ContainsFunc(f.Runs, func(r RunRef) bool { return r.Commit != commit }) {
		return ""
	}
	return ", commit " + prose.Line(commit[:min(len(commit), shortCommit)])
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 10

// CompleteFrom fills in the From of a rerun at its end: how many of the tests that were
// red elsewhere had no result here, and whether the sources are the same.
func CompleteFrom(run *Run) {
	from := run.From
	for i, r := range run.Requested {
		if r.Outcome == OutcomeSkipped {
			run.Requested[i].Why = "skipped by the test itself"
		}
	}
	from.Unanswered += len(unanswered(*run))
	from.SameSources = !run.MixedState && (from.SameSources || run.Source != nil && from.IsOfState(run.Source.Fingerprint))
	if !from.SameSources && !run.MixedState { // which has a note of its own
		run.Note(NoteRerun, "the sources here are not those of "+from.String()+from.commit())
	}
	if run.Environment != "" && !run.TimedOut && !slices.ContainsFunc(from.Runs, func(r RunRef) bool { return r.Environment == "" || r.Environment == run.Environment }) {
		run.Note(NoteRerun, "the arguments, settings or tools here are not those of "+from.String())
	}
}

// unanswered returns the requested tests that neither passed nor failed. It leaves out a
// run as a whole, which is judged by its verdict.
func unanswered(run Run) []Requested {
	return slices.DeleteFunc(slices.Clone(run.Requested), func(r Requested) bool {
		return r.Outcome == OutcomePassed || r.Outcome == OutcomeFailed || r.Suite == "" && r.Test == ""
	})
}

// maxUnanswered is how many tests the reason of a verdict names; the Run object has all.
const maxUnanswered = 3

// DescribeUnanswered names, for the reason of a verdict, the tests that were red
// elsewhere and neither passed nor failed here; empty if there are none.
func DescribeUnanswered(run Run) string {
	if run.From == nil || run.From.Unanswered == 0 {
		return ""
	}
	var names []string
	for _, r := range unanswered(run) {
		name := prose.QualifiedName(r.Suite, r.Test)
		if r.Outcome == OutcomeSkipped {
			name += " (skipped)"
		}
		names = append(names, name)
	}
	text := fmt.Sprintf("%d of %d red in %s did not run here", run.From.Unanswered, run.From.Red, run.From)
	if len(names) == 0 {
		return text
	}
	return text + ": " + prose.Listed(names, run.From.Unanswered, maxUnanswered, prose.Line)
}
