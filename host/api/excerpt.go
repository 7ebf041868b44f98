package api

// Excerpt is the part of a source file around a place.
type Excerpt struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Lines are those before the place and, last, its own.
	Lines []string `json:"lines,omitempty"`
	// Edited reports whether the file has changed since the run; then there are no lines.
	Edited bool `json:"edited,omitempty"`
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
