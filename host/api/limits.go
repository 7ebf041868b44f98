package api

import (
	"time"

	"github.com/proctorhq/proctor/sdk"
)

// The defaults and bounds of parameters, as the seed documents state them.
const (
	DefaultTimeout = 300 * time.Second
	MaxTimeout     = 1800 * time.Second

	MaxRetries        = 100
	MaxRepeat         = 100
	DefaultRetryLimit = 10

	DefaultRerunLimit = 50
	MaxRerunLimit     = 200

	DefaultFailuresLimit = 50
	MaxFailuresLimit     = 500
)

// ClampTimeout returns the timeout in force for a requested one.
func ClampTimeout(d time.Duration) time.Duration {
	return Clamp(d, DefaultTimeout, MaxTimeout)
}

// ClampRerunLimit returns the number of tests in force for a requested one.
func ClampRerunLimit(n int) int { return Clamp(n, DefaultRerunLimit, MaxRerunLimit) }

// ClampFailuresLimit returns the number of failures in force for a requested one.
func ClampFailuresLimit(n int) int { return Clamp(n, DefaultFailuresLimit, MaxFailuresLimit) }

// Clamp brings a number into its bounds instead of rejecting it: zero or less means the
// default, too much the maximum.
func Clamp[T int | time.Duration](n, standard, most T) T {
	if n <= 0 {
		return standard
	}
	return min(n, most)
}

// The limits of a list of covering tests.
const (
	DefaultCoveringLimit = 50
	MaxCoveringLimit     = 500
)

// ClampCoveringLimit returns the number of tests in force for a requested one.
func ClampCoveringLimit(limit int) int {
	if limit <= 0 {
		return DefaultCoveringLimit
	}
	return min(limit, MaxCoveringLimit)
}

// DefaultSlowerPercent is by how much a test may slow down without being called slower.
const DefaultSlowerPercent = 20

// MaxExportedEntries is the number of entries that the format of an exported history
// allows.
const MaxExportedEntries = 1000

// The limits of an answer about the history.
const (
	DefaultHistoryLimit = 50
	MaxHistoryLimit     = 500
)

// ClampHistoryLimit returns the number of entries in force for a requested one.
func ClampHistoryLimit(n int) int { return Clamp(n, DefaultHistoryLimit, MaxHistoryLimit) }

// The bounds of an index.
const (
	// DefaultIndexBudget is the default time limit of an index.
	DefaultIndexBudget = 10 * time.Minute
	// MaxIndexBudget is the longest time that may be requested.
	MaxIndexBudget = 2 * time.Hour
	// DefaultSuiteBudget is how much longer the tests of a suite may take one by one
	// than together.
	DefaultSuiteBudget = 30 * time.Second
)

// The limits of a page of output.
const (
	DefaultPageBytes = 8 << 10
	MaxPageBytes     = 64 << 10
)

// The values of [MeasureRequest.Against] besides a run.
const (
	// AgainstLast is the nearest earlier run that measured the same.
	AgainstLast = "last"
	// AgainstBaseline is the run that was set as the baseline.
	AgainstBaseline = "baseline"
)

// The limits of the outstanding list.
const (
	DefaultOutstandingLimit = 50
	MaxOutstandingLimit     = 1000
)

// ThisSession stands for the requesting session.
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

// DefaultBase is the default revision that failing tests are compared with.
const DefaultBase = "HEAD"

// IsBuildKind reports whether failures of a kind keep the tests of a suite from running.
func IsBuildKind(kind string) bool {
	return kind == sdk.KindBuild || kind == sdk.KindVet || kind == sdk.KindSetup
}
