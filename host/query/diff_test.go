package query

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/ledger/ledgertest"
)

// suite is a result of the suite itself, which there is where it did not build.
func suite(outcome history.Outcome) history.Result { return historytest.Did("", "", outcome) }

func derived(test string) history.Result {
	r := historytest.Failed("a_test.x", test)
	r.Derived = true
	return r
}

// otherwise is a failure with another cause.
func otherwise(test string) history.Result {
	r := historytest.Failed("a_test.x", test)
	r.Signature, r.Excerpt = "fedcba9876543210", "no such file"
	return r
}

// sections says what a comparison found: "new failures: A; fixed: B".
func sections(d api.RunDiff) string {
	var parts []string
	for _, s := range []struct {
		title string
		tests []api.DiffedTest
	}{
		{"new failures", d.NewFailures}, {"failing, not run before", d.FailingNotRun}, {"fixed", d.Fixed}, {"passed and flaky", d.PassedFlaky}, {"passed otherwise", d.PassedOtherwise}, {"still failing", d.StillFailing},
		{"vanished", d.Vanished}, {"newly skipped", d.NewlySkipped}, {"new", d.New},
	} {
		var names []string
		for _, t := range s.tests {
			name := t.Test
			if name == "" {
				name = "(suite)"
			}
			if t.Likeness != api.LikenessUnknown && t.Likeness != api.SameFailureAgain {
				name += " otherwise"
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			parts = append(parts, s.title+": "+strings.Join(names, " "))
		}
	}
	for _, s := range d.Slower {
		parts = append(parts, "slower: "+s.Test)
	}
	for _, count := range []struct {
		title string
		n     int
	}{{"not run", d.Counts.NotRun}, {"not run before", d.Counts.NotRunBefore}} {
		if count.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", count.title, count.n))
		}
	}
	return strings.Join(parts, "; ")
}

