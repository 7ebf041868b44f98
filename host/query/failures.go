package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// reading is a recorded run that is read, while the present state of its sources is found
// out.
type reading struct {
	run     api.Run
	ledger  *ledger.Ledger
	excused excused
	sources *fingerprint.Opening
}

// read finds a run, whose sources must be closed.
func read(ctx context.Context, k *ledger.Keeper, req api.LastRun) (reading, error) {
	r := reading{sources: ledger.OpenSources(ctx, k, req.Where)}
	var err error
	r.run, r.ledger, err = ledger.Lookup(ctx, k, req)
	if err != nil {
		r.sources.Close()
	}
	r.excused = excusedIn(r.run)
	return r, err
}

// complete adds to the run, which has the failures that are shown, what is known of them now.
func (r *reading) complete(ctx context.Context) {
	r.excused.markFailures(r.run.Failures)
	ledger.SetCauses(&r.run, ledger.TotalsOf(r.run.Causes))
	standing.Reread(ctx, r.ledger, &r.run, r.sources)
}

// Failures returns the requested run with its first limit failures, and its age. It starts
// no plugin.
func Failures(ctx context.Context, k *ledger.Keeper, req api.LastRun, limit int) (api.Run, time.Duration, error) {
	r, err := read(ctx, k, req)
	if err != nil {
		return r.run, 0, err
	}
	defer r.sources.Close()
	run := &r.run
	limit = api.ClampFailuresLimit(limit)
	failures := []api.Failure{}
	err = r.ledger.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
		failures = append(failures, f)
		return len(failures) < api.MaxFailures
	})
	// The object has the first failures, too: a truncated list must not hide them.
	if len(failures) >= len(run.Failures) {
		run.Failures = failures
	}
	ledger.SortFailures(run.Failures)
	run.Failures = run.Failures[:min(len(run.Failures), limit)]
	r.complete(ctx)
	return *run, ledger.AgeOf(k, *run), err
}

// excused maps the tests whose failures did not decide a run's verdict to the reasons. Only
// the run's object has these; failures are recorded as they come.
type excused map[sdk.TestID]string

func excusedIn(run api.Run) excused {
	tests := excused{}
	for _, f := range run.Failures {
		if f.Quarantine != "" {
			tests[f.TestID] = f.Quarantine
		}
	}
	return tests
}

func (e excused) markFailures(failures []api.Failure) {
	for i, f := range failures {
		failures[i].Quarantine = e[f.TestID]
	}
}

// Show returns a run with every test's result and every failure.
func Show(ctx context.Context, k *ledger.Keeper, req api.LastRun) (api.Run, time.Duration, error) {
	r, err := read(ctx, k, req)
	if err != nil {
		return r.run, 0, err
	}
	defer r.sources.Close()
	run := &r.run
	store := r.ledger.Artifacts
	run.Results = []api.Result{}
	err = store.Results(run.RunID, func(result api.Result) bool {
		run.Results = append(run.Results, result)
		return ctx.Err() == nil
	})
	if err != nil {
		return *run, ledger.AgeOf(k, *run), err
	}
	var failures []api.Failure
	err = store.Failures(run.RunID, func(f api.Failure) bool {
		failures = append(failures, f)
		return ctx.Err() == nil
	})
	// The object has the first failures, too: a truncated list must not hide them.
	if len(failures) > len(run.Failures) {
		ledger.SortFailures(failures)
		run.Failures = failures
	}
	r.complete(ctx)
	return *run, ledger.AgeOf(k, *run), errors.Join(err, ctx.Err())
}

// Recorded returns a run as the event of its end, with its results and failures to read.
func Recorded(ctx context.Context, k *ledger.Keeper, req api.LastRun) (api.RunFinished, error) {
	r, err := read(ctx, k, req)
	if err != nil {
		return api.RunFinished{}, err
	}
	defer r.sources.Close()
	ledger.SortFailures(r.run.Failures)
	r.complete(ctx)
	return api.RunFinished{Run: r.run, Record: artifacts.RecordOf(r.ledger.Artifacts, r.run.RunID)}, ctx.Err()
}

