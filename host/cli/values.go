package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// revision is a flag that takes a revision or none: HEAD then. Its value stands behind
// "=", or as the argument after it, since it looks like one there.
type revision struct {
	value string
	given bool
	// bare: it was given without a value of its own.
	bare bool
}

// bareRevision is what the flag is set to without a value. That and the type are what
// the flags' library leaves out of its help.
const bareRevision = "true"

func (r *revision) String() string { return r.value }
func (r *revision) Type() string   { return "bool" }

func (r *revision) Set(text string) error {
	if text == "" {
		return errors.New("the revision is empty: name one, such as HEAD or main, or leave it out")
	}
	*r = revision{value: text, given: true, bare: text == bareRevision}
	return nil
}

// take returns the revision, "" where the flag was not given, and those arguments that
// are no value of it.
func (r *revision) take(args []string) (rev string, rest []string, err error) {
	switch {
	case !r.bare:
		return r.value, args, nil
	case len(args) == 0:
		return "HEAD", nil, nil
	case args[0] == "":
		return "", nil, &flagError{errors.New("the revision is empty: name one, such as HEAD or main, or leave it out")}
	}
	return args[0], args[1:], nil
}

// seconds is a flag that takes a number of seconds or a duration.
type seconds time.Duration

func (s *seconds) String() string { return strconv.Itoa(int(time.Duration(*s) / time.Second)) }

func (s *seconds) Type() string { return "SECONDS" }

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
