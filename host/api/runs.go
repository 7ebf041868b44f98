package api

import "time"

// RunsSchema is the value of [Runs.Schema].
const RunsSchema = "proctor.runs/v1"

// Runs lists recorded runs, newest first. It is a public contract like the Run object:
// fields are only added.
type Runs struct {
	Schema string    `json:"schema"`
	Runs   []RunLine `json:"runs"`
	// Total counts all requested runs, including those beyond the limit.
	Total int `json:"total"`
	// Warnings are further things the reader should know.
	Warnings []Note `json:"warnings,omitempty"`
}

// RunLine is a run in a list.
type RunLine struct {
	RunID string `json:"run_id"`
	// Prefix is the shortest beginning of the id, at least four characters, that no
	// other run on record shares.
	Prefix    string    `json:"prefix"`
	SessionID string    `json:"session_id"`
	Kind      Kind      `json:"kind"`
	State     State     `json:"state"`
	Language  string    `json:"language"`
	Verdict   Verdict   `json:"verdict,omitempty"`
	Reason    string    `json:"reason,omitempty"`
	StartedAt time.Time `json:"started_at"`
	// AgeS is the time in seconds since it ended, or since it began if it is in
	// progress.
	AgeS      float64 `json:"age_s"`
	DurationS float64 `json:"duration_s"`
	Counts    Counts  `json:"counts"`
	// Outstanding counts what was outstanding after it.
	Outstanding int `json:"outstanding"`
	// Whole reports whether it ran everything to the end.
	Whole bool `json:"whole,omitempty"`
	// Partial reports whether a selection or runner arguments restricted it to some
	// tests, so that its pass does not cover everything. A rerun is marked by its kind.
	Partial bool `json:"partial,omitempty"`
	// Source is the state of the sources; nil if unknown.
	Source     *Source `json:"source,omitempty"`
	MixedState bool    `json:"mixed_state,omitempty"`
	// Origin is the file that it was ingested or imported from; empty if it was made
	// here.
	Origin string `json:"origin,omitempty"`
	// NoEnd reports whether no end is on record: its proctor was killed, or the end
	// could not be written.
	NoEnd bool `json:"no_end,omitempty"`
	// Unwritten reports whether it is known to have ended although that could not be
	// recorded, as on a full disk.
	Unwritten bool `json:"unwritten,omitempty"`
}

// PruneSchema is the value of [Pruned.Schema].
const PruneSchema = "proctor.prune/v1"

// Pruned says what was removed from the record.
type Pruned struct {
	Schema string `json:"schema"`
	// DryRun reports whether nothing was removed: the answer is what would be.
	DryRun bool `json:"dry_run,omitempty"`
	// Interrupted reports whether pruning ended early. What is listed as removed is
	// removed; the other runs are intact, and the next prune frees the remaining space.
	Interrupted bool `json:"interrupted,omitempty"`
	// Removed are the first of the removed runs, oldest first; RemovedTotal counts all.
	Removed      []PrunedRun `json:"removed"`
	RemovedTotal int         `json:"removed_total"`
	Kept         int         `json:"kept"`
	// Folders counts removed folders that held no run of the workspace.
	Folders int `json:"folders,omitempty"`
	// Beyond names the limits still exceeded: runs, age, size. That is because of Held
	// runs, which are never removed: those in progress, and the last one of each language
	// of each session.
	Beyond []string `json:"beyond,omitempty"`
	Held   int      `json:"held,omitempty"`
	// FreedBytes is the disk space freed, SizeBytes the size of the record now.
	FreedBytes int64 `json:"freed_bytes"`
	SizeBytes  int64 `json:"size_bytes"`
	// The limits that were applied.
	MaxRuns  int     `json:"max_runs"`
	MaxAgeS  float64 `json:"max_age_s"`
	MaxBytes int64   `json:"max_bytes"`
	Warnings []Note  `json:"warnings,omitempty"`
}

// Pruning is the progress of removing runs.
type Pruning struct {
	// Runs is how many of RunsTotal runs are off the record.
	Runs, RunsTotal int
	// Cleared is roughly the fraction of their space that has been freed.
	Cleared float64
}

// PrunedRun is a removed run and the limit that it exceeded.
type PrunedRun struct {
	RunID     string    `json:"run_id"`
	StartedAt time.Time `json:"started_at"`
	// Limit is runs, age or size.
	Limit string `json:"limit"`
}

// ExportSchema is the schema of an archive of runs, and of reports about one.
const ExportSchema = "proctor.export/v1"

// Transfer says what was exported to an archive, or imported from one.
type Transfer struct {
	Schema string `json:"schema"`
	// File is the archive.
	File string `json:"file"`
	// Bytes is its size; only set by an export.
	Bytes int64 `json:"bytes,omitempty"`
	// Runs were transferred; OnRecord were already on record.
	Runs     []string `json:"runs"`
	OnRecord []string `json:"on_record,omitempty"`
	Warnings []Note   `json:"warnings,omitempty"`
}
