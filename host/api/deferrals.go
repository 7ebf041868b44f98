package api

import "time"

// DeferralsSchema is the value of [Deferrals.Schema].
const DeferralsSchema = "proctor.deferrals/v1"

// Deferrals are tests that the user set aside.
type Deferrals struct {
	Schema string `json:"schema"`
	// Deferred are set aside: the one that was asked for, or all of them.
	Deferred []Deferral `json:"deferred"`
	// Lifted is not set aside any more, because that was asked for.
	Lifted []Deferral `json:"lifted,omitempty"`
}

// Deferral is a test that the user set aside: until it passes, or the file in
// which it is declared changes.
type Deferral struct {
	Language string `json:"language"`
	Suite    string `json:"suite"`
	Test     string `json:"test"`
	// File is where it is declared; empty is not known.
	File string `json:"file,omitempty"`
	// Watched: the content of the file is known, so that a change lifts it.
	Watched   bool      `json:"watched"`
	SessionID string    `json:"session_id"`
	At        time.Time `json:"at"`
	// AgeS is how long ago that was, in seconds.
	AgeS   float64 `json:"age_s"`
	Reason string  `json:"reason,omitempty"`
}