func TestWhatEndedOtherwise(t *testing.T) {
	const f = "a_test.x"
	whole, filtered := history.Run{Whole: true}, history.Run{}
	broken := history.Run{Whole: true, Counts: api.Counts{BuildFailed: 1}}
	for _, tc := range []struct {
		name               string
		beforeRun, nowRun  history.Run
		before, now        []history.Result
		want, says, remark string
	}{
		{name: "a failure is new, or was there before, or is another one",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Failed(f, "B"), historytest.Failed(f, "C"), historytest.Failed(f, "D")},
			now:    []history.Result{historytest.Failed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C"), otherwise("D")},
			want:   "new failures: A; fixed: B; still failing: C D otherwise",
			says:   "tests: 1 newly failing, 1 fixed, 2 still failing (1 in another way)"},
		{name: "in whole runs tests vanish and are new",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C")},
			now:    []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "D"), historytest.Failed(f, "E")},
			want:   "new failures: E; vanished: B C; new: D"},
		{name: "what a filtered run leaves out did not vanish",
			beforeRun: whole, nowRun: filtered,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C")},
			now:    []history.Result{historytest.Passed(f, "A")},
			want:   "not run: 2", says: "no difference; tests: 1 as before, 2 not run now", remark: "was not one of everything"},
		{name: "what a filtered run left out is not new",
			beforeRun: filtered, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A")},
			now:    []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C")},
			want:   "failing, not run before: C; not run before: 1"},
		{name: "tests of a suite that does not build did not vanish",
			beforeRun: whole, nowRun: broken,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Failed(f, "B")},
			now:    []history.Result{suite(history.Failed)},
			want:   "new failures: (suite); not run: 2", remark: "did not build"},
		{name: "tests of a suite that builds again are not new",
			beforeRun: broken, nowRun: whole,
			before: []history.Result{suite(history.Failed)},
			now:    []history.Result{historytest.Passed(f, "A"), suite(history.Passed)},
			want:   "fixed: (suite); not run before: 1"},
		{name: "a suite that builds again and says nothing of itself is fixed",
			beforeRun: broken, nowRun: whole,
			before: []history.Result{suite(history.Failed)},
			now:    []history.Result{historytest.Passed(f, "A")},
			want:   "fixed: (suite); not run before: 1"},
		{name: "a test that is skipped proves nothing any more",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Failed(f, "B"), historytest.Did(f, "C", history.Skipped)},
			now:    []history.Result{historytest.Did(f, "A", history.Skipped), historytest.Did(f, "B", history.Skipped), historytest.Did(f, "C", history.Skipped)},
			want:   "newly skipped: A B"},
		{name: "a test that never started was not run",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A")},
			now:    []history.Result{historytest.Did(f, "A", history.NeverStarted)},
			want:   "not run: 1", says: "nothing could be compared: no test ran in both; tests: 1 not run now"},
		{name: "a parent that failed only because of a test inside it is not named",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Part("A", "A/x", history.Passed), derived("B"), historytest.Part("B", "B/x", history.Failed)},
			now:    []history.Result{derived("A"), historytest.Part("A", "A/x", history.Failed), historytest.Passed(f, "B"), historytest.Part("B", "B/x", history.Passed)},
			want:   "new failures: A/x; fixed: B/x"},
		{name: "the parts of a test that vanished or is new are not named beside it",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Part("A", "A/x", history.Passed), historytest.Passed(f, "C"), historytest.Part("C", "C/x", history.Passed)},
			now:    []history.Result{historytest.Passed(f, "B"), historytest.Part("B", "B/x", history.Passed), historytest.Passed(f, "C"), historytest.Part("C", "C/y", history.Passed)},
			want:   "vanished: A C/x; new: B C/y"},
		{name: "parts that a failure kept from running did not vanish",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Part("A", "A/x", history.Passed)},
			now:    []history.Result{historytest.Failed(f, "A")},
			want:   "new failures: A; not run: 1"},
		{name: "of several results the worst counts",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Failed(f, "A"), historytest.Passed(f, "A")},
			now:    []history.Result{historytest.Failed(f, "A"), historytest.Passed(f, "A")},
			want:   "still failing: A"},
		{name: "a test that did not finish is a failure",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Did(f, "B", history.Unfinished)},
			now:    []history.Result{historytest.Did(f, "A", history.Unfinished), historytest.Passed(f, "B")},
			want:   "new failures: A; fixed: B"},
		{name: "in another environment nothing vanishes",
			beforeRun: whole, nowRun: history.Run{Whole: true, Environment: "tags"},
			before: []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B")},
			now:    []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "C")},
			want:   "not run: 1; not run before: 1", remark: "differ in their arguments"},
		{name: "runs without a test in common show no sameness",
			before: []history.Result{historytest.Passed(f, "A")}, now: []history.Result{historytest.Passed(f, "B")},
			want: "not run: 1; not run before: 1", says: "nothing could be compared: no test ran in both; tests: 1 not run now"},
		{name: "names are compared and never taken apart",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A|B"), historytest.Passed(f, "A (x)/é"), historytest.Passed(f, "A")},
			now:    []history.Result{historytest.Failed(f, "A|B"), historytest.Failed(f, "A (x)/é"), historytest.Passed(f, "A")},
			want:   "new failures: A (x)/é A|B"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := ledgertest.New(t)
			tc.beforeRun.SessionID, tc.nowRun.SessionID = "now", "now"
			p.RunAs(tc.beforeRun, tc.before...)
			p.RunAs(tc.nowRun, tc.now...)
			d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
			if err != nil {
				t.Fatal(err)
			}
			if got := sections(d); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if !strings.HasPrefix(d.Message, tc.says) {
				t.Errorf("it says %q, want %q", d.Message, tc.says)
			}
			if !strings.Contains(strings.Join(d.Notes, "\n"), tc.remark) {
				t.Errorf("%q is missing in %q", tc.remark, d.Notes)
			}
		})
	}
}

