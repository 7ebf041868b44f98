package query

import (
	"context"
	"errors"
	"math"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// Timings returns how long top-level tests took in the latest runs, for dividing a run
// into shards.
func Timings(ctx context.Context, k *ledger.Keeper, req api.TimingsRequest) (api.Timings, error) {
	t := api.Timings{Schema: api.TimingsSchema, Languages: map[string]map[string]map[string]float64{}}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if _, ok := errors.AsType[*api.NoRunError](err); ok {
		return t, noTimings()
	}
	if err != nil {
		return t, err
	}
	languages, err := led.Languages(ctx)
	if err != nil {
		return t, err
	}
	for _, language := range languages {
		all, _, err := led.History.Durations(ctx, history.DurationFilter{Language: language, Runs: req.Runs})
		if err != nil {
			return t, err
		}
		for _, d := range all {
			if d.Root != "" || d.TestKey.Test == "" {
				continue
			}
			if t.Languages[language] == nil {
				t.Languages[language] = map[string]map[string]float64{}
			}
			suites := t.Languages[language]
			if suites[d.Suite] == nil {
				suites[d.Suite] = map[string]float64{}
			}
			suites[d.Suite][d.TestKey.Test] = math.Round(d.Mean.Seconds()*1000) / 1000
		}
	}
	if len(t.Languages) == 0 {
		return t, noTimings()
	}
	return t, nil
}

// noTimings returns the error for a workspace without durations: an empty file would look
// like one that balances shards.
func noTimings() error {
	return &api.UsageError{Reason: "no durations are on record", Fix: "run the tests first, or merge the reports of shards"}
}
