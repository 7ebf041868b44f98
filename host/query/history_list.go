package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// listWorthKnowing lists noteworthy tests, or those of a classification.
func (q *question) listWorthKnowing(ctx context.Context) error {
	// These classifications select tests that never failed.
	if c := q.req.Classification; c == api.Gap || c == api.Steady {
		tests, err := q.ledger.History.Tests(ctx, history.TestFilter{Language: q.req.Language})
		if err != nil {
			return err
		}
		if c == api.Gap {
			// Newest first.
			slices.SortStableFunc(tests, func(a, b history.Test) int { return b.FirstAt.Compare(a.FirstAt) })
		}
		return q.list(ctx, tests, true)
	}
	// Besides those that are examined, one shows whether there are more, and each language may
	// have one that is no test.
	filter := history.SuspectFilter{
		Language: q.req.Language, Limit: api.MaxExamined, First: standing.UsualExtent().Tests + 1 + len(q.languages), Both: q.req.Flaky,
	}
	if q.req.Recurring {
		filter.Sessions = recurringSessions
	}
	tests, err := q.ledger.History.Suspects(ctx, filter)
	if err != nil {
		return err
	}
	// Neither a run nor a suite is a test: it is noteworthy only while it is broken.
	tests = slices.DeleteFunc(tests, func(t history.Test) bool { return t.TestKey.TestID == sdk.TestID{} })
	if len(tests) > standing.UsualExtent().Tests {
		q.warn("only the %d tests that failed most recently were examined", standing.UsualExtent().Tests)
		tests = tests[:standing.UsualExtent().Tests]
	}
	if err := q.list(ctx, tests, narrowsHistory(q.req)); err != nil {
		return err
	}
	if q.answer.TestsTotal == 0 && !narrowsHistory(q.req) {
		q.answer.Message = "no test on record is failing, flaky, recurring or newly fixed"
	}
	return nil
}

// recurringSessions is in how many sessions, at least, a recurring test has failed.
const recurringSessions = 3

const (
	// A list of at most fullTests is read completely at once, with fullPoints results of
	// each test: that costs a look at everything on record of it.
	fullTests  = 10
	fullPoints = 50
	// rankPoints is roughly how many results in all decide which tests are shown,
	// mostRankPoints the most for one test.
	rankPoints     = 4000
	mostRankPoints = 100
)

