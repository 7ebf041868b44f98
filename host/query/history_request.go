package query

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// classifications are those that can be asked for.
func classifications() []api.Classification {
	return []api.Classification{api.Gap, api.Steady, api.Fixed, api.Regression, api.Failing, api.Unsteady}
}

// check refuses what cannot be meant.
func check(r api.HistoryRequest) error {
	if c := r.Classification; c != "" {
		var words []string
		known := false
		for _, k := range classifications() {
			known = known || k == c
			words = append(words, string(k))
		}
		if !known {
			return &api.UsageError{Reason: fmt.Sprintf("there is no classification %q", c), Fix: "give one of " + strings.Join(words, ", ")}
		}
	}
	switch {
	case r.Slow && len(r.Measures) > 0:
		return &api.UsageError{Reason: "the slowest tests and what tests measured are two lists", Fix: "ask for one of them"}
	case (r.Slow || len(r.Measures) > 0) && narrows(r):
		return &api.UsageError{
			Reason: "how long tests took and what they measured is not listed by classification, recurring or flaky",
			Fix:    "ask for one of them, or name a test or file",
		}
	}
	return nil
}

// narrows reports whether a list of tests is narrowed.
func narrows(r api.HistoryRequest) bool { return r.Classification != "" || r.Recurring || r.Flaky }

// fits reports whether a test is among those that were asked for.
func fits(r api.HistoryRequest, t api.TestHistory) bool {
	return (r.Classification == "" || t.Classification == r.Classification) &&
		(!r.Recurring || t.Recurring) && (!r.Flaky || t.IsFlaky())
}
