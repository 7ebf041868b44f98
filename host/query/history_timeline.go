package query

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// patternRuns is how many runs a pattern shows: what one glance takes in.
const patternRuns = 12

// listTimeline lists the record of one test, result by result.
func (q *question) listTimeline(ctx context.Context, t history.Test) error {
	if narrowsHistory(q.req) {
		return &api.UsageError{
			Reason: "the timeline of a test cannot be filtered by classification, recurring or flaky",
			Fix:    "leave these out, or name a file",
		}
	}
	j, err := standing.NewJudge(ctx, q.ledger)
	if err != nil {
		return err
	}
	one := api.TestHistory{
		Language: t.Language, Suite: t.TestKey.Suite, Test: t.TestKey.Test, File: t.File, Line: t.Line,
		FirstRun: t.FirstRun, FirstAt: t.FirstAt,
	}
	// Its standing does not depend on how much is shown.
	filter := history.TimelineFilter{Language: t.Language, Tests: []sdk.TestID{t.TestKey.TestID}, Points: max(q.limit, standing.MostPoints)}
	var points []history.Point
	err = standing.Timelines(ctx, q.ledger, filter, func(on history.Timeline) {
		points = on.Points
		if last, ok := classify.Latest(on.Points); ok {
			one.Standing = j.Standing(on, last.SessionID)
		}
		one.Pattern = outcomePattern(on.Points)
		for _, p := range slices.Backward(on.Points) {
			if p.RunKind == api.KindTriage {
				continue // it ran on other sources
			}
			if len(q.answer.Timeline) == q.limit {
				q.answer.TimelineCut = true
				break
			}
			q.answer.Timeline = append(q.answer.Timeline, q.point(p))
		}
		q.answer.TimelineCut = q.answer.TimelineCut || on.Cut
	})
	if err != nil {
		return err
	}
	if err := q.addRevisions(ctx, q.answer.Timeline); err != nil {
		return err
	}
	if len(q.answer.Timeline) > 0 {
		last := q.answer.Timeline[0]
		one.Last = &last
	} else {
		q.answer.Message = "its results are no longer on record"
	}
	absence, err := explainAbsence(ctx, q.ledger, t, points)
	if err != nil {
		return err
	}
	if absence != nil {
		q.answer.Message = api.AbsenceLine(*absence)
	}
	q.answer.Tests, q.answer.TestsTotal = []api.TestHistory{one}, 1
	return nil
}

// point converts a result for an answer, which lacks its revision.
func (q *question) point(p history.Point) api.TimelinePoint {
	return api.TimelinePoint{
		RunID: p.RunID, SessionID: p.SessionID, Kind: p.RunKind, At: p.At, AgeS: standing.AgeSeconds(q.now, p.At),
		Status: sdk.Status(ledger.OutcomeWord(shownOutcome(p))), DurationS: p.Duration.Seconds(), Derived: p.Derived,
		Fingerprint: p.Fingerprint, MixedState: p.MixedState,
		Environment: p.Environment, Seed: p.Seed, Signature: p.Signature, FailureKind: p.Kind, Excerpt: p.Excerpt,
	}
}

// addRevisions adds to results what git had checked out in their runs.
func (q *question) addRevisions(ctx context.Context, points []api.TimelinePoint) error {
	var ids []string
	for _, p := range points {
		ids = append(ids, p.RunID)
	}
	if len(ids) == 0 {
		return nil
	}
	runs, err := q.ledger.History.Runs(ctx, history.RunFilter{IDs: ids})
	if err != nil {
		return err
	}
	of := make(map[string]history.Run, len(runs))
	for _, r := range runs {
		of[r.ID] = r
	}
	for i := range points {
		run := of[points[i].RunID]
		points[i].Commit, points[i].Branch = run.Commit, run.Branch
	}
	return nil
}

// outcomePattern returns a letter for each of a test's latest runs, oldest first: for the
// worst result if a run has several. It skips runs on other sources.
func outcomePattern(points []history.Point) string {
	var text []byte // the latest run first
	var last *history.Point
	for i := range slices.Backward(points) {
		p := &points[i]
		if p.RunKind == api.KindTriage {
			continue
		}
		switch {
		case last == nil || p.RunID != last.RunID:
			if len(text) == patternRuns {
				slices.Reverse(text)
				return string(text)
			}
			text, last = append(text, patternLetter(shownOutcome(*p))), p
		case !last.Outcome.Worse(p.Outcome):
			text[len(text)-1], last = patternLetter(shownOutcome(*p)), p
		}
	}
	slices.Reverse(text)
	return string(text)
}

// shownOutcome returns an outcome as displayed: a test that the user interrupted did not
// finish, though on record it proves no more than one that never started.
func shownOutcome(p history.Point) history.Outcome {
	if p.Outcome == history.NeverStarted && p.Duration > 0 {
		return history.Unfinished
	}
	return p.Outcome
}

// patternLetter returns the letter of an outcome.
func patternLetter(o history.Outcome) byte {
	switch o {
	case history.Passed:
		return 'P'
	case history.Failed:
		return 'F'
	case history.Skipped:
		return 'S'
	case history.Unfinished:
		return 'U'
	case history.Cached:
		return 'C'
	}
	return 'N'
}
