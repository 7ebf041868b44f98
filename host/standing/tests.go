package standing

import (
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// readPoints is roughly how many results one answer reads in all: some tens of
	// milliseconds' worth.
	readPoints = 8_000
	// MostPoints and LeastPoints bound how many results of one test are read;
	// LeastPoints suffices for the sessions that decide how it stands.
	MostPoints  = 200
	LeastPoints = 25
)

// pointsEach is how many results are read for each of this many tests.
func pointsEach(tests int) int {
	return min(max(readPoints/max(tests, 1), LeastPoints), MostPoints)
}

// maxTimelines is how many timelines are in memory at a time: a broken build can fail
// every test of a project.
const maxTimelines = 200

// Standings returns how tests of a language stand in a session after their latest results
// there. before is an order as in [history.TimelineFilter]: only earlier runs count; 0
// means all. Tests without a record are left out.
func Standings(ctx context.Context, led *ledger.Ledger, language string, tests []sdk.TestID, sessionID string, before int64) (map[sdk.TestID]api.Standing, error) {
	j, err := NewJudge(ctx, led)
	if err != nil {
		return nil, err
	}
	standings := make(map[sdk.TestID]api.Standing, len(tests))
	filter := history.TimelineFilter{Language: language, Tests: tests, Before: before, Points: pointsEach(len(tests)), Ends: true}
	err = Timelines(ctx, led, filter, func(t history.Timeline) {
		standings[t.TestKey.TestID] = j.Standing(t, sessionID)
	})
	if err != nil {
		return nil, err
	}
	return standings, addFormerNames(ctx, led, language, standings)
}

// Timelines calls yield with what is on record of each of the filter's tests. No query
// is open meanwhile, so yield can query the history itself.
func Timelines(ctx context.Context, led *ledger.Ledger, filter history.TimelineFilter, yield func(history.Timeline)) error {
	for tests := range slices.Chunk(filter.Tests, maxTimelines) {
		filter.Tests = tests
		found := make([]history.Timeline, 0, len(tests))
		err := led.History.Timeline(ctx, filter, func(t history.Timeline) bool {
			found = append(found, t)
			return ctx.Err() == nil
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for _, t := range found {
			t.Points = placeForeign(t.Points)
			yield(t)
		}
	}
	return nil
}

// placeForeign sorts the points of runs made elsewhere into our own by time: recorded
// output may be ingested long after it was made. Our own stay in the order in which they
// were recorded, even if the clock was set back.
func placeForeign(points []history.Point) []history.Point {
	if !slices.ContainsFunc(points, history.Point.Foreign) {
		return points
	}
	own, foreign := splitForeign(points)
	for _, f := range foreign {
		at := len(own)
		for at > 0 && own[at-1].At.After(f.At) {
			at--
		}
		own = slices.Insert(own, at, f)
	}
	return own
}

// splitForeign separates the points of our own runs from those made elsewhere.
func splitForeign(points []history.Point) (own, foreign []history.Point) {
	for _, p := range points {
		if p.Foreign() {
			foreign = append(foreign, p)
		} else {
			own = append(own, p)
		}
	}
	return own, foreign
}

// Judge classifies tests by their record.
type Judge struct {
	deferred map[history.TestKey]history.Deferral
	edits    *edits
	now      time.Time
	// args returns the runner arguments that a run was requested with.
	args func(runID string) []string
}

// NewJudge returns a Judge for one answer: it reads the deferrals once.
func NewJudge(ctx context.Context, led *ledger.Ledger) (*Judge, error) {
	deferred, err := Deferrals(ctx, led)
	if err != nil {
		return nil, err
	}
	return &Judge{deferred: deferred, edits: newEdits(ctx, led.History), now: led.Keeper.Cfg.Now(), args: runnerArgs(led)}, nil
}

// runnerArgs looks up the runner arguments of each run once.
func runnerArgs(led *ledger.Ledger) func(runID string) []string {
	known := map[string][]string{}
	return func(runID string) []string {
		args, ok := known[runID]
		if !ok {
			if run, err := led.Artifacts.Run(runID); err == nil {
				args = run.Selection.RunnerArgs
			}
			known[runID] = args
		}
		return args
	}
}

// Standing returns how a test stands in a session.
func (j *Judge) Standing(t history.Timeline, sessionID string) api.Standing {
	_, deferred := j.deferred[t.TestKey]
	s := classify.Test(classify.Subject{Timeline: t, SessionID: sessionID, Deferred: deferred, Edits: j.edits.between})
	// A streak that begins later lies within the results that were read without gaps. It may
	// have fewer runs than results: of retries, and of one test several times in a run.
	isOpen := func(since int) bool { return t.Cut && since <= len(t.Points)-LeastPoints/2 }
	for _, same := range []*api.SameFailure{s.SameFailure, s.SimilarFailure} {
		if same != nil {
			same.AtLeast = isOpen(slices.IndexFunc(t.Points, func(p history.Point) bool { return p.RunID == same.SinceID }))
		}
	}
	passed := 0 // results until the last pass
	if s.LastPassed != nil {
		for i := range slices.Backward(t.Points) {
			if t.Points[i].RunID == s.LastPassed.RunID {
				passed = i + 1
				break
			}
		}
	}
	s.FailedRunsAtLeast = s.FailedRuns > 0 && isOpen(passed)
	if s.Otherwise != nil {
		s.Otherwise.RunnerArgs = j.args(s.Otherwise.RunID)
	}
	if s.LastPassed != nil {
		s.LastPassed.AgeS = AgeSeconds(j.now, s.LastPassed.At)
		if s.FailedRuns > 0 {
			d := j.edits.difference(s.LastPassed.Fingerprint, failedFirst(t.Points, s.LastPassed.RunID))
			s.Changed, s.ChangedTotal = d.named(t.Test), max(d.count, 0)
		}
	}
	if s.Flaky != nil {
		s.Flaky.Runs, s.Flaky.FailedRuns = classify.CountRuns(t.Points, recentRuns)
	}
	return s
}

// failedFirst returns the source state of a test's first failure after a pass; empty if
// unknown.
func failedFirst(points []history.Point, passed string) string {
	at := slices.IndexFunc(points, func(p history.Point) bool { return p.RunID == passed })
	for _, p := range points[at+1:] {
		if at >= 0 && p.Outcome.Bad() {
			if p.MixedState {
				return ""
			}
			return p.Fingerprint
		}
	}
	return ""
}

// recentRuns is how many of the last runs of a flaky test are counted.
const recentRuns = 40

// AgeSeconds returns how long ago at was; a time in the future, after a clock was set
// back, counts as now.
func AgeSeconds(now, at time.Time) float64 { return max(now.Sub(at), 0).Seconds() }
