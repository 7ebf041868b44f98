package classify

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// attempt is what one run says about one test. If a run has several results of it, the
// worst counts, as it does for the outstanding list, so that a pass cannot hide a
// failure of the same run.
type attempt struct {
	points []history.Point
	// bad and passed exclude each other; a run that proves nothing is neither.
	bad, passed bool
	// derived reports whether it was bad only because of tests inside the test.
	derived bool
	// trace belongs to the last failure with a signature.
	trace Trace
}

// groupAttempts groups points, oldest first, by run. It skips runs of sources other than the
// workspace's.
func groupAttempts(points []history.Point) []attempt {
	all := make([]attempt, 0, len(points))
	from := 0 // where the points of the last attempt begin, if all since are its own
	for i := range points {
		p := &points[i]
		if p.RunKind == api.KindTriage {
			from = len(points)
			continue
		}
		if len(all) == 0 || all[len(all)-1].run() != p.RunID {
			all = append(all, attempt{})
			from = i
		}
		a := &all[len(all)-1]
		if from <= i {
			a.points = points[from : i+1 : i+1]
		} else {
			a.points = append(a.points, *p)
		}
		switch {
		case p.Outcome.Bad():
			a.derived = p.Derived && (a.derived || !a.bad)
			a.bad, a.passed = true, false
			if p.Signature != "" {
				a.trace = traceOf(*p)
			}
		case p.Outcome == history.Passed:
			a.passed = !a.bad
		}
	}
	return all
}

func (a attempt) first() *history.Point { return &a.points[0] }

func (a attempt) run() string { return a.first().RunID }

func (a attempt) session() string { return a.first().SessionID }

// decisivePoint returns the last of the results that count.
func (a attempt) decisivePoint() *history.Point {
	for i := range slices.Backward(a.points) {
		if p := &a.points[i]; p.Outcome.Conclusive() && p.Outcome.Bad() == a.bad {
			return p
		}
	}
	return a.first()
}

func (a attempt) isRetry() bool { return a.first().RunKind == api.KindRetry }

func (a attempt) isConclusive() bool { return a.bad || a.passed }

// lastIn returns the index of a session's last attempt, or -1.
func lastIn(all []attempt, session string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].session() == session {
			return i
		}
	}
	return -1
}

// Latest returns the result that decides how a test stands, from points sorted oldest
// first: the worst of the newest conclusive run, where the test's own results are
// preferred to derived ones. ok is false if no run is conclusive.
func Latest(points []history.Point) (p history.Point, ok bool) {
	a, ok := newestConclusive(points)
	first := true
	for _, q := range a.points {
		if q.Outcome.Conclusive() && q.Outcome.Bad() == a.bad && (first || p.Derived || !q.Derived) {
			p, first = q, false
		}
	}
	return p, ok
}

// newestConclusive returns the newest conclusive attempt of points. Mostly it is among the last
// few, of which the first may lack points of its run.
func newestConclusive(points []history.Point) (a attempt, ok bool) {
	const few = 8
	if from := len(points) - few; from > 0 {
		all := groupAttempts(points[from:])
		if a, ok = lastConclusive(all[min(1, len(all)):]); ok {
			return a, ok
		}
	}
	return lastConclusive(groupAttempts(points))
}

// lastConclusive returns the newest conclusive attempt.
func lastConclusive(all []attempt) (a attempt, ok bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].isConclusive() {
			return all[i], true
		}
	}
	return attempt{}, false
}
