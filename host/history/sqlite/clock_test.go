package sqlite

import (
	"math"
	"testing"
	"time"
)

// A time that does not fit into 64 bits of nanoseconds becomes the nearest one that does,
// instead of wrapping around.
func TestTimesBeyondTheDatabaseKeepTheirOrder(t *testing.T) {
	t.Parallel()
	times := []time.Time{
		time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1970, 1, 1, 0, 0, 0, 1, time.UTC),
		time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for i, earlier := range times[:len(times)-1] {
		if stamp(earlier) >= stamp(times[i+1]) {
			t.Errorf("%v has %d and %v has %d", earlier, stamp(earlier), times[i+1], stamp(times[i+1]))
		}
	}
	if stamp(time.Time{}) != 0 || stamp(times[0]) != math.MinInt64 || !unstamp(stamp(times[2])).Equal(times[2]) {
		t.Error("none, the earliest, or an ordinary time is another one")
	}
}
