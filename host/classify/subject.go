package classify

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Subject is a test and what is on record of it.
type Subject struct {
	// Timeline has the points of finished runs, oldest first. Those of triage runs are
	// ignored.
	Timeline history.Timeline
	// SessionID is the session whose end is in question. What follows its last point is
	// ignored.
	SessionID string
	// Deferred reports whether the user deferred the test.
	Deferred bool
	// Edits counts the files that differ between two source states; -1 if unknown. It
	// may be nil.
	Edits func(from, to string) int
}

// Test returns how a test stands after its last point in the session. Without a conclusive
// point there, it has neither classification nor resolution. Without any point there, the
// rest describes the whole record. The caller, who knows the time, fills in the age of the
// last pass.
func Test(s Subject) api.Standing {
	all := groupAttempts(s.Timeline.Points)
	if last := lastIn(all, s.SessionID); last >= 0 {
		all = all[:last+1]
	}
	ends := newSessions(len(all))
	for i := range all {
		if a := &all[i]; a.isConclusive() {
			how := endsGood
			if a.bad {
				how = endsBad
			}
			ends.addEnd(a.session(), how)
		}
	}
	ended := withoutRetries(all)
	standing := api.Standing{
		FailedSessions: ends.countFailed(), Recurring: ends.isRecurring(),
		LastPassed: lastPassed(all), FailedRuns: failedRuns(ended), Flaky: flakyNow(all),
	}
	standing.SameFailure, standing.SimilarFailure = alikeFailures(ended, s.Edits)
	var c course
	others := before{seen: s.seenBefore()}
	comparable, otherwise := keepComparable(all, s.SessionID)
	standing.Otherwise = otherwise
	for _, a := range comparable {
		switch {
		case a.session() != s.SessionID:
			others.addResult(a)
		case a.isConclusive():
			c.addResult(a.bad, others)
		}
	}
	standing.Classification, standing.Resolution = c.standing(s.Deferred)
	switch {
	case standing.Flaky == nil:
	case standing.Classification == api.Regression, standing.Classification == api.Failing && passedHere(all):
		standing.Classification = api.Unsteady
	case standing.Classification == api.Fixed:
		standing.Classification, standing.Resolution = api.Unsteady, api.StatusPassed
	}
	return standing
}

// seenBefore reports whether the dictionary knows the test from another session, even
// if its points are gone from the record.
func (s Subject) seenBefore() bool {
	return s.Timeline.FirstSession != "" && s.Timeline.FirstSession != s.SessionID
}
