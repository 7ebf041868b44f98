package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/proctorhq/proctor/sdk"
)

// Failure is one thing that went wrong.
type Failure struct {
	// ID names the failure within its run.
	ID string `json:"id,omitempty"`
	sdk.Failure
	// Repro is the plugin's command as a line for a shell.
	Repro string `json:"repro,omitempty"`
	// Signature identifies the cause. Failures have the same signature if they are of
	// the same kind, at the same place in the project, and with the same message apart
	// from what varies from run to run.
	Signature string `json:"signature,omitempty"`
	// AlsoSignature does the same for what the test reported besides; empty if nothing.
	AlsoSignature string `json:"also_signature,omitempty"`
	// Quarantine is the project's reason for not letting the failure decide the verdict;
	// empty if the failure counts.
	Quarantine string `json:"quarantine,omitempty"`
	// Standing is what the history says about the test; nil without a history.
	*Standing
}

// idLength is the number of hexadecimal digits in a failure's id, enough to be unique
// in a run of a million failures.
const idLength = 12

// FailureID derives the id of a failure, so that equal failures of two runs have equal
// ids. ordinal distinguishes failures of one test and kind.
func FailureID(suite, test, kind string, ordinal int) string {
	sum := sha256.Sum256([]byte(suite + "\x00" + test + "\x00" + kind + "\x00" + strconv.Itoa(ordinal)))
	return hex.EncodeToString(sum[:])[:idLength]
}

// Excerpt is the part of a source file around a place.
type Excerpt struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Lines are those before the place and, last, its own. If it is where the test is
	// Declared, they are its own and those that follow, to the end of the test.
	Lines    []string `json:"lines,omitempty"`
	Declared bool     `json:"declared,omitempty"`
	// Edited reports whether the file has changed since the run; then there are no lines.
	Edited bool `json:"edited,omitempty"`
}

// FirstLine returns the number of the first of the lines.
func (x Excerpt) FirstLine() int {
	if x.Declared {
		return x.Line
	}
	return x.Line - len(x.Lines) + 1
}

// ChangedLines are the lines of the sources that changed since failing tests last passed.
type ChangedLines struct {
	// SinceRunID is the run in which they passed. If no pass is on record it is empty, and
	// these are the changes since Commit.
	SinceRunID string `json:"since_run_id,omitempty"`
	Commit     string `json:"commit,omitempty"`
	// Hunks are the first places, those that a failure leads to before others. Total
	// counts all of them in the files that could be compared.
	Hunks []Hunk `json:"hunks,omitempty"`
	Total int    `json:"total"`
	// Files are the changed files whose lines are unknown; FilesTotal counts them.
	Files      []string `json:"files,omitempty"`
	FilesTotal int      `json:"files_total,omitempty"`
}

// Code is a function that failing tests reach.
type Code struct {
	File string `json:"file"`
	// Line is that of the first of Lines, which are its beginning or all of it.
	Line  int      `json:"line"`
	Lines []string `json:"lines"`
	// More counts the lines that follow.
	More int `json:"more,omitempty"`
}

// Hunk is a place at which lines changed.
type Hunk struct {
	File string `json:"file"`
	// Line is that of the first new line, or of the one after removed ones.
	Line int `json:"line"`
	// Lines are those of a unified diff: "-" begins a removed line, "+" a new one, and a
	// space one that is unchanged.
	Lines []string `json:"lines"`
	// More counts the omitted lines.
	More int `json:"more,omitempty"`
}
