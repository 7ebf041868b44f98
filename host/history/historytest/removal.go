package historytest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// removable records runs of which each has a test that is bad, a passing one, and
// parts of its own with measures and failures, and returns their results by run.
func (f *fixture) removable(runs int) map[string][]history.Result {
	f.t.Helper()
	told := map[string][]history.Result{}
	for n := range runs {
		bad, part := result("bad", history.Failed), result(fmt.Sprint("root/part", n), history.Failed)
		bad.Signature, part.Signature = fmt.Sprint("signature", n), fmt.Sprint("part", n)
		part.Root = "root"
		good := result("good", history.Passed)
		good.Measures = []history.Measure{{Name: "gas", Value: int64(n)}}
		run := f.run(results(bad, good, part), in(fmt.Sprint("session", n)), on(fmt.Sprint("state", n)))
		told[run.ID] = f.results(run.ID)
		if len(told[run.ID]) != 3 {
			f.t.Fatalf("%v", told[run.ID])
		}
	}
	return told
}

// holds fails where the runs on record are not those, with the results that they
// had, and the suspects what these say.
func (f *fixture) holds(want []string, told map[string][]history.Result) {
	f.t.Helper()
	runs, err := f.Runs(f.t.Context(), history.RunFilter{})
	f.must(err)
	got := ids(runs)
	slices.Reverse(got)
	same(f.t, "the runs", got, want)
	var suspects []string
	for _, id := range want {
		same(f.t, "the results of "+id, f.results(id), told[id])
		suspects = append(suspects, told[id][2].Test.Test)
	}
	if len(want) > 0 {
		suspects = append(suspects, "bad")
	}
	found, err := f.Suspects(f.t.Context(), history.SuspectFilter{})
	f.must(err)
	slices.Sort(suspects)
	now := names(found)
	slices.Sort(now)
	same(f.t, "the suspects", now, suspects)
	points := 0
	if line := f.timeline("bad", history.TimelineFilter{}); line != nil {
		points = len(line.Points)
	}
	same(f.t, "the points", points, len(want))
}

func testRemoveSteps(t *testing.T, open Opener) {
	const runs, removed = 6, 4
	stopped := true
	for steps := 1; stopped; steps++ {
		f := newFixture(t, open)
		told := f.removable(runs)
		all := []string{"r1", "r2", "r3", "r4", "r5", "r6"}
		var last history.Removal
		made := 0
		stopped = false
		f.must(f.Remove(t.Context(), all[:removed], func(r history.Removal) bool {
			if r.Runs < last.Runs || r.Cleared < last.Cleared || r.Cleared > 1 {
				t.Errorf("%+v comes after %+v", r, last)
			}
			last = r
			made++
			stopped = made == steps && r.Cleared < 1
			return !stopped
		}))
		if !stopped {
			same(t, "what it tells last", last, history.Removal{Runs: removed, Cleared: 1})
		}
		f.holds(all[last.Runs:], told)
		// Whoever comes then records, and removes the rest.
		for id, results := range f.removable(1) {
			told[id] = results
			all = append(all, id)
		}
		f.holds(all[last.Runs:], told)
		f.must(f.Remove(t.Context(), all[:removed], nil))
		f.holds(all[removed:], told)
		tests, err := f.Tests(t.Context(), history.TestFilter{Name: "part0"})
		f.must(err)
		same(t, "parts of the first run and the last", len(tests), 1)
		if steps > 1000 {
			t.Fatal("there is no end of it")
		}
	}
}

func testRemoveEnded(t *testing.T, open Opener) {
	f := newFixture(t, open)
	told := f.removable(5)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last history.Removal
	err := f.Remove(ctx, []string{"r1", "r2"}, func(r history.Removal) bool {
		last = r
		cancel()
		return true
	})
	if err == nil {
		t.Fatal("it says nothing of an early end")
	}
	f.holds([]string{"r1", "r2", "r3", "r4", "r5"}[last.Runs:], told)
	f.must(f.Remove(t.Context(), []string{"r1", "r2"}, nil))
	f.holds([]string{"r3", "r4", "r5"}, told)
}

func testRemoveBeside(t *testing.T, open Opener) {
	f := newFixture(t, open)
	const runs, kept, tests = 30, 6, 200
	whole := func(prefix string, n int) []history.Result {
		var all []history.Result
		for i := range tests {
			r := result(fmt.Sprintf("%s%03d", prefix, i), history.Outcome(i%2))
			if r.Outcome == history.Failed {
				r.Signature = fmt.Sprint(n, " ", i)
			}
			all = append(all, r)
		}
		return all
	}
	var gone []string
	for n := range runs {
		if run := f.run(whole("t", n)); n < runs-kept {
			gone = append(gone, run.ID)
		}
	}
	stay := []string{"r25", "r26", "r27", "r28", "r29", "r30"}
	var wg sync.WaitGroup
	over := make(chan struct{})
	wg.Go(func() {
		defer close(over)
		if err := f.Remove(t.Context(), gone, func(history.Removal) bool { return true }); err != nil {
			t.Error(err)
		}
	})
	written := 0
	wg.Go(func() { // records
		for n := 0; n == 0 || !isClosed(over); n++ {
			run := history.Run{ID: fmt.Sprint("new", n), SessionID: "new", Kind: api.KindRun, Language: "l", StartedAt: start}
			recorder, err := f.Begin(t.Context(), run)
			if err != nil {
				t.Error(err)
				return
			}
			for _, r := range whole("t", runs+n) {
				recorder.Add(r)
			}
			run.State = api.StateFinished
			if err := recorder.Finish(t.Context(), run); err != nil {
				t.Error(err)
				return
			}
			written++
		}
	})
	wg.Go(func() { // reads
		for n := 0; n == 0 || !isClosed(over); n++ {
			count := 0
			err := f.Results(t.Context(), stay[n%kept], func(history.Result) bool { count++; return true })
			if err != nil || count != tests {
				t.Errorf("%s has %d results: %v", stay[n%kept], count, err)
				return
			}
		}
	})
	wg.Wait()
	for n := range written {
		stay = append(stay, fmt.Sprint("new", n))
	}
	left, err := f.Runs(t.Context(), history.RunFilter{})
	f.must(err)
	same(t, "runs", len(left), len(stay))
	for _, id := range stay {
		same(t, "results of "+id, len(f.results(id)), tests)
	}
	line := f.timeline("t001", history.TimelineFilter{Points: 1000})
	same(t, "points", len(line.Points), len(stay))
	suspects, err := f.Suspects(t.Context(), history.SuspectFilter{})
	f.must(err)
	same(t, "suspects", len(suspects), tests/2)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
