package classify

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// lastPassed returns the newest run, before the latest, in which the test passed.
func lastPassed(all []attempt) *api.LastPassed {
	for i := len(all) - 2; i >= 0; i-- {
		if a := all[i]; a.passed {
			p := a.first()
			return &api.LastPassed{RunID: p.RunID, At: p.At, Fingerprint: p.Fingerprint}
		}
	}
	return nil
}

// failedRuns counts the latest bad ones, without a pass in between, of runs as
// [withoutRetries] returns them.
func failedRuns(ended []attempt) int {
	n := 0
	for i := len(ended) - 1; i >= 0 && !ended[i].passed; i-- {
		n++
	}
	return n
}

// withoutRetries returns the conclusive runs, without failed retries: a retry is another
// attempt at the run before it.
func withoutRetries(all []attempt) []attempt {
	runs := make([]attempt, 0, len(all))
	for _, a := range all {
		again := a.isRetry() && a.bad && len(runs) > 0 && runs[len(runs)-1].bad
		if a.isConclusive() && !again {
			runs = append(runs, a)
		}
	}
	return runs
}

// CountRuns counts the latest conclusive runs of a test, at most so many, and those of them
// that were bad, from points sorted oldest first. A run whose retry passed was bad.
func CountRuns(points []history.Point, most int) (runs, bad int) {
	ended := withoutRetries(groupAttempts(points))
	ended = slices.DeleteFunc(ended, func(a attempt) bool { return a.isRetry() && a.passed })
	for _, a := range ended[max(len(ended)-most, 0):] {
		if runs++; a.bad {
			bad++
		}
	}
	return runs, bad
}

// alikeFailures counts the latest runs that ended with the same failure, and those that
// ended with similar ones if there are more; nil if fewer than two. The runs are those that
// [withoutRetries] returns.
func alikeFailures(all []attempt, edits func(from, to string) int) (same, similar *api.SameFailure) {
	newest, ok := lastConclusive(all)
	if !ok || !newest.bad || newest.trace.Signature == "" {
		return nil, nil
	}
	known := map[string]api.Likeness{} // by signature
	likeness := func(a attempt) api.Likeness {
		l, ok := known[a.trace.Signature]
		if !ok {
			l = Compare(newest.trace, a.trace)
			known[a.trace.Signature] = l
		}
		return l
	}
	same = findStreak(all, edits, func(a attempt) bool { return likeness(a) == api.SameFailureAgain })
	similar = findStreak(all, edits, func(a attempt) bool {
		l := likeness(a)
		return l == api.SameFailureAgain || l == api.SimilarFailure
	})
	same.Signature = newest.trace.Signature
	if similar.Run == same.Run {
		similar = nil
	}
	if same.Run < 2 {
		same = nil
	}
	return same, similar
}

// findStreak counts the latest consecutive runs, all of them conclusive, whose failures
// resemble the newest.
func findStreak(all []attempt, edits func(from, to string) int, alike func(attempt) bool) *api.SameFailure {
	var found api.SameFailure
	var later *history.Point
	for _, a := range slices.Backward(all) {
		if !a.bad || !alike(a) {
			break
		}
		p := a.first()
		if found.Run++; found.Run > 1 {
			found.Edits = sum(found.Edits, countEdits(edits, p.Fingerprint, later.Fingerprint))
		}
		found.Since, found.SinceID = p.At, p.RunID
		later = p
	}
	return &found
}

// unknown is an unknown number of edits.
const unknown = -1

func countEdits(edits func(from, to string) int, from, to string) int {
	switch {
	case from == "" || to == "":
		return unknown
	case from == to:
		return 0
	case edits == nil:
		return unknown
	}
	return edits(from, to)
}

func sum(a, b int) int {
	if a < 0 || b < 0 {
		return unknown
	}
	return a + b
}

// circumstances are what must be known and equal for a pass and a failure to contradict
// each other. They count as unknown for a run made elsewhere, since they do not describe
// another machine completely.
type circumstances struct{ fingerprint, environment string }

// circumstances returns those of the run; ok is false if unknown.
func (a attempt) circumstances() (c circumstances, ok bool) {
	p := a.first()
	return circumstances{p.Fingerprint, p.Environment}, p.Fingerprint != "" && p.Environment != "" && !p.MixedState && !p.Foreign()
}

// findFlaky returns the latest evidence that the test passed in one run and failed in
// another under equal circumstances. A pass and a failure within a run are not
// evidence: it may hold two tests of the same name.
func findFlaky(all []attempt) *api.Flaky {
	type both struct{ passed, bad *history.Point }
	seen := map[circumstances]*both{} // where it was bad: mostly that is seldom
	for i := range all {
		if key, known := all[i].circumstances(); known && all[i].bad && seen[key] == nil {
			seen[key] = &both{}
		}
	}
	if len(seen) == 0 {
		return nil
	}
	var found both
	for i := range all {
		a := &all[i]
		if !a.isConclusive() {
			continue
		}
		key, known := a.circumstances()
		b := seen[key]
		if !known || b == nil {
			continue
		}
		if p := a.decisivePoint(); a.bad {
			b.bad = p
		} else {
			b.passed = p
		}
		if b.passed != nil && b.bad != nil {
			found = *b
		}
	}
	if found.bad == nil {
		return nil
	}
	return newFlaky(found.passed, found.bad)
}

// lastBad returns the index of the newest bad attempt, or -1.
func lastBad(all []attempt) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].bad {
			return i
		}
	}
	return -1
}

// passedHere reports whether the test passed under the circumstances of its last bad
// attempt.
func passedHere(all []attempt) bool {
	at := lastBad(all)
	if at < 0 {
		return false
	}
	was, known := all[at].circumstances()
	return known && slices.ContainsFunc(all, func(a attempt) bool {
		is, known := a.circumstances()
		return known && a.passed && is == was
	})
}

func newFlaky(passed, bad *history.Point) *api.Flaky {
	f := &api.Flaky{Fingerprint: bad.Fingerprint, PassedRun: passed.RunID, FailedRun: bad.RunID}
	if passed.Seed != "" && bad.Seed != "" && passed.Seed != bad.Seed {
		f.Seeds = []string{passed.Seed, bad.Seed}
	}
	return f
}

// flakyNow returns the result of [findFlaky], or nil if the test has since passed at the
// end of the last three sessions that ran it.
func flakyNow(all []attempt) *api.Flaky {
	found := findFlaky(all)
	if found == nil {
		return nil
	}
	var passed []string // sessions, the last one first
	for i := len(all) - 1; i >= 0; i-- {
		a := &all[i]
		isEnd := a.isConclusive() && !slices.Contains(passed, a.session())
		if a.run() == found.PassedRun || a.run() == found.FailedRun || isEnd && a.bad {
			break
		}
		if !isEnd {
			continue
		}
		if passed = append(passed, a.session()); len(passed) == recurringSessions {
			return nil
		}
	}
	return found
}

// FailingSince returns the last pass of a test and the first failure after it, from
// points sorted oldest first, or nil.
func FailingSince(points []history.Point) (passed, failed *history.Point) {
	for _, a := range groupAttempts(points) {
		switch {
		case a.passed:
			passed, failed = a.decisivePoint(), nil
		case a.bad && failed == nil:
			failed = a.decisivePoint()
		}
	}
	return passed, failed
}
