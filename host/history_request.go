package host

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/record"
)

// The limits of an answer about the history.
const (
	DefaultHistoryLimit = 20
	MaxHistoryLimit     = 500
)

// ClampHistoryLimit turns a requested number of entries into the one in force.
func ClampHistoryLimit(n int) int { return clamp(n, DefaultHistoryLimit, MaxHistoryLimit) }

// HistoryRequest asks what is on record of tests.
type HistoryRequest struct {
	Where Where
	// Name is a test, a suite or a file, or the unique end of its name; empty asks
	// for the tests worth knowing of.
	Name string
	// Language narrows; empty is any.
	Language string
	// Classification, Recurring and Flaky narrow a list of tests.
	Classification record.Classification
	Recurring      bool
	Flaky          bool
	// Slow asks for durations instead, Measures for measures of these names.
	Slow     bool
	Measures []string
	// Limit is the most entries of a list; it is clamped.
	Limit int
}

// classifications are those that can be asked for.
func classifications() []record.Classification {
	return []record.Classification{record.Gap, record.Steady, record.Fixed, record.Regression, record.Failing, record.Unsteady}
}

// check refuses what cannot be meant.
func (r HistoryRequest) check() error {
	if c := r.Classification; c != "" {
		var words []string
		known := false
		for _, k := range classifications() {
			known = known || k == c
			words = append(words, string(k))
		}
		if !known {
			return &UsageError{Reason: fmt.Sprintf("there is no classification %q", c), Fix: "give one of " + strings.Join(words, ", ")}
		}
	}
	switch {
	case r.Slow && len(r.Measures) > 0:
		return &UsageError{Reason: "the slowest tests and what tests measured are two lists", Fix: "ask for one of them"}
	case (r.Slow || len(r.Measures) > 0) && r.narrows():
		return &UsageError{
			Reason: "how long tests took and what they measured is not listed by classification, recurring or flaky",
			Fix:    "ask for one of them, or name a test or file",
		}
	}
	return nil
}

// narrows tells whether a list of tests is narrowed.
func (r HistoryRequest) narrows() bool { return r.Classification != "" || r.Recurring || r.Flaky }

// fits tells whether a test is among those that were asked for.
func (r HistoryRequest) fits(t record.TestHistory) bool {
	return (r.Classification == "" || t.Classification == r.Classification) &&
		(!r.Recurring || t.Recurring) && (!r.Flaky || t.IsFlaky())
}
