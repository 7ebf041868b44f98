package prose

import (
	"fmt"
	"time"
)

// Duration says how long ago something was, in whole units: "3s", "12m", "2h",
// "5d".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d/time.Minute))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d/time.Hour))
	}
	return fmt.Sprintf("%dd", int(d/(24*time.Hour)))
}

// Seconds is a duration given in seconds, as [Duration] says it.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }
