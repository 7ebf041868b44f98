package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Strip is how a test ended in its latest runs, oldest first.
type Strip []StripPoint

// StripPoint is how a test ended in a run: as the worst of its results there.
type StripPoint struct {
	RunID  string     `json:"run_id"`
	At     time.Time  `json:"at"`
	Status sdk.Status `json:"status"`
	// Changed reports whether the sources are known to differ from those of the point
	// before.
	Changed bool `json:"changed,omitempty"`
	// Flaky reports whether the test did not pass although, among these points, it passed
	// on the same sources in the same environment.
	Flaky bool `json:"flaky,omitempty"`
}

// Past is what is on record of a test besides its standing.
type Past struct {
	Strip Strip
	// UsualS is the typical duration of its latest earlier passes in seconds; 0 if unknown.
	UsualS float64
}
