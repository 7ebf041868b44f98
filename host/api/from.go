package api

import (
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/prose"
)

// From says of which runs elsewhere a rerun ran what was red there.
type From struct {
	// Name is the file, directory or address that they were read from.
	Name string   `json:"name"`
	Runs []RunRef `json:"runs"`
	// Red counts what was red there: tests, and suites or a run as a whole. Unanswered
	// counts those of it that did not pass and did not fail here: they do not exist, did
	// not run, or were skipped.
	Red        int `json:"red"`
	Unanswered int `json:"unanswered"`
	// SameSources reports whether the sources here were those of all these runs.
	SameSources bool `json:"same_sources"`
}

// RunRef names a run that is on record elsewhere.
type RunRef struct {
	RunID     string    `json:"run_id"`
	Kind      Kind      `json:"kind"`
	Verdict   Verdict   `json:"verdict"`
	Reason    string    `json:"reason"`
	StartedAt time.Time `json:"started_at"`
	// Shard is the part that it ran of a run that was divided, as in "2/5".
	Shard       string `json:"shard,omitempty"`
	Commit      string `json:"commit,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

// String names where the runs are from: "run k3f9 of ci.json", or "3 runs of ci".
func (f From) String() string {
	if len(f.Runs) == 1 {
		return "run " + f.Runs[0].RunID + " of " + prose.Line(f.Name)
	}
	return fmt.Sprintf("%d runs of %s", len(f.Runs), prose.Line(f.Name))
}

// Saw reports whether all of the runs saw a state of the sources.
func (f From) Saw(fingerprint string) bool {
	return fingerprint != "" && !slices.ContainsFunc(f.Runs, func(r RunRef) bool { return r.Fingerprint != fingerprint })
}

// commit names the commit of the runs, if they have one.
func (f From) commit() string {
	commit := f.Runs[0].Commit
	if commit == "" || slices.ContainsFunc(f.Runs, func(r RunRef) bool { return r.Commit != commit }) {
		return ""
	}
	return ", commit " + prose.Line(commit[:min(len(commit), shortCommit)])
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 10

// AnswerElsewhere completes what a rerun says of the runs elsewhere: what became of what
// was red there, and whether the sources here are those.
func AnswerElsewhere(run *Run) {
	from := run.From
	for i, r := range run.Requested {
		if r.Outcome == OutcomeSkipped {
			run.Requested[i].Why = "skipped by the test itself"
		}
	}
	from.Unanswered += len(unanswered(*run))
	from.SameSources = !run.MixedState && (from.SameSources || run.Source != nil && from.Saw(run.Source.Fingerprint))
	if !from.SameSources && !run.MixedState { // which has a note of its own
		run.Note(NoteRerun, "the sources here are not those of "+from.String()+from.commit())
	}
}

// unanswered returns what neither passed nor failed here. A run as a whole is judged by
// its verdict.
func unanswered(run Run) []Requested {
	return slices.DeleteFunc(slices.Clone(run.Requested), func(r Requested) bool {
		return r.Outcome == OutcomePassed || r.Outcome == OutcomeFailed || r.Suite == "" && r.Test == ""
	})
}

// maxUnanswered is how many tests the reason of a verdict names; the object has all.
const maxUnanswered = 3

// Unanswered says for the verdict what of that which was red elsewhere neither passed nor
// failed here; empty if there is nothing.
func Unanswered(run Run) string {
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
