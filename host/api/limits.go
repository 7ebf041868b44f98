package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

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
	return Clamp(d, DefaultTimeout, MaxTimeout)
}

// ClampRerunLimit turns a requested number of tests into the one in force.
func ClampRerunLimit(n int) int { return Clamp(n, DefaultRerunLimit, MaxRerunLimit) }

// ClampFailuresLimit turns a requested number of failures into the one in force.
func ClampFailuresLimit(n int) int { return Clamp(n, DefaultFailuresLimit, MaxFailuresLimit) }

// Clamp never refuses a number: none or less means the default, too much means
// the most.
func Clamp[T int | time.Duration](n, standard, most T) T {
	if n <= 0 {
		return standard
	}
	return min(n, most)
}

// The limits of a list of tests that cover something.
const (
	DefaultCoveringLimit = 50
	MaxCoveringLimit     = 500
)

// ClampCoveringLimit is the most tests of an answer: the default where none is asked
// for.
func ClampCoveringLimit(limit int) int {
	if limit <= 0 {
		return DefaultCoveringLimit
	}
	return min(limit, MaxCoveringLimit)
}

// DefaultSlowerPercent is what a test may take longer without being called slower.
const DefaultSlowerPercent = 20

// MaxExportedEntries is how many entries an exported history has, as its format
// says.
const MaxExportedEntries = 1000

// The limits of an answer about the history.
const (
	DefaultHistoryLimit = 20
	MaxHistoryLimit     = 500
)

// ClampHistoryLimit turns a requested number of entries into the one in force.
func ClampHistoryLimit(n int) int { return Clamp(n, DefaultHistoryLimit, MaxHistoryLimit) }

// The bounds of an index.
const (
	// DefaultIndexBudget is the time that an index may take.
	DefaultIndexBudget = 10 * time.Minute
	// MaxIndexBudget is the most that may be asked for.
	MaxIndexBudget = 2 * time.Hour
	// DefaultSuiteBudget is how much longer the tests of one suite may take one by one
	// than together.
	DefaultSuiteBudget = 30 * time.Second
)

// What [MeasureRequest.Against] can be, beside a run.
const (
	// AgainstLast: the nearest run before that measured the same.
	AgainstLast = "last"
	// AgainstBaseline: the run that was set aside for it.
	AgainstBaseline = "baseline"
)

// The limits of the list of what is outstanding.
const (
	DefaultOutstandingLimit = 50
	MaxOutstandingLimit     = 1000
)

// ThisSession stands for the session that asks.
const ThisSession = "this"

// The limits of a list of runs.
const (
	DefaultRunsLimit = 20
	MaxRunsLimit     = 500
)

// The limits of a page of tests.
const (
	DefaultTestsLimit = 200
	MaxTestsLimit     = 2000
)

// DefaultBase is what failing tests are compared with where nothing else is
// asked for.
const DefaultBase = "HEAD"

func IsBuildKind(kind string) bool {
	return kind == sdk.KindBuild || kind == sdk.KindVet || kind == sdk.KindSetup
}
