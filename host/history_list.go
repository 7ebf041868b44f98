package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

const (
	// maxExamined is how many tests a list looks at before it answers: beyond it
	// somebody would wait.
	maxExamined = 1000
	// fullTests is of how many tests a list reads all sessions beside those that it
	// shows, fullPoints how many results with that: it costs a look at everything on
	// record of a test.
	fullTests  = 10
	fullPoints = 50
	// rankPoints is about how many results, in all, tell which are shown,
	// mostRankPoints how many of one test at most.
	rankPoints     = 4000
	mostRankPoints = 100
)

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
	// A run is no test, nor is a suite: it is worth knowing as long as it is broken.
	tests = slices.DeleteFunc(tests, func(t history.Test) bool { return t.TestKey.Test == record.Test{} })
	if len(tests) > usualExtent().tests {
		q.warn("only the %d tests that failed last were looked at", usualExtent().tests)
		tests = tests[:usualExtent().tests]
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
// there is nothing to say of. Tests that do not exist any more are left out. Where
// there are many, the latest results tell which are shown, and these are looked at
// as a whole.
func (q *question) list(ctx context.Context, tests []history.Test, steady bool) error {
	if len(tests) > maxExamined {
		q.warn("only %d of %d tests were looked at; name a file or a suite", maxExamined, len(tests))
		tests = tests[:maxExamined]
	}
	fits := func(s sight) bool { return (steady || isWorthKnowing(s.TestHistory)) && q.req.fits(s.TestHistory) }
	few := len(tests) <= fullTests
	points := min(max(rankPoints/max(len(tests), 1), patternRuns), mostRankPoints)
	all, err := q.sights(ctx, byLanguage(tests), points, few)
	if err == nil && !few {
		var whole []sight
		unclear := toJudge(all, fits, q.req.Recurring, q.limit)
		whole, err = q.sights(ctx, unclear, fullPoints, true)
		for _, w := range whole {
			at := slices.IndexFunc(all, func(s sight) bool { return s.is(w) })
			all[at] = w
		}
	}
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s sight) bool { return !fits(s) })
	slices.SortFunc(all, worstFirst)
	q.answer.TestsTotal = len(all)
	for _, s := range all[:min(len(all), q.limit)] {
		q.answer.Tests = append(q.answer.Tests, s.TestHistory)
	}
	if len(all) == 0 {
		q.answer.Message = q.noneMessage()
	}
	return nil
}

// noneMessage says that a list is empty.
func (q *question) noneMessage() string {
	var what []string
	if q.req.Flaky {
		what = append(what, "flaky")
	}
	if q.req.Recurring {
		what = append(what, "recurring")
	}
	if q.req.Classification != "" {
		what = append(what, string(q.req.Classification))
	}
	switch {
	case len(what) == 0:
		return "no result on record proves anything about them"
	case q.req.Name != "":
		return "none of these tests is " + strings.Join(what, " and ")
	}
	return "no test on record is " + strings.Join(what, " and ")
}

// sight is a test as its latest results show it.
type sight struct {
	record.TestHistory
	// cut: there are older results, short: what was read is of so few sessions that
	// the others could make it recurring.
	cut, short bool
}

func (s sight) is(t sight) bool {
	return s.Language == t.Language && s.Suite == t.Suite && s.Test == t.Test
}

// sights looks at tests, those that still exist, with so many of their results; and
// all their sessions, if whole.
func (q *question) sights(ctx context.Context, tests map[string][]record.Test, points int, whole bool) ([]sight, error) {
	j, err := q.memory.judge(ctx)
	if err != nil {
		return nil, err
	}
	var all []sight
	for language, named := range tests {
		newest, err := q.memory.completeRuns(ctx, language, 0)
		if err != nil {
			return nil, err
		}
		filter := history.TimelineFilter{Language: language, Tests: named, Points: points, Ends: whole}
		err = q.memory.timelines(ctx, filter, func(t history.Timeline) {
			if one, ok := q.testHistory(j, t); ok && !newest.lack(t.Points) {
				all = append(all, sight{one, t.Cut, len(sessionsOf([]history.Timeline{t})) < recurringSessions})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// toJudge are the tests that have to be looked at as a whole: those that are to be
// shown, as far as one sees, and some that their older results could make recurring.
func toJudge(all []sight, fits func(sight) bool, recurring bool, limit int) map[string][]record.Test {
	slices.SortFunc(all, worstFirst)
	tests, others := map[string][]record.Test{}, fullTests
	for _, s := range all {
		shown := fits(s) && limit > 0
		if shown {
			limit--
		}
		open := !shown && s.cut && !s.Recurring && (s.short || recurring) && others > 0
		if open {
			others--
		}
		if !open && !(shown && s.cut) {
			continue
		}
		tests[s.Language] = append(tests[s.Language], record.Test{Suite: s.Suite, Test: s.Test})
	}
	return tests
}

// testHistory sums up what is on record of a test, as of the last session that ran
// it. It is not ok for a test of which nothing is, or that only ever failed with
// tests inside it.
func (q *question) testHistory(j *judge, t history.Timeline) (one record.TestHistory, ok bool) {
	last, ok := classify.Latest(t.Points)
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
	if t.Test == "" && t.Resolution != record.StatusUnresolved && t.Resolution != record.StatusDeferred {
		return false
	}
	return t.Recurring || t.IsFlaky() || t.Otherwise != nil || t.Classification != record.Steady
}

// worstFirst orders tests: recurring, flaky, and then by classification; those
// that failed in more sessions first, and later ones.
func worstFirst(a, b sight) int {
	return cmp.Or(
		cmp.Compare(listPlace(a.TestHistory), listPlace(b.TestHistory)),
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
	case t.IsFlaky():
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
