package api

import (
	"time"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// MaxPlainName keeps file names short. It is not part of the pattern, where it
// would be compiled as that many copies.
const MaxPlainName = 64

// Unknown stands for a run or a session of a Holder that nobody can tell.
const Unknown = "?"

// Holder is what a workspace is busy with: a run, as a rule.
type Holder struct {
	RunID     string    `json:"run_id"`     // or Unknown
	SessionID string    `json:"session_id"` // or Unknown
	PID       int       `json:"pid"`
	Since     time.Time `json:"since"`
	// Listing reports whether it is a listing of tests rather than a run, which would be
	// on record.
	Listing bool `json:"listing,omitempty"`
}

// String names the holder to who waits for it.
func (h Holder) String() string {
	switch {
	case h.Listing:
		return "a listing of tests in session " + h.SessionID
	case h.RunID == Unknown:
		return "another process, which does not say what it does"
	}
	return "run " + h.RunID + " of session " + h.SessionID
}

// holderName is what a session is called by those who wait for it: no prose.
var holderName = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z._:@/+-]*$`)

// Named returns the holder without anything that cannot be the name of a session: users
// choose it, and so does whoever else writes to the file.
func (h Holder) Named() Holder {
	if h.Listing {
		h.RunID = Unknown
	}
	if len(h.SessionID) > MaxPlainName || !holderName.MatchString(h.SessionID) {
		h.SessionID = Unknown
	}
	return h
}
