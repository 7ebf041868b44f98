package host

import "time"

// How far ahead the clock of another machine may be: of one whose time the user
// gives now, and of one that made an archive.
const (
	maxClockAhead  = time.Minute
	maxImportAhead = 24 * time.Hour
)

// tookPlace tells whether something that was recorded elsewhere can have been at a
// time: what lies in the future would be the latest word on its tests until then.
func tookPlace(at, now time.Time, ahead time.Duration) bool {
	return at.Unix() >= 0 && !at.After(now.Add(ahead))
}
