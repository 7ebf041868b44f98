package record

// CoveringSchema is the value of [Covering.Schema].
const CoveringSchema = "proctor.covering/v1"

// Covering answers which tests execute a file, or lines of it.
type Covering struct {
	Schema string `json:"schema"`
	// File is relative to the workspace.
	File string `json:"file"`
	// Lines are those that were asked for; empty is the whole file.
	Lines string `json:"lines,omitempty"`
	// Granularity says how exactly it is known.
	Granularity Granularity `json:"granularity"`
	// Message says what is known, in a sentence.
	Message string `json:"message"`
}

// Granularity is how exactly it is known which tests execute a line.
type Granularity string

// GranularityUnknown: nothing is on record, which says nothing about any test.
const GranularityUnknown Granularity = "unknown"
