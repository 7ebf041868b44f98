package history_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

func testRunReference(t *testing.T, open opener) {
	f := newFixture(t, open)
	for _, id := range []string{"abc", "abcd", "abx", "b%", "b_"} {
		f.run(nil, func(r *history.Run) { r.ID = id })
	}
	for ref, want := range map[string]string{"abc": "abc", "abcd": "abcd", "abx": "abx", "b%": "b%", "b_": "b_"} {
		run, err := f.Run(t.Context(), ref)
		f.must(err)
		same(t, "the run of "+ref, run.ID, want)
	}
	var none *history.NoRunError
	for _, ref := range []string{"", "x", "abcde", "%", "ab*"} {
		if _, err := f.Run(t.Context(), ref); !errors.As(err, &none) || len(none.Matches) > 0 {
			t.Fatalf("%q: %v", ref, err)
		}
	}
	if _, err := f.Run(t.Context(), "ab"); !errors.As(err, &none) || len(none.Matches) != 3 {
		t.Fatalf("an ambiguous reference: %v", err)
	}
}

func testExists(t *testing.T, open opener) {
	f := newFixture(t, open)
	run := f.run(results(result("a", history.Failed)))
	if _, err := f.Begin(t.Context(), run); err == nil || err.Error() != "run "+run.ID+" is on record already" {
		t.Fatal(err)
	}
	same(t, "results", len(f.results(run.ID)), 1)
	var none *history.NoRunError
	if err := f.Amend(t.Context(), history.Run{ID: "x"}); !errors.As(err, &none) {
		t.Fatalf("amending a run that does not exist: %v", err)
	}
	if err := f.Results(t.Context(), "x", nil); !errors.As(err, &none) {
		t.Fatalf("the results of a run that does not exist: %v", err)
	}
	if _, err := f.Files(t.Context(), "x"); !errors.As(err, &none) {
		t.Fatalf("the files of a run that does not exist: %v", err)
	}
	if err := f.Compare(t.Context(), run.ID, "x", nil); !errors.As(err, &none) {
		t.Fatalf("comparing with a run that does not exist: %v", err)
	}
}

func testRunFields(t *testing.T, open opener) {
	f := newFixture(t, open)
	run := history.Run{
		ID: "id", SessionID: "session", Kind: api.KindIngest, Language: "l", Plugin: "p", PluginVersion: "1",
		State: api.StateRunning, StartedAt: start, Environment: "e", Seed: "7", Whole: true, Origin: "from",
	}
	recorder, err := f.Begin(t.Context(), run)
	f.must(err)
	got, err := f.Run(t.Context(), "id")
	f.must(err)
	run.Order = got.Order
	same(t, "the run when it began", got, run)

	run.Fingerprint, run.Commit, run.Branch, run.MixedState = "f", "c", "b", true
	f.must(f.Amend(t.Context(), run))
	got, err = f.Run(t.Context(), "id")
	f.must(err)
	same(t, "the run with its state", got, run)

	run.State, run.Verdict, run.Reason, run.Duration = api.StateFinished, api.Failed, "1 test failed", time.Minute
	run.Counts = api.Counts{Suites: 1, Passed: 2, Failed: 3, Skipped: 4, Unfinished: 5, NeverStarted: 6, BuildFailed: 7, ParseSkippedBytes: 8}
	run.Outstanding, run.Seed, run.Whole = 9, "8", false
	f.must(recorder.Finish(t.Context(), run))
	got, err = f.Run(t.Context(), "id")
	f.must(err)
	same(t, "the run at its end", got, run)
}

