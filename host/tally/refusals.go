package tally

import (
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// refusals is what the runner of a run rejected.
type refusals struct {
	// Words are the distinct rejected words, at most maxNotes; More counts the others.
	Words []string
	More  int
	// Suites are the suites that did not run because of a refusal.
	Suites map[string]bool
	// whole reports whether a command ran nothing at all because of one.
	whole bool
}

func (r *refusals) add(refusal sdk.Refusal) {
	switch {
	case slices.Contains(r.Words, refusal.Words):
	case len(r.Words) < maxNotes:
		r.Words = append(r.Words, refusal.Words)
	default:
		r.More++
	}
	if r.Suites == nil {
		r.Suites = map[string]bool{}
	}
	for _, suite := range refusal.Suites {
		r.Suites[suite] = true
	}
	r.whole = r.whole || len(refusal.Suites) == 0
}

func (r *refusals) any() bool { return len(r.Words) > 0 }

// Explain reports whether refusals account for all failures and suites that are wrong.
func (r *refusals) Explain(t *Tally) bool {
	if !r.any() || t.otherFailures+t.interruptions > 0 || t.Unlisted() > 0 || t.damaged > 0 || t.Counts.Failed+t.derived+t.Counts.Unfinished > 0 {
		return false
	}
	for _, f := range t.Failures {
		if !r.Suites[f.Suite] && !(f.Suite == "" && r.whole) {
			return false
		}
	}
	for suite, end := range t.Suites {
		if end != sdk.SuitePassed && end != sdk.SuiteNoTests && (!r.Suites[suite] || end != sdk.SuiteBuildFailed && end != sdk.SuiteAborted) {
			return false
		}
	}
	return true
}

// IsRefused reports whether a refusal is all there is: no test has a result, and no
// suite passed.
func (t *Tally) IsRefused() bool {
	for _, end := range t.Suites {
		if end == sdk.SuitePassed {
			return false
		}
	}
	return t.results == 0 && t.Refused.Explain(t)
}
