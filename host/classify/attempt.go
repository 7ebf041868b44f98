package classify

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// attempt is what one run says of one test. A run may have several results of a
// test: the worst of them counts, as it does for what is outstanding, so that a
// failure cannot hide behind a pass of the same run.
type attempt struct {
	points []history.Point
	// bad and passed are exclusive; neither is a run that proves nothing.
	bad, passed bool
	// derived reports whether it was only bad because of tests inside the test.
	derived bool
	// trace is of its last failure that has a signature.
	trace Trace
}

// attempts gathers points, the oldest first, by their runs. Runs of other sources
// than those of the workspace are left out.
func attempts(points []history.Point) []attempt {
	var all []attempt
	for i, p := range points {
		if p.RunKind == api.KindTriage {
			continue
		}
		if len(all) == 0 || all[len(all)-1].run() != p.RunID {
			all = append(all, attempt{})
		}
		a := &all[len(all)-1]
		a.points = append(a.points, points[i])
		switch {
		case p.Outcome.Bad():
			a.derived = p.Derived && (a.derived || !a.bad)
			a.bad, a.passed = true, false
			if p.Signature != "" {
				a.trace = traceOf(p)
			}
		case p.Outcome == history.Passed:
			a.passed = !a.bad
		}
	}
	return all
}

func (a attempt) first() history.Point { return a.points[0] }

func (a attempt) run() string { return a.first().RunID }

func (a attempt) session() string { return a.first().SessionID }

// decisive is the last of the results by which it counts.
func (a attempt) decisive() history.Point {
	for _, p := range slices.Backward(a.points) {
		if p.Outcome.Conclusive() && p.Outcome.Bad() == a.bad {
			return p
		}
	}
	return a.first()
}

func (a attempt) conclusive() bool { return a.bad || a.passed }

// lastIn is the place of the last attempt of a session; -1 is none.
func lastIn(all []attempt, session string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].session() == session {
			return i
		}
	}
	return -1
}

// Latest is the result that says how a test stands, among points with the oldest
// first: of the newest run that proves something the worst, and one of the test
// itself before one that is derived. ok is false where none proves anything.
func Latest(points []history.Point) (p history.Point, ok bool) {
	a, ok := lastConclusive(attempts(points))
	first := true
	for _, q := range a.points {
		if q.Outcome.Conclusive() && q.Outcome.Bad() == a.bad && (first || p.Derived || !q.Derived) {
			p, first = q, false
		}
	}
	return p, ok
}

// lastConclusive is the newest attempt that proves something; ok is false where
// there is none.
func lastConclusive(all []attempt) (a attempt, ok bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].conclusive() {
			return all[i], true
		}
	}
	return attempt{}, false
}