func testRunFilter(t *testing.T, open opener) {
	f := newFixture(t, open)
	whole := func(r *history.Run) { r.Whole, r.Environment = true, "e" }
	f.run(nil, in("one"), whole)                                     // r1
	f.run(nil, in("one"), kind(api.KindRerun))                       // r2
	f.run(nil, in("two"), language("other"))                         // r3
	f.run(nil, in("two"), kind(api.KindTriage))                      // r4
	f.run(nil, in("three"), func(r *history.Run) { r.Whole = true }) // r5
	_, recorder := f.begin(in("three"))                              // r6
	defer recorder.Abandon()
	all, err := f.Runs(t.Context(), history.RunFilter{})
	f.must(err)
	same(t, "all runs", ids(all), []string{"r6", "r5", "r4", "r3", "r2", "r1"})
	for _, c := range []struct {
		filter history.RunFilter
		want   []string
	}{
		{history.RunFilter{IDs: []string{"r1", "r5", "r", "r5"}}, []string{"r5", "r1"}},
		{history.RunFilter{Language: "other"}, []string{"r3"}},
		{history.RunFilter{SessionID: "one"}, []string{"r2", "r1"}},
		{history.RunFilter{NotSession: "one", Limit: 2}, []string{"r6", "r5"}},
		{history.RunFilter{Kinds: []api.Kind{api.KindRerun, api.KindTriage}}, []string{"r4", "r2"}},
		{history.RunFilter{State: api.StateRunning}, []string{"r6"}},
		{history.RunFilter{Before: all[3].Order}, []string{"r2", "r1"}},
		{history.RunFilter{Whole: true}, []string{"r5", "r1"}},
		{history.RunFilter{Oldest: true, Limit: 2}, []string{"r1", "r2"}},
		{history.RunFilter{Oldest: true, Before: all[0].Order, SessionID: "three"}, []string{"r5"}},
		{history.RunFilter{Whole: true, Environment: "e"}, []string{"r1"}},
		{history.RunFilter{Whole: true, Setting: "e"}, []string{"r1"}},
		{history.RunFilter{Setting: "no"}, nil},
		{history.RunFilter{Language: "none"}, nil},
	} {
		got, err := f.Runs(t.Context(), c.filter)
		f.must(err)
		same(t, "the runs", ids(got), c.want)
	}
}

func testSpan(t *testing.T, open opener) {
	f := newFixture(t, open)
	span := func(want history.Span) {
		t.Helper()
		got, err := f.Span(t.Context())
		f.must(err)
		same(t, "the span", got, want)
	}
	span(history.Span{Languages: []string{}})
	_, running := f.begin(language("running"))
	defer running.Abandon()
	f.run(nil, in("two"), language("z"))
	f.run(nil, in("one"), func(r *history.Run) { r.StartedAt = start.Add(-time.Hour) })
	f.run(nil, in("two"), kind(api.KindTriage))
	span(history.Span{Runs: 3, Sessions: 2, Since: start.Add(-time.Hour), Languages: []string{"l", "z"}})
}

func testFinished(t *testing.T, open opener) {
	f := newFixture(t, open)
	in := func(file, test string) history.Result {
		r := result(test, history.Passed)
		r.File = file
		return r
	}
	first := f.run(results(in("p/a.x", "A"), in("q/a.x", "B"), in("", "C")))
	other := f.run(results(in("p/a.x", "A"), in("a.x", "D")), language("other"))
	running, recorder := f.begin()
	last := f.run(results(in("p/moved.x", "A"), in("p/ba.x", "E")))
	var orders []int64
	for _, run := range []history.Run{first, other, running, last} {
		on, err := f.Run(t.Context(), run.ID)
		f.must(err)
		orders = append(orders, on.Order)
	}
	finished := func(want ...int64) {
		t.Helper()
		got, err := f.Finished(t.Context())
		f.must(err)
		same(t, "the finished runs", got, want)
	}
	finished(orders[0], orders[1], orders[3])
	running.State = api.StateFinished
	f.must(recorder.Finish(t.Context(), running))
	finished(orders...)
	f.must(f.Remove(t.Context(), []string{other.ID}, nil))
	finished(orders[0], orders[2], orders[3])

	for _, c := range []struct {
		orders []int64
		want   []history.SourceFile
	}{
		{nil, nil},
		{orders[:1], []history.SourceFile{{Language: "l", File: "p/moved.x"}, {Language: "l", File: "q/a.x"}}},
		{orders[1:3], nil}, // one is gone, and the other has none
		{[]int64{orders[0], orders[3]}, []history.SourceFile{{Language: "l", File: "p/ba.x"}, {Language: "l", File: "p/moved.x"}, {Language: "l", File: "q/a.x"}}},
	} {
		got, err := f.FilesOf(t.Context(), c.orders)
		f.must(err)
		same(t, fmt.Sprint("the files of ", c.orders), got, c.want)
	}
	elsewhere := in("r/b.x", "F")
	elsewhere.Suite = "r"
	both := f.run(results(in("p/moved.x", "A"), elsewhere, in("p/ba.x", "E")))
	r, s := api.ExpectedSuite{Suite: "r", File: "r/b.x"}, api.ExpectedSuite{Suite: "s", File: "p/moved.x"}
	for _, c := range []struct {
		run  string
		most int
		want []api.ExpectedSuite
	}{{both.ID, 10, []api.ExpectedSuite{r, s}}, {both.ID, 1, []api.ExpectedSuite{r}}, {last.ID, 10, []api.ExpectedSuite{s}}, {last.ID, 0, nil}} {
		got, err := f.SuitesOf(t.Context(), c.run, c.most)
		f.must(err)
		same(t, fmt.Sprintf("the suites of %s, at most %d", c.run, c.most), got, c.want)
	}
	for name, want := range map[string][]string{"a.x": {"a.x", "p/a.x", "q/a.x"}, "ba.x": {"p/ba.x"}, "p": nil, "": nil, "p/ba.x": nil} {
		got, err := f.FilesNamed(t.Context(), name)
		f.must(err)
		same(t, "the files named "+name, got, want)
	}
}