// list lists existing tests; with steady, even those without anything to report. If there
// are many, their latest results decide which are shown, and those are examined
// completely.
func (q *question) list(ctx context.Context, tests []history.Test, steady bool) error {
	if len(tests) > api.MaxExamined {
		q.warn("only %d of %d tests were examined; name a file or a suite", api.MaxExamined, len(tests))
		tests = tests[:api.MaxExamined]
	}
	fits := func(s sight) bool {
		return (steady || isWorthKnowing(s.TestHistory)) && fitsRequest(q.req, s.TestHistory)
	}
	few := len(tests) <= fullTests
	points := min(max(rankPoints/max(len(tests), 1), patternRuns), mostRankPoints)
	all, err := q.examine(ctx, byLanguage(tests), points, few)
	if err == nil && !few {
		var whole []sight
		unclear := chooseToExamine(all, fits, q.req.Recurring, q.limit)
		whole, err = q.examine(ctx, unclear, fullPoints, true)
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
	var last []api.TimelinePoint
	for _, s := range all[:min(len(all), q.limit)] {
		q.answer.Tests, last = append(q.answer.Tests, s.TestHistory), append(last, *s.Last)
	}
	if err := q.addRevisions(ctx, last); err != nil {
		return err
	}
	for i := range last {
		q.answer.Tests[i].Last = &last[i]
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

// sight is a test as judged by its latest results.
type sight struct {
	api.TestHistory
	// cut means that there are older results; short, that the results read cover so few
	// sessions that older ones could make it recurring.
	cut, short bool
}

func (s sight) is(t sight) bool {
	return s.Language == t.Language && s.Suite == t.Suite && s.Test == t.Test
}

// examine examines existing tests with this many of their results, and all of their
// sessions if whole is set.
func (q *question) examine(ctx context.Context, tests map[string][]sdk.TestID, points int, whole bool) ([]sight, error) {
	if q.judge == nil {
		var err error
		if q.judge, err = standing.NewJudge(ctx, q.ledger); err != nil {
			return nil, err
		}
		q.complete = map[string]standing.CompleteSet{}
	}
	var all []sight
	for language, named := range tests {
		newest, known := q.complete[language]
		if !known {
			var err error
			if newest, err = standing.CompleteRuns(ctx, q.ledger, language, 0); err != nil {
				return nil, err
			}
			q.complete[language] = newest
		}
		filter := history.TimelineFilter{Language: language, Tests: named, Points: points, Ends: whole}
		err := standing.Timelines(ctx, q.ledger, filter, func(t history.Timeline) {
			if one, ok := q.testHistory(q.judge, t); ok && !newest.Lack(t.Points) {
				all = append(all, sight{one, t.Cut, !standing.HasSessions(t.Points, recurringSessions)})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// chooseToExamine returns the tests to examine completely: those that would be shown, and
// some that older results could make recurring.
func chooseToExamine(all []sight, fits func(sight) bool, recurring bool, limit int) map[string][]sdk.TestID {
	slices.SortFunc(all, worstFirst)
	tests, others := map[string][]sdk.TestID{}, fullTests
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
		tests[s.Language] = append(tests[s.Language], sdk.TestID{Suite: s.Suite, Test: s.Test})
	}
	return tests
}

// testHistory sums up a test as of the last session that ran it. ok is false if it has no
// record, or fails only because of its subtests.
func (q *question) testHistory(j *standing.Judge, t history.Timeline) (one api.TestHistory, ok bool) {
	last, ok := classify.Latest(t.Points)
	if !ok || last.Derived {
		return one, false
	}
	one = api.TestHistory{
		Language: t.Language, Suite: t.TestKey.Suite, Test: t.TestKey.Test, File: t.File, Line: t.Line,
		Standing: j.Standing(t, last.SessionID), Pattern: outcomePattern(t.Points),
		FirstRun: t.FirstRun, FirstAt: t.FirstAt,
	}
	point := q.point(last)
	one.Last = &point
	return one, true
}

func isWorthKnowing(t api.TestHistory) bool {
	if t.Test == "" && t.Resolution != api.StatusUnresolved && t.Resolution != api.StatusDeferred {
		return false
	}
	return t.Recurring || t.IsFlaky() || t.Otherwise != nil || t.Classification != api.Steady
}

// worstFirst sorts tests: recurring, flaky, then by classification; within these by the
// number of failed sessions, then latest first.
func worstFirst(a, b sight) int {
	return cmp.Or(
		cmp.Compare(listPlace(a.TestHistory), listPlace(b.TestHistory)),
		-cmp.Compare(a.FailedSessions, b.FailedSessions),
		-a.Last.At.Compare(b.Last.At),
		cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Language, b.Language),
	)
}

// listPlace returns the place of a test's kind in a list.
func listPlace(t api.TestHistory) int {
	bad := t.Resolution == api.StatusUnresolved || t.Resolution == api.StatusDeferred
	switch {
	case t.Recurring:
		return 0
	case t.IsFlaky():
		return 1
	case t.Classification == api.Regression:
		return 2
	case t.Classification == api.Failing:
		return 3
	case t.Classification == api.Gap && bad:
		return 4
	case t.Classification == api.Fixed:
		return 5
	case t.Classification == api.Gap:
		return 6
	}
	return 7
}

func byLanguage(tests []history.Test) map[string][]sdk.TestID {
	named := map[string][]sdk.TestID{}
	for _, t := range tests {
		named[t.Language] = append(named[t.Language], t.TestKey.TestID)
	}
	return named
}

func (q *question) warn(format string, args ...any) {
	q.answer.Warnings = append(q.answer.Warnings, api.Note{Code: api.NotePartly, Text: fmt.Sprintf(format, args...)})
}
