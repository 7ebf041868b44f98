package history_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

func testFindTests(t *testing.T, open opener) {
	f := newFixture(t, open)
	var all []history.Result
	for _, n := range []sdk.TestID{
		{Suite: "example.com/shop/cart", Test: "TestAdd"}, {Suite: "example.com/shop/cart", Test: "TestAdd/empty"},
		{Suite: "example.com/shop/cart", Test: ""}, {Suite: "cart", Test: "TestAdd"}, {Suite: "xcart", Test: "TestSub"},
	} {
		all = append(all, history.Result{TestID: n, File: n.Suite + "/add_test.x"})
	}
	f.run(all)
	const cart, short = "example.com/shop/cart", "cart"
	for _, c := range []struct {
		filter history.TestFilter
		want   []string
	}{
		{history.TestFilter{Name: "TestAdd"}, []string{short + "|TestAdd", cart + "|TestAdd"}},
		{history.TestFilter{Name: "empty"}, []string{cart + "|TestAdd/empty"}},
		{history.TestFilter{Name: "TestAdd/empty"}, []string{cart + "|TestAdd/empty"}},
		{history.TestFilter{Name: "cart/TestAdd"}, []string{short + "|TestAdd", cart + "|TestAdd"}},
		{history.TestFilter{Name: "cart TestAdd"}, []string{short + "|TestAdd", cart + "|TestAdd"}},
		{history.TestFilter{Name: cart + "/TestAdd"}, []string{cart + "|TestAdd"}},
		{history.TestFilter{Name: cart}, []string{cart + "|", cart + "|TestAdd", cart + "|TestAdd/empty"}},
		{history.TestFilter{Name: "cart"}, []string{short + "|TestAdd", cart + "|", cart + "|TestAdd", cart + "|TestAdd/empty"}},
		{history.TestFilter{Name: "Add"}, nil},
		{history.TestFilter{Name: "TestAd_"}, nil},
		{history.TestFilter{Name: "testadd"}, nil},
		{history.TestFilter{File: "cart/add_test.x", Limit: 2}, []string{short + "|TestAdd", cart + "|"}},
		{history.TestFilter{File: "art/add_test.x"}, nil},
		{history.TestFilter{Of: "cart/add_test.x"}, []string{short + "|TestAdd"}},
		{history.TestFilter{Of: "art/add_test.x"}, nil},
		{history.TestFilter{Language: "other"}, nil},
	} {
		found, err := f.Tests(t.Context(), c.filter)
		f.must(err)
		var got []string
		for _, test := range found {
			got = append(got, test.Suite+"|"+test.TestKey.Test)
		}
		same(t, fmt.Sprintf("the tests of %+v", c.filter), got, c.want)
	}
}

func testTestsOwnToASession(t *testing.T, open opener) {
	f := newFixture(t, open)
	passed := func(names ...string) (all []history.Result) {
		for _, name := range names {
			r := result(name, history.Passed)
			r.File = "f.x"
			all = append(all, r)
		}
		return all
	}
	f.run(passed("old"), in("theirs"))
	f.run(passed("new", "shared"), in("ours"))
	theirs, err := f.Run(t.Context(), f.run(passed("shared"), in("theirs")).ID)
	f.must(err)
	f.run(passed("old", "new", "shared", "newest"), in("ours"))
	for _, c := range []struct {
		until int64
		want  []string
	}{
		{theirs.Order, []string{"new", "old", "shared"}},
		{theirs.Order - 1, []string{"new", "old", "shared"}},
		{theirs.Order - 2, []string{"old"}},
		{0, []string{"old"}},
	} {
		tests, err := f.Tests(t.Context(), history.TestFilter{Of: "f.x", OwnTo: "ours", Until: c.until})
		f.must(err)
		var got []string
		for _, test := range tests {
			got = append(got, test.TestKey.Test)
		}
		same(t, fmt.Sprintf("what is not only ours up to %d", c.until), got, c.want)
	}
}

