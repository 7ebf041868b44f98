package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// Strip is how a test ended in its latest runs, oldest first, to be taken in at a glance.
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

// Past is what is on record of a test besides how it stands.
type Past struct {
	Strip Strip
	// UsualS is how many seconds its latest passes before took, as a rule; 0 is unknown.
	UsualS float64
}
