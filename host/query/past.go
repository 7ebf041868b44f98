package query

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

const (
	// stripRuns is how many runs a strip shows: what one glance takes in.
	stripRuns = 20
	// usualRuns is how many passes, at most, determine a test's usual duration; with fewer
	// than leastUsual it is unknown.
	usualRuns  = 10
	leastUsual = 3
)

// Past returns how tests of a run ended in their latest runs up to it, and how long they
// usually took before. It omits tests without a record.
func Past(ctx context.Context, k *ledger.Keeper, run api.Run, tests []sdk.TestID) (map[sdk.TestID]api.Past, error) {
	found := make(map[sdk.TestID]api.Past, len(tests))
	if len(tests) == 0 || run.RunID == "" || run.Kind == api.KindParsed {
		return found, nil
	}
	led, err := ledger.OpenAt(ctx, k, api.Where{Dir: run.Workspace, Exact: true})
	if err != nil {
		return found, err
	}
	row, err := led.History.Run(ctx, run.RunID)
	if err != nil {
		return found, err
	}
	// Before is exclusive, and this run is the last of a strip.
	filter := history.TimelineFilter{Language: run.Language, Tests: tests, Before: row.Order + 1, Points: standing.LeastPoints}
	err = standing.Timelines(ctx, led, filter, func(t history.Timeline) {
		found[t.TestID] = api.Past{Strip: stripOf(t.Points), UsualS: usualDuration(t.Points, run.RunID).Seconds()}
	})
	return found, err
}

// stripOf returns a point for each of a test's latest runs: the worst result if a run has
// several. It skips runs on other sources.
func stripOf(points []history.Point) api.Strip {
	type state struct{ fingerprint, environment string }
	passed := map[state]bool{}
	var runs []history.Point
	for _, p := range points {
		if p.RunKind == api.KindTriage {
			continue
		}
		if p.Outcome == history.Passed && p.Fingerprint != "" && !p.MixedState {
			passed[state{p.Fingerprint, p.Environment}] = true
		}
		switch last := len(runs) - 1; {
		case last < 0 || runs[last].RunID != p.RunID:
			runs = append(runs, p)
		case p.Outcome.Worse(runs[last].Outcome):
			runs[last] = p
		}
	}
	runs = runs[max(len(runs)-stripRuns, 0):]
	var strip api.Strip
	for i, p := range runs {
		point := api.StripPoint{RunID: p.RunID, At: p.At, Status: sdk.Status(ledger.OutcomeWord(shownOutcome(p)))}
		if i > 0 {
			before := runs[i-1]
			point.Changed = p.Fingerprint != before.Fingerprint && p.Fingerprint != "" && before.Fingerprint != ""
		}
		red := p.Outcome == history.Failed || p.Outcome == history.Unfinished
		point.Flaky = red && !p.MixedState && passed[state{p.Fingerprint, p.Environment}]
		strip = append(strip, point)
	}
	return strip
}

// usualDuration returns the median of a test's latest passes before a run; 0 if unknown.
func usualDuration(points []history.Point, runID string) time.Duration {
	var took []time.Duration
	for _, p := range slices.Backward(points) {
		if p.Outcome == history.Passed && p.RunID != runID && p.RunKind != api.KindTriage && len(took) < usualRuns {
			took = append(took, p.Duration)
		}
	}
	if len(took) < leastUsual {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// maxOutputsRead bounds how many bytes of a run's output are parsed to find that of its
// tests, each of which takes parsing all of it: about a second in total.
const maxOutputsRead = 64 << 20

// Outputs returns what tests of a run printed, for as many of the first ones as
// [maxOutputsRead] allows.
func Outputs(ctx context.Context, k *ledger.Keeper, run api.Run, tests []sdk.TestID) (map[sdk.TestID]api.OutputEnds, error) {
	found := map[sdk.TestID]api.OutputEnds{}
	if len(tests) == 0 || run.RunID == "" || run.Kind == api.KindParsed {
		return found, nil
	}
	led, err := ledger.OpenAt(ctx, k, api.Where{Dir: run.Workspace, Exact: true})
	if err != nil {
		return found, err
	}
	size := measureStreams(led.Artifacts, run)
	if size == 0 {
		return found, nil
	}
	projects, err := k.Projects(ctx, api.Where{Dir: run.Workspace, Exact: true}, []string{run.Language})
	if err != nil || !projects[0].ID.OutputOf {
		return found, err
	}
	read := int64(0)
	for _, t := range tests {
		if _, known := found[t]; known || t.Suite == "" {
			continue
		}
		if read += size; read > maxOutputsRead {
			break
		}
		var w api.OutputEndsBuilder
		if err := feedPrinted(ctx, projects[0], led.Artifacts, run, []sdk.TestID{t}, w.Add); err != nil {
			return found, err
		}
		found[t] = w.Ends()
	}
	return found, nil
}

// measureStreams adds up the sizes of the recorded streams of a run's commands.
func measureStreams(store *artifacts.Store, run api.Run) (size int64) {
	for n := range run.Commands {
		paths, ok := artifacts.StreamPaths(store, run.RunID, n)
		if !ok {
			continue // the command never ran
		}
		for _, path := range paths {
			if info, err := os.Lstat(path); err == nil {
				size += info.Size()
			}
		}
	}
	return size
}
