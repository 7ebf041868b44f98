package api

// Excerpt is the part of a source file around a place.
type Excerpt struct {
	File string `json:"file"`
	Line int    `json:"line"`
	// Lines are those before the place and, last, its own.
	Lines []string `json:"lines,omitempty"`
	// Edited reports whether the file is no longer what the run saw: there are no lines
	// then.
	Edited bool `json:"edited,omitempty"`
}