func testSuites(t *testing.T, open opener) {
	f := newFixture(t, open)
	f.run([]history.Result{
		{TestID: sdk.TestID{Suite: "a", Test: "1"}, File: "dir/a.x"}, {TestID: sdk.TestID{Suite: "a", Test: "2"}, File: "dir/a.x"},
		{TestID: sdk.TestID{Suite: "b", Test: "1"}, File: "dir/b.x"}, {TestID: sdk.TestID{Suite: "deep", Test: "1"}, File: "dir/in/c.x"},
		{TestID: sdk.TestID{Suite: "top", Test: "1"}, File: "top.x"}, {TestID: sdk.TestID{Suite: "near", Test: "1"}, File: "dir2/n.x"},
		{TestID: sdk.TestID{Suite: "none", Test: "1"}},
	})
	for file, want := range map[string][]string{
		"dir/a.x": {"a"}, "dir/other.x": {"a", "b"}, "dir/in/other.x": {"deep"}, "other.x": {"top"}, "nowhere/x": nil,
		"dir": {"top"}, "dir%/x": nil,
	} {
		got, err := f.Suites(t.Context(), "l", file)
		f.must(err)
		same(t, "the suites of "+file, got, want)
	}
	got, err := f.Suites(t.Context(), "other", "dir/a.x")
	f.must(err)
	same(t, "the suites of another language", got, nil)
}

func testAmong(t *testing.T, open opener) {
	f := newFixture(t, open)
	f.run(results(result("old", history.Failed), result("seldom", history.Failed)))
	f.run(results(result("old", history.Passed), result("late", history.Failed)))
	f.run(results(result("old", history.Skipped)), kind(api.KindTriage))
	unfinished, recorder := f.begin()
	for range 3000 { // some are written while it runs
		recorder.Add(result("late", history.Passed))
	}
	f.written(unfinished.ID)
	defer recorder.Abandon()
	for among, want := range map[int][]string{
		0: {"late", "old", "seldom"}, 1: {"late", "seldom"}, 2: {"late", "seldom"}, 3: {"late", "old", "seldom"},
	} {
		suspects, err := f.Suspects(t.Context(), history.SuspectFilter{Language: "l", Among: among})
		f.must(err)
		var names []string
		for _, s := range suspects {
			names = append(names, s.TestKey.Test)
		}
		same(t, fmt.Sprintf("the suspects of the latest %d results", among), names, want)
	}
}

func testSuspects(t *testing.T, open opener) {
	f := newFixture(t, open)
	derived := result("parent", history.Failed)
	derived.Derived = true
	f.run(results(result("once", history.Failed), result("twice", history.Failed), derived), in("one"))
	f.run(results(result("twice", history.Unfinished), result("fine", history.Passed)), in("two"))
	f.run(results(result("twice", history.Passed), result("skipped", history.Skipped)), in("three"))
	f.run(results(result("triaged", history.Failed)), in("four"), kind(api.KindTriage))
	f.run(results(result("foreign", history.Failed)), in("four"), language("other"))
	run, recorder := f.begin()
	recorder.Add(result("running", history.Failed))
	f.written(run.ID)
	recorder.Abandon()
	third, err := f.Run(t.Context(), "r3")
	f.must(err)
	for _, c := range []struct {
		filter history.SuspectFilter
		want   []string
	}{
		{history.SuspectFilter{Language: "l"}, []string{"twice", "once"}},
		{history.SuspectFilter{}, []string{"foreign", "twice", "once"}},
		{history.SuspectFilter{Limit: 1}, []string{"foreign"}},
		{history.SuspectFilter{Limit: 3, First: 2}, []string{"foreign", "twice"}},
		{history.SuspectFilter{Sessions: 2}, []string{"twice"}},
		{history.SuspectFilter{Of: []int64{third.Order}}, []string{"twice"}},
		{history.SuspectFilter{Of: []int64{third.Order - 1, third.Order - 2}}, []string{"twice", "once"}},
		{history.SuspectFilter{Of: []int64{third.Order + 1000}}, nil},
		{history.SuspectFilter{Sessions: 3}, nil},
		{history.SuspectFilter{Language: "l", Runs: 2}, []string{"twice"}},
		{history.SuspectFilter{Language: "l", Runs: 1}, nil},
	} {
		got, err := f.Suspects(t.Context(), c.filter)
		f.must(err)
		same(t, fmt.Sprintf("the suspects of %+v", c.filter), names(got), c.want)
	}
}

