package api

import (
	"time"

	"github.com/proctorhq/proctor/internal/lazyregexp"
)

// MaxPlainName bounds names that become file names. It is not part of the pattern,
// since a repetition is compiled into that many copies.
const MaxPlainName = 64

// Unknown stands for an unknown run or session of a Holder.
const Unknown = "?"

// Holder is what holds the lock of a workspace: usually a run.
type Holder struct {
	RunID     string    `json:"run_id"`     // or Unknown
	SessionID string    `json:"session_id"` // or Unknown
	PID       int       `json:"pid"`
	Since     time.Time `json:"since"`
	// Listing reports whether it is a listing of tests rather than a run, which would be
	// on record.
	Listing bool `json:"listing,omitempty"`
}

// String names the holder for those who wait for it.
func (h Holder) String() string {
	switch {
	case h.Listing:
		return "a listing of tests in session " + h.SessionID
	case h.RunID == Unknown:
		return "another process, which has not said what it is doing"
	}
	return "run " + h.RunID + " of session " + h.SessionID
}

// holderName matches session names that may be shown: one word, not prose.
var holderName = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z._:@/+-]*$`)

// Sanitize returns the holder with an implausible session name replaced by [Unknown]:
// the name comes from users, or from anything else that can write to the file.
func (h Holder) Sanitize() Holder {
	if h.Listing {
		h.RunID = Unknown
	}
	if len(h.SessionID) > MaxPlainName || !holderName.MatchString(h.SessionID) {
		h.SessionID = Unknown
	}
	return h
}
