package query

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/metrics"
	"github.com/proctorhq/proctor/sdk"
)

// What makes a test count as slower. Below leastSlower it is mostly the machine's noise; a
// mean over meanRuns evens out the rest, and is computed for the maxSlower tests that differ
// most.
const (
	leastSlower = 50 * time.Millisecond
	meanRuns    = 10
	maxSlower   = 500
)

// findSlower finds the tests that passed in both runs and take longer now than in the
// earlier run, and than on average in their latest passes.
func (d *differ) findSlower(ctx context.Context) error {
	var suspects []sdk.TestID
	for t, now := range d.now {
		before, ok := d.before[t]
		if ok && t.Test != "" && before.passes > 0 && now.passes > 0 && before.Outcome.Good() && now.Outcome.Good() && d.isSlower(before.mean(), now.mean()) {
			suspects = append(suspects, t)
		}
	}
	delta := func(t sdk.TestID) time.Duration { return d.now[t].mean() - d.before[t].mean() }
	slices.SortFunc(suspects, func(a, b sdk.TestID) int {
		return cmp.Or(cmp.Compare(delta(b), delta(a)), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.Test, b.Test))
	})
	if suspects = suspects[:min(len(suspects), maxSlower)]; len(suspects) == 0 {
		return nil
	}
	means, err := d.readMeans(ctx, suspects)
	if err != nil {
		return err
	}
	named := map[sdk.TestID]bool{}
	for _, t := range suspects {
		before, now, mean := d.before[t], d.now[t], means[t]
		if mean.passes == 0 {
			mean = before
		}
		if !d.isSlower(mean.mean(), now.mean()) {
			continue
		}
		named[t] = true
		d.Slower = append(d.Slower, api.SlowerTest{
			Suite: t.Suite, Test: t.Test, File: now.File, Line: now.Line, BeforeS: before.mean().Seconds(),
			NowS: now.mean().Seconds(), MeanS: mean.mean().Seconds(), Runs: mean.passes,
		})
	}
	// The time of a subtest is part of its parent's: report it once.
	d.Slower = slices.DeleteFunc(d.Slower, func(s api.SlowerTest) bool {
		root := d.now[sdk.TestID{Suite: s.Suite, Test: s.Test}].Root
		return root != "" && root != s.Test && named[sdk.TestID{Suite: s.Suite, Test: root}]
	})
	d.Counts.Slower = len(d.Slower)
	return nil
}

func (d *differ) isSlower(before, now time.Duration) bool {
	return now-before >= leastSlower && float64(now) >= float64(before)*(1+d.threshold/100)
}

// readMeans adds up the latest passes of tests up to the earlier run.
func (d *differ) readMeans(ctx context.Context, tests []sdk.TestID) (map[sdk.TestID]side, error) {
	means := map[sdk.TestID]side{}
	err := d.ledger.History.Timeline(ctx, history.TimelineFilter{
		Language: d.Language, Tests: tests, Before: d.pair.before.Order + 1, Points: 2 * meanRuns,
	}, func(t history.Timeline) bool {
		var s side
		for _, p := range slices.Backward(t.Points) {
			alike := p.Setting() == d.pair.now.Setting()
			if p.Outcome == history.Passed && p.RunKind != api.KindTriage && alike && s.passes < meanRuns {
				s.total, s.passes = s.total+p.Duration, s.passes+1
			}
		}
		means[t.Test.TestID] = s
		return true
	})
	return means, err
}

// findGrown finds the measures that grew.
func (d *differ) findGrown(ctx context.Context) error {
	var before, now *metrics.Set
	err := doBoth(
		func() (err error) { before, err = readMeasures(ctx, d.ledger, d.pair.before.ID); return err },
		func() (err error) { now, err = readMeasures(ctx, d.ledger, d.pair.now.ID); return err },
	)
	if err != nil || before == nil || now == nil {
		return err // without the records of both there is nothing to compare
	}
	for _, c := range metrics.Compare(metrics.Request{Before: *before, Now: *now}).Changes {
		if strings.HasPrefix(string(c.Delta), "-") {
			continue
		}
		d.Counts.More++
		if len(d.More) < api.MaxNames {
			d.More = append(d.More, api.GrownMeasure{
				Suite: c.Suite, Test: c.Test, Name: c.Name, Kind: c.Kind, Section: c.Section, Before: c.Before, Now: c.After, Delta: c.Delta,
			})
		}
	}
	return nil
}

// readMeasures reads what a run measured; nil if its record is gone.
func readMeasures(ctx context.Context, led *ledger.Ledger, id string) (*metrics.Set, error) {
	run, err := led.Artifacts.Object(id)
	if err != nil {
		return nil, ctx.Err()
	}
	set := metrics.Set{Run: run}
	err = led.Artifacts.Results(id, func(r api.Result) bool {
		// A pass without measures has nothing to compare.
		if r = metrics.Bare(r, nil); r.Status != sdk.Passed || len(r.Measures) > 0 {
			set.Results = append(set.Results, r)
		}
		return ctx.Err() == nil
	})
	return &set, cmp.Or(err, ctx.Err())
}

// addPlaces adds where and how the named tests failed.
func (d *differ) addPlaces(ctx context.Context) error {
	fill := func(id string, lists ...[]api.DiffedTest) error {
		wanted := map[sdk.TestID]*api.DiffedTest{}
		for _, list := range lists {
			for i := range list {
				wanted[sdk.TestID{Suite: list[i].Suite, Test: list[i].Test}] = &list[i]
			}
		}
		return d.ledger.Artifacts.Failures(id, func(f api.Failure) bool {
			t := f.TestID
			if test := wanted[t]; test != nil {
				if f.File != "" {
					test.File, test.Line = f.File, f.Line
				}
				test.Kind, test.Message = f.Kind, ledger.Headline(f)
				delete(wanted, t) // the first failure names the cause
			}
			return len(wanted) > 0 && ctx.Err() == nil
		})
	}
	if err := fill(d.pair.now.ID, d.NewFailures, d.FailingNotRun, d.StillFailing); err != nil {
		return err
	}
	return cmp.Or(fill(d.pair.before.ID, d.Fixed, d.PassedOtherwise), ctx.Err())
}