// FailuresFrom returns a run with at most limit failures from offset on, counted from 0,
// sorted by [ledger.FailureRank] and then as by [Failures]. It can page through every
// recorded failure, and starts no plugin.
func FailuresFrom(ctx context.Context, k *ledger.Keeper, req api.LastRun, offset, limit int) (api.FailuresPage, error) {
	r, err := read(ctx, k, req)
	if err != nil {
		return api.FailuresPage{}, err
	}
	defer r.sources.Close()
	run, m := &r.run, r.ledger
	offset, limit = max(offset, 0), api.ClampFailuresLimit(limit)
	page := api.FailuresPage{Recorded: len(run.Failures)}
	places, err := failurePlaces(ctx, m, run.RunID)
	if err != nil {
		return page, err
	}
	if len(places) < len(run.Failures) {
		// The object has the first failures, too: a truncated list must not hide them.
		run.Failures = PageFailures(run.Failures, offset, limit)
	} else {
		page.Recorded = len(places)
		places = places[min(offset, len(places)):]
		if run.Failures, err = failuresAt(ctx, m, run.RunID, places[:min(limit, len(places))]); err != nil {
			return page, err
		}
	}
	r.complete(ctx)
	page.Run, page.Age, page.Notes = *run, ledger.AgeOf(k, *run), m.Notes(run.RunID)
	return page, ctx.Err()
}

// PageFailures returns at most limit failures from offset on, by [ledger.FailureRank].
func PageFailures(failures []api.Failure, offset, limit int) []api.Failure {
	sorted := slices.Clone(failures)
	slices.SortStableFunc(sorted, func(a, b api.Failure) int { return cmp.Compare(ledger.FailureRank(a.Kind), ledger.FailureRank(b.Kind)) })
	sorted = sorted[min(max(offset, 0), len(sorted)):]
	return sorted[:min(api.ClampFailuresLimit(limit), len(sorted))]
}

// failurePlaces returns the indices of all failures in a run's record, in the order of
// [FailuresFrom]. The failures themselves may not fit into memory.
func failurePlaces(ctx context.Context, led *ledger.Ledger, runID string) ([]int, error) {
	var suites []string
	var ranks []int
	names := map[string]string{}
	err := led.Artifacts.Failures(runID, func(f api.Failure) bool {
		name, ok := names[f.Suite]
		if !ok {
			name = strings.Clone(f.Suite)
			names[name] = name
		}
		suites, ranks = append(suites, name), append(ranks, ledger.FailureRank(f.Kind))
		return ctx.Err() == nil
	})
	if err != nil {
		return nil, err
	}
	places := make([]int, len(suites))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), strings.Compare(suites[a], suites[b]))
	})
	return places, ctx.Err()
}

// failuresAt reads the failures at these indices of a record, in this order.
func failuresAt(ctx context.Context, led *ledger.Ledger, runID string, places []int) ([]api.Failure, error) {
	wanted := make(map[int]bool, len(places))
	for _, place := range places {
		wanted[place] = true
	}
	found := make(map[int]api.Failure, len(places))
	place := 0
	err := led.Artifacts.Failures(runID, func(f api.Failure) bool {
		if wanted[place] {
			found[place] = f
		}
		place++
		return len(found) < len(wanted) && ctx.Err() == nil
	})
	if err != nil {
		return nil, err
	}
	failures := make([]api.Failure, 0, len(found))
	for _, place := range places {
		if f, ok := found[place]; ok {
			failures = append(failures, f)
		}
	}
	return failures, ctx.Err()
}

// FindFailedTest finds a test by the id of one of its failures. It starts no plugin.
func FindFailedTest(ctx context.Context, k *ledger.Keeper, req api.LastRun, id string) (test sdk.TestID, ok bool, err error) {
	requests, err := ledger.SplitByLanguage(ctx, k, req)
	if err != nil {
		return test, false, err
	}
	for _, each := range requests {
		run, led, err := ledger.Lookup(ctx, k, each)
		if _, ok := errors.AsType[*api.NoRunError](err); ok && len(requests) > 1 {
			continue // another language may have one
		}
		if err != nil {
			return test, false, err
		}
		err = led.Artifacts.Failures(run.RunID, func(f api.Failure) bool {
			if f.ID == id {
				test, ok = f.TestID, true
			}
			return !ok && ctx.Err() == nil
		})
		if err != nil || ok {
			return test, ok, err
		}
	}
	return test, false, ctx.Err()
}
