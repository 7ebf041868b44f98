package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

func testResultFields(t *testing.T, open opener) {
	f := newFixture(t, open)
	want := []history.Result{
		{
			TestID: sdk.TestID{Suite: "s", Test: "a"}, File: "s/a.x", Line: 3, Outcome: history.Failed, Derived: true,
			Duration: 1234567 * time.Nanosecond, Signature: "sig", Kind: "panic", Excerpt: "it broke",
			Measures: []history.Measure{{Name: "gas", Value: -5}, {Name: "size", Value: 1 << 60}},
		},
		{TestID: sdk.TestID{Suite: "s", Test: "a/b"}, Root: "a", Outcome: history.Unfinished},
		{TestID: sdk.TestID{Suite: "s", Test: "c"}, Outcome: history.Skipped},
		{TestID: sdk.TestID{Suite: "s", Test: "d"}, Outcome: history.NeverStarted},
		{TestID: sdk.TestID{Suite: "s", Test: "e"}, Outcome: history.Passed},
		{TestID: sdk.TestID{Suite: "s", Test: "e"}, Outcome: history.Failed, Kind: "race"},
		{TestID: sdk.TestID{Suite: "s", Test: "e"}, Outcome: history.Passed},
		{TestID: sdk.TestID{Suite: "t", Test: ""}, Outcome: history.Failed, Excerpt: "it did not build"},
	}
	shuffled := results(want[4], want[7], want[0], want[5], want[2], want[6], want[1], want[3])
	run := f.run(shuffled)
	same(t, "the results", f.results(run.ID), want)
	n := 0
	f.must(f.Results(t.Context(), run.ID, func(history.Result) bool { n++; return n < 3 }))
	same(t, "results until it was enough", n, 3)
}

func testNames(t *testing.T, open opener) {
	f := newFixture(t, open)
	odd := []string{
		"", "a|b", "f(uint256)", "a b", "a'b\"c`d", "ä/日本語/🎉", "%_*?[x]", "A", "a", "a ", "1", "1.0", "null",
		strings.Repeat("long", 5000), "new\nline", "back\\slash", "e\u0301", "\u00e9",
	}
	var all []history.Result
	for _, suite := range odd {
		for _, test := range odd {
			all = append(all, history.Result{TestID: sdk.TestID{Suite: suite, Test: test}, Outcome: history.Failed, Kind: suite, Excerpt: "e" + test[:min(len(test), 9)]})
		}
	}
	first, second := f.run(all), f.run(all)
	for _, run := range []string{first.ID, second.ID} {
		kinds := map[sdk.TestID]string{}
		for _, r := range f.results(run) {
			kinds[r.TestID] = r.Kind
		}
		same(t, "different tests", len(kinds), len(odd)*len(odd))
		for _, r := range all {
			same(t, "the result of it", kinds[r.TestID], r.Kind)
		}
	}
	for _, suite := range odd[:8] {
		n := 0
		var wanted []sdk.TestID
		for _, test := range odd {
			wanted = append(wanted, sdk.TestID{Suite: suite, Test: test})
		}
		f.must(f.Timeline(t.Context(), history.TimelineFilter{Language: "l", Tests: wanted}, func(l history.Timeline) bool {
			same(t, "whose timeline it is", l.TestKey.TestID, wanted[n])
			same(t, "its points", len(l.Points), 2)
			n++
			return true
		}))
		same(t, "timelines", n, len(wanted))
	}
}

func testReset(t *testing.T, open opener) {
	f := newFixture(t, open)
	run, recorder := f.begin()
	for i := range 1500 {
		recorder.Add(result(fmt.Sprint("gone", i), history.Failed))
	}
	f.must(recorder.Reset(t.Context()))
	recorder.Add(history.Result{TestID: sdk.TestID{Suite: "s", Test: "a"}, Measures: []history.Measure{{Name: "m", Value: 1}}})
	f.must(recorder.Reset(t.Context()))
	recorder.Add(result("a", history.Passed))
	run.State = api.StateFinished
	f.must(recorder.Finish(t.Context(), run))
	same(t, "what was told since", f.results(run.ID), results(result("a", history.Passed)))
	suspects, err := f.Suspects(t.Context(), history.SuspectFilter{})
	f.must(err)
	same(t, "suspects", names(suspects), nil)
}

func testDictionary(t *testing.T, open opener) {
	f := newFixture(t, open)
	at := func(file string, line int) []history.Result {
		return results(history.Result{TestID: sdk.TestID{Suite: "s", Test: "a"}, File: file, Line: line})
	}
	first := f.run(at("", 0), in("one"))
	f.run(at("a.x", 3), in("two"))
	f.run(at("b.x", 4), in("three"))
	f.run(at("", 0), in("three"))
	want := history.Test{
		TestKey: history.TestKey{Language: "l", TestID: sdk.TestID{Suite: "s", Test: "a"}}, File: "b.x", Line: 4,
		FirstRun: first.ID, FirstSession: "one", FirstAt: first.StartedAt,
	}
	tests, err := f.Tests(t.Context(), history.TestFilter{})
	f.must(err)
	same(t, "the test", tests, []history.Test{want})
	same(t, "the timeline's test", f.timeline("a", history.TimelineFilter{}).Test, want)
}

func testFiles(t *testing.T, open opener) {
	f := newFixture(t, open)
	at := func(file, test string, o history.Outcome) history.Result {
		r := result(test, o)
		r.File = file
		return r
	}
	f.run(results(at("a.x", "old", history.Passed)), in("before"))
	run := f.run(results(
		at("a.x", "old", history.Failed), at("a.x", "old", history.Passed), at("a.x", "two", history.Unfinished),
		at("a.x", "three", history.Passed), at("b.x", "four", history.Skipped), at("b.x", "five", history.NeverStarted),
		at("", "six", history.Failed)), in("now"))
	files, err := f.Files(t.Context(), run.ID)
	f.must(err)
	same(t, "the files", files, []history.FileCount{
		{File: "a.x", Passed: 1, Bad: 2, New: 2},
		{File: "b.x", Skipped: 1, Else: 1, New: 2},
	})
}

func testCompare(t *testing.T, open opener) {
	f := newFixture(t, open)
	took := func(r history.Result, d time.Duration) history.Result {
		r.Duration = d
		return r
	}
	before := f.run(results(
		took(result("same", history.Failed), 1), took(result("fixed", history.Failed), 2), took(result("gone", history.Passed), 3),
		took(result("several", history.Passed), 4), took(result("several", history.Failed), 5), took(result("skipped", history.Passed), 6)))
	now := f.run(results(
		took(result("same", history.Failed), 7), took(result("fixed", history.Passed), 8), took(result("new", history.Failed), 9),
		took(result("several", history.Failed), 10), took(result("skipped", history.Skipped), 11)))
	var got []string
	f.must(f.Compare(t.Context(), before.ID, now.ID, func(c history.Change) bool {
		got = append(got, fmt.Sprint(c.TestKey.Test, " ", c.InBefore, c.Before, c.DurationBefore, " ", c.InNow, c.Now, c.DurationNow))
		return true
	}))
	same(t, "the changes", got, []string{
		"fixed true 1 2ns true 0 8ns", "gone true 0 3ns false 0 0s", "new false 0 0s true 1 9ns", "skipped true 0 6ns true 2 11ns",
	})
}