func testAbandon(t *testing.T, open opener) {
	f := newFixture(t, open)
	run, recorder := f.begin()
	recorder.Add(result("a", history.Passed))
	recorder.Abandon()
	recorder.Add(result("b", history.Passed)) // for nothing
	got, err := f.Run(t.Context(), run.ID)
	f.must(err)
	same(t, "its state", got.State, api.StateRunning)
	if err := recorder.Finish(t.Context(), run); err == nil {
		t.Fatal("an abandoned recorder finished its run")
	}
}

func testRemove(t *testing.T, open opener) {
	f := newFixture(t, open)
	f.run(results(result("a", history.Failed)))
	kept := f.run(results(result("a", history.Passed)))
	f.must(f.Remove(t.Context(), nil, nil))
	f.must(f.Remove(t.Context(), []string{"r1", "not on record", "r1"}, nil))
	runs, err := f.Runs(t.Context(), history.RunFilter{})
	f.must(err)
	same(t, "the runs", ids(runs), []string{kept.ID})
	same(t, "points", len(f.timeline("a", history.TimelineFilter{}).Points), 1)
	suspects, err := f.Suspects(t.Context(), history.SuspectFilter{})
	f.must(err)
	same(t, "suspects", names(suspects), nil)
	again := f.run(nil, func(r *history.Run) { r.ID = "r1" })
	got, err := f.Run(t.Context(), again.ID)
	f.must(err)
	if got.Order <= runs[0].Order {
		t.Fatal("the place of a removed run was used again")
	}
}

func testRemoveDictionary(t *testing.T, open opener) {
	f := newFixture(t, open)
	part := func(name string) history.Result {
		return history.Result{TestID: sdk.TestID{Suite: "s", Test: name}, Root: "a"}
	}
	first := f.run(results(result("a", history.Passed), part("a/gone"), part("a/here")), in("one"))
	f.run(results(part("a/here")), in("two"))
	f.must(f.Remove(t.Context(), []string{first.ID}, nil))
	tests, err := f.Tests(t.Context(), history.TestFilter{})
	f.must(err)
	same(t, "the dictionary", names(tests), []string{"a", "a/here"})
	same(t, "where it was seen first", tests[0].FirstRun, first.ID)
	same(t, "in which session", tests[0].FirstSession, "one")
	line := f.timeline("a", history.TimelineFilter{})
	if line == nil || len(line.Points) != 0 {
		t.Fatalf("a test without results: %v", line)
	}
}

// removable records runs that each have a bad test, a passing one, and subtests of their own
// with measures and failures, and returns the results by run.
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

// holds fails the test unless exactly these runs are on record with their results, and the
// suspects agree with them.
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
		suspects = append(suspects, told[id][2].Test)
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

func testRemoveSteps(t *testing.T, open opener) {
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
		// The next process records, and removes the rest.
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
			t.Fatal("it never ends")
		}
	}
}

func testRemoveEnded(t *testing.T, open opener) {
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

func testRemoveBeside(t *testing.T, open opener) {
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
