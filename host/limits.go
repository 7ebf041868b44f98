package host

import "time"

// The parameters' defaults and clamps, as the seed documents give them.
const (
	DefaultTimeout = 300 * time.Second
	MaxTimeout     = 1800 * time.Second

	DefaultRerunLimit = 50
	MaxRerunLimit     = 200

	DefaultFailuresLimit = 50
	MaxFailuresLimit     = 500
)

// ClampTimeout turns a requested time-out into the one in force.
func ClampTimeout(d time.Duration) time.Duration {
	return clamp(d, DefaultTimeout, MaxTimeout)
}

// ClampRerunLimit turns a requested number of tests into the one in force.
func ClampRerunLimit(n int) int { return clamp(n, DefaultRerunLimit, MaxRerunLimit) }

// ClampFailuresLimit turns a requested number of failures into the one in force.
func ClampFailuresLimit(n int) int { return clamp(n, DefaultFailuresLimit, MaxFailuresLimit) }

// clamp never refuses a number: none or less means the default, too much means
// the most.
func clamp[T int | time.Duration](n, standard, most T) T {
	if n <= 0 {
		return standard
	}
	return min(n, most)
}
