package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// durationRuns is how many of the latest runs a mean covers.
	durationRuns = 10
	// measureRuns is how many of the latest runs a list of measures covers; for one
	// test it is the limit of the request.
	measureRuns = 10
	// rateRuns is how many of the latest results a failure rate covers: enough to tell one
	// in twenty from one in five.
	rateRuns = 100
)

// matcher returns a function that reports whether a test is among the found ones, as all
// are if no name was given.
func (f found) matcher() func(history.TestKey) bool {
	switch {
	case f.test != nil && len(f.tests) == 0:
		return func(t history.TestKey) bool { return t == f.test.TestKey }
	case len(f.tests) > 0:
		named := make(map[history.TestKey]bool, len(f.tests))
		for _, t := range f.tests {
			named[t.TestKey] = true
		}
		return func(t history.TestKey) bool { return named[t] }
	}
	return func(history.TestKey) bool { return true }
}

// listDurations lists the slowest tests.
func (q *question) listDurations(ctx context.Context, of found) error {
	covered := of.matcher()
	filter := history.DurationFilter{Runs: durationRuns}
	everything := of.test == nil && len(of.tests) == 0
	if everything {
		filter.Limit = q.limit // do not read more than is shown
	}
	for _, language := range q.languages {
		filter.Language = language
		durations, total, err := q.ledger.History.Durations(ctx, filter)
		if err != nil {
			return err
		}
		if everything {
			q.answer.DurationsTotal += total
		}
		for _, d := range durations {
			if !covered(d.TestKey) {
				continue
			}
			q.answer.Durations = append(q.answer.Durations, api.TestDuration{
				Language: d.Language, Suite: d.Suite, Test: d.TestKey.Test, File: d.File, Line: d.Line,
				MeanS: d.Mean.Seconds(), LastS: d.Last.Seconds(), Runs: d.Runs,
			})
		}
	}
	slices.SortFunc(q.answer.Durations, func(a, b api.TestDuration) int {
		return cmp.Or(-cmp.Compare(a.MeanS, b.MeanS), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Language, b.Language))
	})
	if !everything {
		q.answer.DurationsTotal = len(q.answer.Durations)
	}
	q.answer.Durations = q.answer.Durations[:min(len(q.answer.Durations), q.limit)]
	if q.answer.DurationsTotal == 0 {
		q.answer.Message = "no such test passed in the latest runs"
	}
	return nil
}

// listRates lists the tests that failed in any of their latest runs, by how often they did.
func (q *question) listRates(ctx context.Context, of found) error {
	covered := of.matcher()
	for _, language := range q.languages {
		suspects, err := q.ledger.History.Suspects(ctx, history.SuspectFilter{Language: language, Among: rateRuns})
		if err != nil {
			return err
		}
		var tests []sdk.TestID
		for _, t := range suspects {
			if covered(t.TestKey) {
				tests = append(tests, t.TestKey.TestID)
			}
		}
		filter := history.TimelineFilter{Language: language, Tests: tests, Points: rateRuns}
		if len(tests) == 0 {
			continue
		}
		err = q.ledger.History.Timeline(ctx, filter, func(t history.Timeline) bool {
			rate := api.TestRate{Language: t.Language, Suite: t.Suite, Test: t.TestKey.Test, File: t.File, Line: t.Line}
			rate.Runs, rate.Failed = classify.CountRuns(t.Points, rateRuns)
			if rate.Failed > 0 {
				q.answer.Rates = append(q.answer.Rates, rate)
			}
			return ctx.Err() == nil
		})
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	slices.SortFunc(q.answer.Rates, func(a, b api.TestRate) int {
		return cmp.Or(cmp.Compare(b.Failed*a.Runs, a.Failed*b.Runs), -cmp.Compare(a.Runs, b.Runs),
			cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Language, b.Language))
	})
	q.answer.RatesTotal = len(q.answer.Rates)
	q.answer.Rates = q.answer.Rates[:min(len(q.answer.Rates), q.limit)]
	if q.answer.RatesTotal == 0 {
		q.answer.Message = "no such test failed in its latest runs"
	}
	return nil
}

// listMeasures lists the tests' measures, those that changed most first.
func (q *question) listMeasures(ctx context.Context, of found) error {
	covered := of.matcher()
	runs := measureRuns
	var tests []sdk.TestID
	if of.test != nil {
		runs, tests = q.limit, []sdk.TestID{of.test.TestKey.TestID}
	}
	type key struct {
		history.TestKey
		name string
	}
	at := map[key]int{}
	for _, language := range q.languages {
		for _, name := range q.req.Measures {
			filter := history.MeasureFilter{Language: language, Name: name, Tests: tests, Runs: runs}
			err := q.ledger.History.Measures(ctx, filter, func(m history.MeasurePoint) bool {
				if !covered(m.TestKey) {
					return true
				}
				k := key{m.TestKey, name}
				i, ok := at[k]
				if !ok {
					i = len(q.answer.Measures)
					at[k] = i
					q.answer.Measures = append(q.answer.Measures, api.TestMeasure{
						Language: m.Language, Suite: m.Suite, Test: m.TestKey.Test, Name: name,
					})
				}
				q.answer.Measures[i].Values = append(q.answer.Measures[i].Values, api.MeasureValue{
					RunID: m.RunID, At: m.At, AgeS: standing.AgeSeconds(q.now, m.At), Value: m.Value,
				})
				return ctx.Err() == nil
			})
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(q.answer.Measures, func(a, b api.TestMeasure) int {
		return cmp.Or(-cmp.Compare(relativeChange(a), relativeChange(b)), -cmp.Compare(a.Values[0].Value, b.Values[0].Value),
			cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Language, b.Language))
	})
	q.answer.MeasuresTotal = len(q.answer.Measures)
	q.answer.Measures = q.answer.Measures[:min(len(q.answer.Measures), q.limit)]
	if q.answer.MeasuresTotal == 0 {
		q.answer.Message = "nothing like that was measured in the latest runs"
	}
	return nil
}

// relativeChange returns the relative change of a measure over the listed runs.
func relativeChange(m api.TestMeasure) float64 {
	now, then := float64(m.Values[0].Value), float64(m.Values[len(m.Values)-1].Value)
	if then == now {
		return 0
	}
	return math.Abs(now-then) / max(math.Abs(then), 1)
}
