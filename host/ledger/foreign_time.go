package ledger

import "time"

// How far ahead the clock of another machine may be: of one whose time the user
// gives now, and of one that made an archive.
const (
	MaxClockAhead  = time.Minute
	MaxImportAhead = 24 * time.Hour
)

// TookPlace reports whether something that was recorded elsewhere can have been at a
// time: what lies in the future would be the latest word on its tests until then.
func TookPlace(at, now time.Time, ahead time.Duration) bool {
	return at.Unix() >= 0 && !at.After(now.Add(ahead))
}