func TestWhichRunsAreCompared(t *testing.T) {
	p := ledgertest.New(t)
	compare := func(before, now string) string {
		t.Helper()
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: before, Now: now})
		var usage *api.UsageError
		if errors.As(err, &usage) {
			return usage.Reason
		}
		if err != nil {
			t.Fatal(err)
		}
		text := d.Before.RunID + " " + d.Now.RunID
		if len(d.Notes) > 0 && strings.Contains(d.Notes[0], "this session has no two") {
			text += " of the workspace"
		}
		return text
	}
	ok := historytest.Passed("a", "A")
	p.RunAs(history.Run{ID: "aaaa000001", SessionID: "other", Whole: true}, ok)
	if got := compare("", ""); got != "no two finished x runs are on record to compare" {
		t.Error(got)
	}
	p.RunAs(history.Run{ID: "bbbb000002", SessionID: "other", Whole: true}, ok)
	if got := compare("", ""); got != "aaaa000001 bbbb000002 of the workspace" {
		t.Error(got)
	}
	p.RunAs(history.Run{ID: "cccc000003", SessionID: "now", Whole: true}, ok)
	p.RunAs(history.Run{ID: "cccc111114", SessionID: "now", Whole: true, Language: "y"}, ok)
	p.RunAs(history.Run{ID: "dddd000005", SessionID: "now", Kind: api.KindTriage}, ok)
	for args, want := range map[string]string{
		" ":          "no two finished y runs are on record to compare",
		"cccc0 ":     "bbbb000002 cccc000003",
		"aaaa ":      "aaaa000001 cccc000003",
		"aaaa bbbb":  "aaaa000001 bbbb000002",
		" cccc0":     "bbbb000002 cccc000003",
		" aaaa":      "run aaaa000001 is the first x run on record",
		" zzzz":      `no run "zzzz" is on record in this workspace`,
		"bbbb aaaa":  "bbbb000002 aaaa000001",
		"aaaa aaaa":  "run aaaa000001 is compared with itself",
		"aaaa cccc1": "run aaaa000001 is one of x and run cccc111114 one of y: they have no test in common",
		"aaaa cccc":  `run "cccc" is not unique: 2 begin with it`,
		"aaaa zzzz":  `no run "zzzz" is on record in this workspace`,
		"aaaa0 last": "run aaaa000001 is one of x and run cccc111114 one of y: they have no test in common",
	} {
		before, now, _ := strings.Cut(args, " ")
		if got := compare(before, now); got != want {
			t.Errorf("diff %s: %s, want %s", args, got, want)
		}
	}
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Language: "x"})
	if err != nil || d.Now.RunID != "cccc000003" || d.Before.RunID != "bbbb000002" {
		t.Errorf("of a language: %s %s, %v", d.Before.RunID, d.Now.RunID, err)
	}
}

func TestOnlyWhatIsNoNoiseIsSlower(t *testing.T) {
	took := func(test string, d time.Duration) history.Result {
		r := historytest.Passed("a", test)
		r.Duration = d
		return r
	}
	const ms = time.Millisecond
	for _, tc := range []struct {
		name      string
		past      []time.Duration
		now       time.Duration
		threshold float64
		slower    bool
	}{
		{"twice as long", []time.Duration{100 * ms}, 200 * ms, 0, true},
		{"below the threshold", []time.Duration{1000 * ms}, 1150 * ms, 0, false},
		{"above a lower threshold", []time.Duration{1000 * ms}, 1150 * ms, 10, true},
		{"much longer, and nothing to a person", []time.Duration{ms}, 45 * ms, 0, false},
		{"slow only beside a lucky run", []time.Duration{200 * ms, 210 * ms, 190 * ms, 100 * ms}, 200 * ms, 0, false},
		{"slower than ever", []time.Duration{200 * ms, 210 * ms, 190 * ms}, 400 * ms, 0, true},
		{"faster", []time.Duration{400 * ms}, 200 * ms, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := ledgertest.New(t)
			for _, d := range tc.past {
				p.Run("now", took("A", d))
			}
			if len(tc.past) == 1 {
				p.Run("now", took("A", tc.past[0]))
			}
			p.Run("now", took("A", tc.now))
			d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), ThresholdPercent: tc.threshold})
			if err != nil || (len(d.Slower) == 1) != tc.slower || d.Counts.Slower != len(d.Slower) {
				t.Errorf("slower: %+v, %v", d.Slower, err)
			}
		})
	}
}

// A part's time is its test's time too.
func TestAPartIsNotSlowerBesideItsTest(t *testing.T) {
	p := ledgertest.New(t)
	run := func(d time.Duration) {
		a, x, b := historytest.Passed("a", "A"), historytest.Part("A", "A/x", history.Passed), historytest.Part("B", "B/x", history.Passed)
		a.Duration, x.Duration, b.Duration = d, d, d
		p.Run("now", a, x, historytest.Passed("a", "B"), b)
	}
	run(time.Second)
	run(3 * time.Second)
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
	if got := sections(d); err != nil || got != "slower: A; slower: B/x" {
		t.Errorf("%s, %v", got, err)
	}
}
