package history_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func testWorkspaces(t *testing.T, open opener) {
	dir := t.TempDir()
	one := &fixture{t: t, Store: openStore(t, open, dir, "/one")}
	two := &fixture{t: t, Store: openStore(t, open, dir, "/two")}
	one.run(results(result("a", history.Failed)))
	one.must(one.Defer(t.Context(), history.Deferral{TestKey: history.TestKey{Language: "l"}}))
	one.must(one.Put(t.Context(), "k", []byte("v")))
	one.must(one.PutEntries(t.Context(), []api.Entry{{File: "f", SessionID: "s", Timestamp: start}}, 1))
	_, err := one.UpdateOutstanding(t.Context(), "l", func(s outstanding.Set, _, _ bool) outstanding.Set { return s })
	one.must(err)

	runs, err := two.Runs(t.Context(), history.RunFilter{})
	two.must(err)
	same(t, "the runs of the other", ids(runs), nil)
	tests, err := two.Tests(t.Context(), history.TestFilter{})
	two.must(err)
	same(t, "the tests of the other", names(tests), nil)
	deferrals, err := two.Deferrals(t.Context())
	two.must(err)
	same(t, "the deferrals of the other", len(deferrals), 0)
	_, ok, err := two.Get(t.Context(), "k")
	two.must(err)
	_, known, lost, err := two.Outstanding(t.Context(), "l")
	two.must(err)
	same(t, "anything is known to the other", ok || known || lost, false)
	two.must(two.PutEntries(t.Context(), []api.Entry{{File: "g", SessionID: "s", Timestamp: start}}, 1))
	suspects, err := two.Suspects(t.Context(), history.SuspectFilter{})
	two.must(err)
	same(t, "the suspects of the other", names(suspects), nil)

	second := two.run(results(result("a", history.Passed))) // with the same id
	same(t, "the points of the other", len(two.timeline("a", history.TimelineFilter{}).Points), 1)
	two.must(two.DropAnswers(t.Context(), "", time.Now().Add(time.Hour)))
	two.must(two.Remove(t.Context(), []string{second.ID}, nil))
	same(t, "the results of the first", len(one.results("r1")), 1)
	_, ok, err = one.Get(t.Context(), "k")
	one.must(err)
	same(t, "the answer of the first is there", ok, true)
	entries, err := one.Entries(t.Context())
	one.must(err)
	same(t, "the entries of the first", len(entries), 1)
}

func testReopen(t *testing.T, open opener) {
	dir := t.TempDir()
	first := &fixture{t: t, Store: openStore(t, open, dir, "/one")}
	first.run(results(result("a", history.Failed)))
	_, recorder := first.begin()
	recorder.Add(result("b", history.Failed))
	first.must(first.Close())
	if err := recorder.Finish(t.Context(), history.Run{}); err == nil {
		t.Fatal("a run was finished in a closed store")
	}
	again := &fixture{t: t, Store: openStore(t, open, dir, "/one")}
	runs, err := again.Runs(t.Context(), history.RunFilter{})
	again.must(err)
	same(t, "the runs", ids(runs), []string{"r2", "r1"})
	same(t, "the state of what was not finished", runs[0].State, api.StateRunning)
	same(t, "the results", again.results("r1"), results(result("a", history.Failed)))
}

func testConcurrent(t *testing.T, open opener) {
	f := newFixture(t, open)
	const runs, tests = 8, 700
	var wg sync.WaitGroup
	for n := range runs {
		wg.Go(func() {
			run := history.Run{ID: fmt.Sprint("run", n), SessionID: "s", Language: "l", StartedAt: start}
			recorder, err := f.Begin(t.Context(), run)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range tests {
				recorder.Add(result(fmt.Sprint("shared", i), history.Failed))
				recorder.Add(result(fmt.Sprint("own", n, " ", i), history.Passed))
			}
			run.State = api.StateFinished
			if err := recorder.Finish(t.Context(), run); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for n := range runs {
		same(t, "results", len(f.results(fmt.Sprint("run", n))), 2*tests)
	}
	same(t, "points", len(f.timeline("shared3", history.TimelineFilter{}).Points), runs)
	all, err := f.Tests(t.Context(), history.TestFilter{})
	f.must(err)
	same(t, "tests", len(all), tests+runs*tests)
}

func testNested(t *testing.T, open opener) {
	f := newFixture(t, open)
	var all []history.Result
	for i := range 30 {
		all = append(all, result(fmt.Sprint(i), history.Failed))
	}
	run := f.run(all)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			err := f.Results(t.Context(), run.ID, func(r history.Result) bool {
				filter := history.TimelineFilter{Language: "l", Tests: []sdk.TestID{r.TestID}}
				if err := f.Timeline(t.Context(), filter, func(history.Timeline) bool { return true }); err != nil {
					t.Error(err)
				}
				return true
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
