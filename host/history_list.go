package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// maxExamined is how many tests a list looks at before it answers: beyond it
// somebody would wait.
const maxExamined = 1000

// worth lists the tests worth knowing of, or those of a classification.
func (q *question) worth(ctx context.Context) error {
	// Those that never failed are only asked for by their classification.
	if c := q.req.Classification; c == record.Gap || c == record.Steady {
		tests, err := q.memory.history.Tests(ctx, history.TestFilter{Language: q.req.Language})
		if err != nil {
			return err
		}
		if c == record.Gap {
			// Those that were seen first last.
			slices.SortStableFunc(tests, func(a, b history.Test) int { return b.FirstAt.Compare(a.FirstAt) })
		}
		return q.list(ctx, tests, true)
	}
	filter := history.SuspectFilter{Language: q.req.Language, Limit: maxExamined, Both: q.req.Flaky}
	if q.req.Recurring {
		filter.Sessions = recurringSessions
	}
	tests, err := q.memory.history.Suspects(ctx, filter)
	if err != nil {
		return err
	}
	if len(tests) > suspectTests {
		q.warn("only the %d tests that failed last were looked at", suspectTests)
		tests = tests[:suspectTests]
	}
	if err := q.list(ctx, tests, q.req.narrows()); err != nil {
		return err
	}
	if q.answer.TestsTotal == 0 && !q.req.narrows() {
		q.answer.Message = "no test on record is failing, flaky, recurring or newly fixed"
	}
	return nil
}

// recurringSessions is how many sessions a test failed in at least if it recurs.
const recurringSessions = 3

// list lists what there is of some tests. With steady it lists also those that
// there is nothing to say of. Tests that do not exist any more are left out.
func (q *question) list(ctx context.Context, tests []history.Test, steady bool) error {
	if len(tests) > maxExamined {
		q.warn("only %d of %d tests were looked at; name a file or a suite", maxExamined, len(tests))
		tests = tests[:maxExamined]
	}
	j, err := q.memory.judge(ctx)
	if err != nil {
		return err
	}
	var all []record.TestHistory
	for language, named := range byLanguage(tests) {
		last, err := q.memory.lastComplete(ctx, language, 0)
		if err != nil {
			return err
		}
		filter := history.TimelineFilter{Language: language, Tests: named, Points: pointsEach(len(tests)), Ends: true}
		err = q.memory.timelines(ctx, filter, func(t history.Timeline) {
			one, ok := q.testHistory(j, t)
			if n := len(t.Points); ok && t.Points[n-1].Order >= last && (steady || isWorthKnowing(one)) && q.req.fits(one) {
				all = append(all, one)
			}
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(all, worstFirst)
	q.answer.TestsTotal = len(all)
	q.answer.Tests = all[:min(len(all), q.limit)]
	if len(all) == 0 {
		q.answer.Message = "no such test is on record"
	}
	return nil
}

// testHistory sums up what is on record of a test, as of the last session that ran
// it. It is not ok for a test of which nothing is, or that only ever failed with
// tests inside it.
func (q *question) testHistory(j *judge, t history.Timeline) (one record.TestHistory, ok bool) {
	last, ok := lastConclusive(t.Points)
	if !ok || last.Derived {
		return one, false
	}
	one = record.TestHistory{
		Language: t.Language, Suite: t.TestKey.Suite, Test: t.TestKey.Test.Test, File: t.File, Line: t.Line,
		Standing: j.standing(t, last.SessionID), Pattern: pattern(t.Points),
		FirstRun: t.FirstRun, FirstAt: t.FirstAt,
	}
	point := q.point(last)
	one.Last = &point
	return one, true
}

func isWorthKnowing(t record.TestHistory) bool {
	return t.Recurring || t.Flaky != nil || t.Classification != record.Steady
}

// worstFirst orders tests: recurring, flaky, and then by classification; those
// that failed in more sessions first, and later ones.
func worstFirst(a, b record.TestHistory) int {
	return cmp.Or(
		cmp.Compare(listPlace(a), listPlace(b)),
		-cmp.Compare(a.FailedSessions, b.FailedSessions),
		-a.Last.At.Compare(b.Last.At),
		cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Language, b.Language),
	)
}

// listPlace is the place of a test's kind in a list.
func listPlace(t record.TestHistory) int {
	bad := t.Resolution == record.StatusUnresolved || t.Resolution == record.StatusDeferred
	switch {
	case t.Recurring:
		return 0
	case t.Flaky != nil:
		return 1
	case t.Classification == record.Regression:
		return 2
	case t.Classification == record.Failing:
		return 3
	case t.Classification == record.Gap && bad:
		return 4
	case t.Classification == record.Fixed:
		return 5
	case t.Classification == record.Gap:
		return 6
	}
	return 7
}

func byLanguage(tests []history.Test) map[string][]record.Test {
	named := map[string][]record.Test{}
	for _, t := range tests {
		named[t.Language] = append(named[t.Language], t.TestKey.Test)
	}
	return named
}

func (q *question) warn(format string, args ...any) {
	q.answer.Warnings = append(q.answer.Warnings, fmt.Sprintf(format, args...))
}
