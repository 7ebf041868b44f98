package historytest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

func testRunReference(t *testing.T, open Opener) {
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

func testExists(t *testing.T, open Opener) {
	f := newFixture(t, open)
	run := f.run(results(result("a", history.Failed)))
	var exists *history.ExistsError
	if _, err := f.Begin(t.Context(), run); !errors.As(err, &exists) || exists.RunID != run.ID {
		t.Fatal(err)
	}
	same(t, "results", len(f.results(run.ID)), 1)
	var none *history.NoRunError
	if err := f.Amend(t.Context(), history.Run{ID: "x"}); !errors.As(err, &none) {
		t.Fatalf("amending a run that there is not: %v", err)
	}
	if err := f.Results(t.Context(), "x", nil); !errors.As(err, &none) {
		t.Fatalf("the results of a run that there is not: %v", err)
	}
	if _, err := f.Files(t.Context(), "x"); !errors.As(err, &none) {
		t.Fatalf("the files of a run that there is not: %v", err)
	}
	if err := f.Compare(t.Context(), run.ID, "x", nil); !errors.As(err, &none) {
		t.Fatalf("comparing with a run that there is not: %v", err)
	}
}

func testRunFields(t *testing.T, open Opener) {
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

func testRunFilter(t *testing.T, open Opener) {
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
		{history.RunFilter{Language: "other"}, []string{"r3"}},
		{history.RunFilter{SessionID: "one"}, []string{"r2", "r1"}},
		{history.RunFilter{NotSession: "one", Limit: 2}, []string{"r6", "r5"}},
		{history.RunFilter{Kinds: []api.Kind{api.KindRerun, api.KindTriage}}, []string{"r4", "r2"}},
		{history.RunFilter{State: api.StateRunning}, []string{"r6"}},
		{history.RunFilter{Before: all[3].Order}, []string{"r2", "r1"}},
		{history.RunFilter{Whole: true}, []string{"r5", "r1"}},
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

func testFinished(t *testing.T, open Opener) {
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
	for name, want := range map[string][]string{"a.x": {"a.x", "p/a.x", "q/a.x"}, "ba.x": {"p/ba.x"}, "p": nil, "": nil, "p/ba.x": nil} {
		got, err := f.FilesNamed(t.Context(), name)
		f.must(err)
		same(t, "the files named "+name, got, want)
	}
}

func testAbandon(t *testing.T, open Opener) {
	f := newFixture(t, open)
	run, recorder := f.begin()
	recorder.Add(result("a", history.Passed))
	recorder.Abandon()
	recorder.Add(result("b", history.Passed)) // for nothing
	got, err := f.Run(t.Context(), run.ID)
	f.must(err)
	same(t, "its state", got.State, api.StateRunning)
	if err := recorder.Finish(t.Context(), run); err == nil {
		t.Fatal("a recorder that was given up finished its run")
	}
}

func testRemove(t *testing.T, open Opener) {
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

func testRemoveDictionary(t *testing.T, open Opener) {
	f := newFixture(t, open)
	part := func(name string) history.Result {
		return history.Result{Test: api.Test{Suite: "s", Test: name}, Root: "a"}
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