func testBoth(t *testing.T, open opener) {
	f := newFixture(t, open)
	mixed := func(r *history.Run) { r.MixedState = true }
	env := func(r *history.Run) { r.Environment = "other" }
	pair := func(name string, failed, passed []option) {
		f.run(results(result(name, history.Failed)), failed...)
		f.run(results(result(name, history.Passed)), passed...)
	}
	pair("flaky", []option{on("f")}, []option{on("f")})
	pair("edited", []option{on("f")}, []option{on("g")})
	pair("unknown", nil, nil)
	pair("mixed", []option{on("f"), mixed}, []option{on("f")})
	pair("mixed too", []option{on("f")}, []option{on("f"), mixed})
	pair("environment", []option{on("f")}, []option{on("f"), env})
	pair("triage", []option{on("f")}, []option{on("f"), kind(api.KindTriage)})
	f.run(results(result("triaged", history.Passed)), on("f"), kind(api.KindTriage))
	f.run(results(result("triaged", history.Failed)), on("f"))
	for range 2 {
		f.run(results(result("within", history.Passed), result("within", history.Failed)), on("h"))
	}
	f.run(results(result("red", history.Failed)), on("h"))
	got, err := f.Suspects(t.Context(), history.SuspectFilter{Both: true})
	f.must(err)
	same(t, "those that did both", names(got), []string{"within", "flaky"})
}

func testTimeline(t *testing.T, open opener) {
	f := newFixture(t, open)
	bad := history.Result{
		TestID: sdk.TestID{Suite: "s", Test: "a"}, Outcome: history.Failed, Derived: true, Duration: 5, Signature: "sig", Kind: "k", Excerpt: "e",
	}
	first := f.run(results(bad, result("a", history.Passed)), in("one"), on("f"), kind(api.KindTriage), func(r *history.Run) {
		r.MixedState, r.Environment, r.Seed = true, "e", "9"
	})
	running, recorder := f.begin() // r2
	recorder.Add(result("a", history.Failed))
	f.written(running.ID)
	defer recorder.Abandon()
	for range 3 {
		f.run(results(result("a", history.Skipped)), in("two")) // r3 to r5
	}
	line := f.timeline("a", history.TimelineFilter{})
	same(t, "points", len(line.Points), 5)
	same(t, "cut", line.Cut, false)
	want := history.Point{
		RunID: first.ID, SessionID: "one", Order: line.Points[0].Order, At: first.StartedAt, Outcome: history.Failed, Derived: true,
		Duration: 5, Fingerprint: "f", MixedState: true, Environment: "e", Seed: "9", Signature: "sig", Kind: "k", Excerpt: "e",
		RunKind: api.KindTriage,
	}
	same(t, "the first point", line.Points[0], want)
	want.Outcome, want.Derived, want.Duration, want.Signature, want.Kind, want.Excerpt = history.Passed, false, 0, "", "", ""
	same(t, "the second point", line.Points[1], want)
	for _, c := range []struct {
		filter history.TimelineFilter
		want   []string
		cut    bool
	}{
		{history.TimelineFilter{Points: 5}, []string{"r1", "r1", "r3", "r4", "r5"}, false},
		{history.TimelineFilter{Points: 2}, []string{"r4", "r5"}, true},
		{history.TimelineFilter{Before: line.Points[3].Order}, []string{"r1", "r1", "r3"}, false},
		{history.TimelineFilter{Before: line.Points[3].Order, Points: 1}, []string{"r3"}, true},
	} {
		got := f.timeline("a", c.filter)
		var runs []string
		for _, p := range got.Points {
			runs = append(runs, p.RunID)
		}
		same(t, "the points", runs, c.want)
		same(t, "cut", got.Cut, c.cut)
	}
	if f.timeline("never seen", history.TimelineFilter{}) != nil {
		t.Fatal("a test that was never seen has a timeline")
	}
}

