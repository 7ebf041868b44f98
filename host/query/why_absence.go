package query

import (
	"context"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/standing"
)

// explainAbsence tells why a test has no result in a later run that should have one: its
// suite did not build there, or the test does not exist any more. points are all
// that is on record of it; nil is that no such run is known.
func explainAbsence(ctx context.Context, m *ledger.Ledger, t history.Test, points []history.Point) (*api.Absence, error) {
	if len(points) == 0 || t.TestKey.Test.Test == "" {
		return nil, nil
	}
	later := func(order int64, at time.Time) bool {
		return !slices.ContainsFunc(points, func(p history.Point) bool {
			if p.Foreign() {
				return !p.At.Before(at)
			}
			return p.Order >= order
		})
	}
	broken, err := findLastOfSuite(ctx, m, t)
	if err != nil {
		return nil, err
	}
	whole, err := m.Comparable(ctx, history.RunFilter{Language: t.Language, Whole: true, Limit: standing.WholeRuns})
	if err != nil {
		return nil, err
	}
	seen := points[len(points)-1]
	for _, p := range slices.Backward(points) {
		if !p.Foreign() {
			seen = p
			break
		}
	}
	run := history.Run{}
	if i := slices.IndexFunc(whole, func(r history.Run) bool { return r.Complete() && r.Setting() == seen.Setting() }); i >= 0 {
		run = whole[i]
	}
	if broken.Outcome.Bad() && api.IsBuildKind(broken.Kind) && broken.Order > run.Order && later(broken.Order, broken.At) {
		return &api.Absence{
			Reason: api.NotBuilt, RunID: broken.RunID, SessionID: broken.SessionID, At: broken.At,
			AgeS: standing.AgeSeconds(m.Keeper.Cfg.Now(), broken.At), Kind: broken.Kind, Message: broken.Excerpt,
		}, nil
	}
	if run.ID == "" || !later(run.Order, run.StartedAt) {
		return nil, nil
	}
	if ran, err := hadChance(ctx, m, t, run.ID); err != nil || !ran {
		return nil, err
	}
	return &api.Absence{
		Reason: api.Vanished, RunID: run.ID, SessionID: run.SessionID, At: run.StartedAt,
		AgeS: standing.AgeSeconds(m.Keeper.Cfg.Now(), run.StartedAt),
	}, nil
}

// findLastOfSuite is the newest result of a test's suite itself, or of the run as a
// whole.
func findLastOfSuite(ctx context.Context, m *ledger.Ledger, t history.Test) (newest history.Point, err error) {
	filter := history.TimelineFilter{Language: t.Language, Tests: []api.Test{{Suite: t.Suite}}, Points: standing.LeastPoints}
	if t.Suite != "" {
		filter.Tests = append(filter.Tests, api.Test{})
	}
	err = standing.Timelines(ctx, m, filter, func(on history.Timeline) {
		if p, ok := classify.Latest(on.Points); ok && !p.Foreign() && p.Order > newest.Order {
			newest = p
		}
	})
	return newest, err
}

// hadChance reports whether a part of a test could have run in a run: where the test
// did not pass, its parts need not have come up.
func hadChance(ctx context.Context, m *ledger.Ledger, t history.Test, runID string) (bool, error) {
	if t.Root == "" || t.Root == t.TestKey.Test.Test {
		return true, nil
	}
	had := true
	filter := history.TimelineFilter{Language: t.Language, Tests: []api.Test{{Suite: t.Suite, Test: t.Root}}, Points: standing.LeastPoints}
	err := standing.Timelines(ctx, m, filter, func(on history.Timeline) {
		for _, p := range on.Points {
			had = had && (p.RunID != runID || p.Outcome == history.Passed)
		}
	})
	return had, err
}
