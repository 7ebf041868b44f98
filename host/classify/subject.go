package classify

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Subject is a test and what is on record of it.
type Subject struct {
	// Timeline has the points of finished runs, the oldest first. Those of runs of
	// kind triage are ignored.
	Timeline history.Timeline
	// SessionID is the session whose end is asked for. What came after its last
	// point is left out of account.
	SessionID string
	// Deferred reports whether the user set the test aside.
	Deferred bool
	// Edits counts the files that differ between two source states; -1 is not
	// known. It may be nil.
	Edits func(from, to string) int
}

// Test says how a test stands after the last of its points in the session.
// Without a conclusive point there, it has neither classification nor resolution;
// without any point there, everything on record counts for the rest. The age of
// the last pass is left to the caller, who knows the time.
func Test(s Subject) api.Standing {
	all := attempts(s.Timeline.Points)
	if last := lastIn(all, s.SessionID); last >= 0 {
		all = all[:last+1]
	}
	var ends sessions
	for _, a := range all {
		if a.conclusive() {
			how := endsGood
			if a.bad {
				how = endsBad
			}
			ends.end(a.session(), how)
		}
	}
	standing := api.Standing{
		FailedSessions: ends.failed(), Recurring: ends.recurring(),
		LastPassed: lastPassed(all), FailedRuns: failedRuns(all), Flaky: flakyNow(all),
	}
	standing.SameFailure, standing.SimilarFailure = alikeFailures(all, s.Edits)
	var c course
	others := before{seen: s.seenBefore()}
	comparable, otherwise := alike(all, s.SessionID)
	standing.Otherwise = otherwise
	for _, a := range comparable {
		switch {
		case a.session() != s.SessionID:
			others.learn(a)
		case a.conclusive():
			c.follow(a.bad, others)
		}
	}
	standing.Classification, standing.Resolution = c.stand(s.Deferred)
	switch {
	case standing.Flaky == nil:
	case standing.Classification == api.Regression, standing.Classification == api.Failing && passedHere(all):
		standing.Classification = api.Unsteady
	case standing.Classification == api.Fixed:
		standing.Classification, standing.Resolution = api.Unsteady, api.StatusPassed
	}
	return standing
}

// seenBefore reports whether the dictionary knows the test from another session,
// although its points may be gone from the record.
func (s Subject) seenBefore() bool {
	return s.Timeline.FirstSession != "" && s.Timeline.FirstSession != s.SessionID
}
