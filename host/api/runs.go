package api

import "time"

// RunsSchema is the value of [Runs.Schema].
const RunsSchema = "proctor.runs/v1"

// Runs lists what is on record, the newest run first. It is a public contract
// like the Run object: fields are only added.
type Runs struct {
	Schema string    `json:"schema"`
	Runs   []RunLine `json:"runs"`
	// Total counts all runs that were asked for, also those beyond the limit.
	Total int `json:"total"`
	// Warnings are what to know beside the list.
	Warnings []Note `json:"warnings,omitempty"`
}

// RunLine is a run in a list.
type RunLine struct {
	RunID string `json:"run_id"`
	// Prefix is the shortest beginning of the id, of four characters at least,
	// that no other run on record has.
	Prefix    string    `json:"prefix"`
	SessionID string    `json:"session_id"`
	Kind      Kind      `json:"kind"`
	State     State     `json:"state"`
	Language  string    `json:"language"`
	Verdict   Verdict   `json:"verdict,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	StartedAt time.Time `json:"started_at"`
	// AgeS is how long ago it ended, or began if it goes on, in seconds.
	AgeS      float64 `json:"age_s"`
	DurationS float64 `json:"duration_s"`
	Counts    Counts  `json:"counts"`
	// Outstanding counts what was outstanding after it.
	Outstanding int `json:"outstanding"`
	// Whole reports whether it was one of everything, and got to its end.
	Whole bool `json:"whole,omitempty"`
	// Partial reports whether it was asked for some tests only, by a selection or by
	// runner arguments, so that its pass is none of everything. A rerun has its kind.
	Partial bool `json:"partial,omitempty"`
	// Source is the state of the sources that it saw; nil is not known.
	Source     *Source `json:"source,omitempty"`
	MixedState bool    `json:"mixed_state,omitempty"`
	// Origin is the file that it was ingested or imported from; empty if it was
	// made here.
	Origin string `json:"origin,omitempty"`
	// NoEnd reports whether it has no end on record: its proctor was killed in the
	// middle of it, or the end could not be written.
	NoEnd bool `json:"no_end,omitempty"`
	// Unwritten reports whether it is known to have come to its end, which could not be
	// put on record, as on a full disk.
	Unwritten bool `json:"unwritten,omitempty"`
}

// PruneSchema is the value of [Pruned.Schema].
const PruneSchema = "proctor.prune/v1"

// Pruned says what was taken off the record.
type Pruned struct {
	Schema string `json:"schema"`
	// DryRun reports whether nothing was removed; this is what would be.
	DryRun bool `json:"dry_run,omitempty"`
	// Interrupted reports whether it came to an early end. What is said to be removed
	// is; the other runs are as they were, and the next prune gives back what space is
	// left.
	Interrupted bool `json:"interrupted,omitempty"`
	// Removed are the first runs that went, the oldest first; RemovedTotal counts
	// them all.
	Removed      []PrunedRun `json:"removed"`
	RemovedTotal int         `json:"removed_total"`
	Kept         int         `json:"kept"`
	// Folders counts those without a run of the workspace that went beside the runs.
	Folders int `json:"folders,omitempty"`
	// Beyond are the limits that are not kept all the same: runs, age, size. That is
	// so because of Held runs that stay whatever the limits are: those that go on,
	// and the last one of each language of each session.
	Beyond []string `json:"beyond,omitempty"`
	Held   int      `json:"held,omitempty"`
	// FreedBytes is what the disk got back, SizeBytes what the record takes now.
	FreedBytes int64 `json:"freed_bytes"`
	SizeBytes  int64 `json:"size_bytes"`
	// The limits that were applied.
	MaxRuns  int     `json:"max_runs"`
	MaxAgeS  float64 `json:"max_age_s"`
	MaxBytes int64   `json:"max_bytes"`
	Warnings []Note  `json:"warnings,omitempty"`
}

// Pruning says how far the removal of runs has come.
type Pruning struct {
	// Runs are off the record, of RunsTotal.
	Runs, RunsTotal int
	// Cleared is the share of their space that is free, from 0 to 1, about.
	Cleared float64
}

// PrunedRun is a run that went, and the limit that it was beyond.
type PrunedRun struct {
	RunID     string    `json:"run_id"`
	StartedAt time.Time `json:"started_at"`
	// Limit is runs, age or size.
	Limit string `json:"limit"`
}

// ExportSchema is the schema of an archive of runs, and of what is said of one.
const ExportSchema = "proctor.export/v1"

// Transfer says what was written to an archive, or taken from one.
type Transfer struct {
	Schema string `json:"schema"`
	// File is the archive.
	File string `json:"file"`
	// Bytes is its size; only of an export.
	Bytes int64 `json:"bytes,omitempty"`
	// Runs went over; OnRecord were on record already.
	Runs     []string `json:"runs"`
	OnRecord []string `json:"on_record,omitempty"`
	Warnings []Note   `json:"warnings,omitempty"`
}