// However long a session goes on, it hides neither earlier ones nor the last pass.
func testEnds(t *testing.T, open opener) {
	f := newFixture(t, open)
	f.run(results(result("a", history.Passed)), in("one"))     // r1
	f.run(results(result("a", history.Failed)), in("one"))     // r2
	f.run(results(result("a", history.Unfinished)), in("two")) // r3
	f.run(results(result("a", history.Skipped)), in("two"))    // r4
	f.run(results(result("a", history.Passed)), in("odd"), kind(api.KindTriage))
	for range 4 {
		f.run(results(result("a", history.Failed)), in("three")) // r6 to r9
	}
	for _, c := range []struct {
		filter history.TimelineFilter
		want   []string
	}{
		{history.TimelineFilter{Points: 2, Ends: true}, []string{"r1", "r2", "r3", "r7", "r8", "r9"}},
		{history.TimelineFilter{Points: 4, Ends: true}, []string{"r1", "r2", "r3", "r6", "r7", "r8", "r9"}},
		{history.TimelineFilter{Points: 100, Ends: true}, []string{"r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9"}},
		{history.TimelineFilter{Points: 2}, []string{"r8", "r9"}},
	} {
		var runs []string
		for _, p := range f.timeline("a", c.filter).Points {
			runs = append(runs, p.RunID)
		}
		same(t, "the points", runs, c.want)
	}
	twice := history.TimelineFilter{Language: "l", Tests: []sdk.TestID{{Suite: "s", Test: "a"}, {Suite: "s", Test: "a"}}, Points: 2, Ends: true}
	f.must(f.Timeline(t.Context(), twice, func(on history.Timeline) bool {
		same(t, "how many points there are of each of two that are the same", len(on.Points), 6)
		return true
	}))
}

func testDurations(t *testing.T, open opener) {
	f := newFixture(t, open)
	took := func(test string, o history.Outcome, d time.Duration) history.Result {
		r := result(test, o)
		r.Duration = d
		return r
	}
	f.run(results(took("a", history.Passed, time.Hour)))
	f.run(results(took("a", history.Passed, 100), took("b", history.Passed, 10), took("a", history.Passed, 40)))
	f.run(results(took("a", history.Passed, 70), took("b", history.Failed, 1000), took("c", history.Skipped, 5)))
	f.run(results(took("a", history.Passed, time.Hour)), kind(api.KindTriage))
	f.run(results(took("a", history.Passed, time.Hour)), language("other"))
	got, total, err := f.Durations(t.Context(), history.DurationFilter{Language: "l", Runs: 2})
	f.must(err)
	var lines []string
	for _, d := range got {
		lines = append(lines, fmt.Sprint(d.TestKey.Test, " ", d.Mean, d.Last, d.Runs))
	}
	same(t, "the durations", lines, []string{"a 70ns 70ns 2", "b 10ns 10ns 1"})
	same(t, "of how many", total, 2)
	got, total, err = f.Durations(t.Context(), history.DurationFilter{Language: "l", Limit: 1})
	f.must(err)
	same(t, "the slowest", len(got), 1)
	same(t, "of how many, with a limit", total, 2)
	same(t, "in how many runs", got[0].Runs, 3)
}

func testMeasures(t *testing.T, open opener) {
	f := newFixture(t, open)
	gas := func(test string, v int64) history.Result {
		r := result(test, history.Passed)
		r.Measures = []history.Measure{{Name: "gas", Value: v}, {Name: "size", Value: 1}}
		return r
	}
	f.run(results(gas("a", 1), gas("b", 2)))
	last := f.run(results(gas("b", 4), gas("a", 3), result("c", history.Passed)))
	f.run(results(gas("a", 9)), kind(api.KindTriage))
	read := func(filter history.MeasureFilter) (lines []string) {
		f.must(f.Measures(t.Context(), filter, func(m history.MeasurePoint) bool {
			lines = append(lines, fmt.Sprint(m.RunID, m.Language, m.TestKey.Test, m.Value))
			return true
		}))
		return lines
	}
	same(t, "all", read(history.MeasureFilter{Language: "l", Name: "gas"}), []string{"r2la3", "r2lb4", "r1la1", "r1lb2"})
	b := []sdk.TestID{{Suite: "s", Test: "b"}, {Suite: "s", Test: "c"}}
	same(t, "of one", read(history.MeasureFilter{Name: "gas", Tests: b}), []string{"r2lb4", "r1lb2"})
	same(t, "of the last run", read(history.MeasureFilter{Name: "gas", Runs: 1}), []string{"r2la3", "r2lb4"})
	same(t, "another", read(history.MeasureFilter{Name: "none"}), nil)
	f.must(f.Measures(t.Context(), history.MeasureFilter{Name: "gas", Runs: 1}, func(m history.MeasurePoint) bool {
		same(t, "when", m.At, last.StartedAt)
		return false
	}))
}
