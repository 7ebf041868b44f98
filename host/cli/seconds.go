package cli

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// seconds is a flag that takes a number of seconds or a duration.
type seconds time.Duration

func (s *seconds) String() string { return strconv.Itoa(int(time.Duration(*s) / time.Second)) }
func (s *seconds) Type() string   { return "SECONDS" }

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text)
	if n, nerr := strconv.ParseFloat(text, 64); nerr == nil && !math.IsNaN(n) {
		// More than the clamp must not overflow on its way there.
		d, err = time.Duration(min(max(n, -1), maxSeconds)*float64(time.Second)), nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q is neither a number of seconds nor a duration such as 90s or 5m", text)
	case d < 0:
		return fmt.Errorf("%q is less than nothing; give a number of seconds or a duration such as 90s or 5m, or 0 for the default", text)
	}
	*s = seconds(d)
	return nil
}

// clampNote says that a time-out is longer than there may be; empty where it is not.
func clampNote(flag string, given seconds, most time.Duration) string {
	if time.Duration(given) <= most {
		return ""
	}
	return fmt.Sprintf("--%s %s: %gs is the most, and is what it has", flag, &given, most.Seconds())
}

// maxSeconds is far above every clamp and far below what a [time.Duration] holds.
const maxSeconds = 1e6
