package host

import (
	"context"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// patternRuns is how many runs a pattern has: as many as one sees at a glance.
const patternRuns = 12

// timeline says what is on record of one test, result by result.
func (q *question) timeline(ctx context.Context, t history.Test) error {
	if q.req.narrows() {
		return &UsageError{
			Reason: "the timeline of a test is not narrowed by classification, recurring or flaky",
			Fix:    "leave these out, or name a file",
		}
	}
	j, err := q.memory.judge(ctx)
	if err != nil {
		return err
	}
	one := record.TestHistory{
		Language: t.Language, Suite: t.TestKey.Suite, Test: t.TestKey.Test.Test, File: t.File, Line: t.Line,
		FirstRun: t.FirstRun, FirstAt: t.FirstAt,
	}
	// What it is judged by does not depend on how much is shown.
	filter := history.TimelineFilter{Language: t.Language, Tests: []record.Test{t.TestKey.Test}, Points: max(q.limit, mostPoints)}
	err = q.memory.timelines(ctx, filter, func(on history.Timeline) {
		if last, ok := lastConclusive(on.Points); ok {
			one.Standing = j.standing(on, last.SessionID)
		}
		one.Pattern = pattern(on.Points)
		for _, p := range slices.Backward(on.Points) {
			if p.RunKind == record.KindTriage {
				continue // it was of other sources
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
	if len(q.answer.Timeline) > 0 {
		last := q.answer.Timeline[0]
		one.Last = &last
	} else {
		q.answer.Message = "its results are not on record any more"
	}
	q.answer.Tests, q.answer.TestsTotal = []record.TestHistory{one}, 1
	return nil
}

// point is a result as an answer has it.
func (q *question) point(p history.Point) record.TimelinePoint {
	run := q.runs[p.RunID]
	return record.TimelinePoint{
		RunID: p.RunID, SessionID: p.SessionID, Kind: p.RunKind, At: p.At, AgeS: ageSeconds(q.now, p.At),
		Status: outcomeStatus(p.Outcome), DurationS: p.Duration.Seconds(), Derived: p.Derived,
		Fingerprint: p.Fingerprint, Commit: run.Commit, Branch: run.Branch, MixedState: p.MixedState,
		Environment: p.Environment, Seed: p.Seed, Signature: p.Signature, FailureKind: p.Kind, Excerpt: p.Excerpt,
	}
}

// outcomeStatus is an outcome in the words of the answers.
func outcomeStatus(o history.Outcome) record.Status {
	switch o {
	case history.Passed:
		return record.TestPassed
	case history.Failed:
		return record.TestFailed
	case history.Skipped:
		return record.TestSkipped
	case history.Unfinished:
		return record.TestUnfinished
	}
	return record.TestNeverStarted
}

// pattern has a letter for each of the latest runs of a test, the oldest first; of
// several results in one run the worst. What ran on other sources is left out.
func pattern(points []history.Point) string {
	var text []byte
	run, worst := "", 0
	for _, p := range points {
		if p.RunKind == record.KindTriage {
			continue
		}
		at := severity(p.Outcome)
		switch {
		case p.RunID != run || len(text) == 0:
			text, worst = append(text, patternLetters[at]), at
		case at > worst:
			text[len(text)-1], worst = patternLetters[at], at
		}
		run = p.RunID
	}
	return string(text[max(len(text)-patternRuns, 0):])
}

// patternLetters stand for the outcomes, the worst last.
const patternLetters = "NSPUF"

// severity is the place of an outcome in patternLetters.
func severity(o history.Outcome) int {
	switch o {
	case history.Failed:
		return 4
	case history.Unfinished:
		return 3
	case history.Passed:
		return 2
	case history.Skipped:
		return 1
	}
	return 0
}
