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
	"github.com/proctorhq/proctor/host/render"
)

func TestADifferenceNamesTheFilesThatDiffer(t *testing.T) {
	p := ledgertest.New(t)
	ok := historytest.Passed("a", "A")
	p.WriteFile("a.x", "1")
	p.WriteFile("sub/b.x", "1")
	one := p.Snap()
	p.WriteFile("a.x", "2")
	p.WriteFile("c.x", "new")
	two := p.Snap()
	p.RunAs(history.Run{SessionID: "now", Fingerprint: one}, ok)
	p.RunAs(history.Run{SessionID: "now", Fingerprint: two}, ok)
	p.RunAs(history.Run{SessionID: "now", Fingerprint: two}, ok)
	p.RunAs(history.Run{SessionID: "now"}, ok)
	p.RunAs(history.Run{SessionID: "now", Fingerprint: "feedfeedfeedfeedfeedfeed"}, ok)
	for _, tc := range []struct{ before, now, want string }{
		{"run0000001", "run0000002", "true 2 [{a.x modified} {c.x added}] "},
		{"run0000002", "run0000001", "true 2 [{a.x modified} {c.x deleted}] "},
		{"run0000002", "run0000003", "true 0 [] "},
		{"run0000003", "run0000004", "false 0 [] the source state of at least one of the runs is unknown"},
		{"run0000003", "run0000005", "false 0 [] the source state feedfeedfeedfeedfeedfeed is no longer on record"},
	} {
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: tc.before, Now: tc.now})
		s := d.Sources
		if got := fmt.Sprintf("%t %d %v %s", s.Known, s.Total, s.Files, s.Why); err != nil || got != tc.want {
			t.Errorf("%s %s: %s, %v; want %s", tc.before, tc.now, got, err, tc.want)
		}
	}
}

func TestALongListIsBoundedAndCounted(t *testing.T) {
	p := ledgertest.New(t)
	var before, now []history.Result
	const tests = api.MaxNames + 50
	for i := range tests {
		before = append(before, historytest.Passed("a", fmt.Sprintf("T%05d", i)))
		now = append(now, historytest.Failed("a", fmt.Sprintf("T%05d", i)))
	}
	p.Run("now", before...)
	p.Run("now", now...)
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
	if err != nil || len(d.NewFailures) != api.MaxNames || d.Counts.NewFailures != tests || d.NewFailures[0].Test != "T00000" {
		t.Errorf("%d of %d, %v", len(d.NewFailures), d.Counts.NewFailures, err)
	}
}

func TestADifferenceSaysHowTheTestsStand(t *testing.T) {
	p := ledgertest.New(t)
	for _, session := range []string{"one", "two"} {
		p.Run(session, historytest.Failed("a", "Old"), historytest.Failed("a", "Fixed"))
	}
	state := history.Run{SessionID: "now", Fingerprint: "f", Environment: "e"}
	p.RunAs(state, historytest.Failed("a", "Old"), historytest.Failed("a", "Fixed"), historytest.Passed("a", "Flaky"))
	p.RunAs(state, historytest.Failed("a", "Old"), historytest.Passed("a", "Fixed"), historytest.Failed("a", "Flaky"))
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where()})
	if err != nil || sections(d) != "new failures: Flaky; passed and flaky: Fixed; still failing: Old" {
		t.Fatalf("%s, %v", sections(d), err)
	}
	old, fixed, flaky := d.StillFailing[0].Standing, d.PassedFlaky[0].Standing, d.NewFailures[0].Standing
	if old == nil || old.Classification != api.Failing || !old.Recurring || old.FailedSessions != 3 || old.SameFailure == nil {
		t.Errorf("still failing: %+v", old)
	}
	if fixed == nil || fixed.Classification != api.Unsteady || flaky == nil || flaky.Flaky == nil || flaky.Classification != api.Unsteady {
		t.Errorf("fixed: %+v, flaky: %+v", fixed, flaky)
	}
	// The standing follows the present run, whatever came later.
	p.Run("now", historytest.Passed("a", "Old"))
	then, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: d.Before.RunID, Now: d.Now.RunID})
	if err != nil || then.StillFailing[0].Classification != api.Failing {
		t.Errorf("%+v, %v", then.StillFailing, err)
	}
	text := render.Diff(d, render.Style{})
	for _, want := range []string{"(before: passed; flaky)", "(same failure; recurring)", "passed this time, and flaky (1):\n   s Fixed  a:7  (before: failed)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// As after `git init`: the files are the same, however they were found.
func TestEqualStatesDoNotDifferHoweverTheyWereFound(t *testing.T) {
	p := ledgertest.New(t)
	p.WriteFile("a.x", "1")
	walked := p.Snap()
	state, ok, err := p.State(t.Context(), walked)
	if err != nil || !ok {
		t.Fatal(err)
	}
	other := state
	other.Kind = "git"
	if c := p.ChangesOf(state, other); !c.Known || c.Total != 0 {
		t.Errorf("%+v", c)
	}
	other.ID = "another"
	if c := p.ChangesOf(state, other); c.Known {
		t.Errorf("states of two kinds: %+v", c)
	}
	run := api.Run{Kind: api.KindRun, Language: "x", Source: &api.Source{Fingerprint: walked}}
	if s := p.Stale(t.Context(), run, nil); s == nil || s.Changed != 0 {
		t.Errorf("nothing changed: %+v", s)
	}
	p.WriteFile("a.x", "2")
	if s := p.Stale(t.Context(), run, nil); s == nil || s.Changed != 1 || len(s.Files) != 1 || s.Files[0] != "a.x" {
		t.Errorf("a file changed: %+v", s)
	}
}

// many returns the results of numbered tests.
func many(from, to int, outcome history.Outcome) (list []history.Result) {
	for i := from; i < to; i++ {
		list = append(list, historytest.Did("f", fmt.Sprintf("T%02d", i), outcome))
	}
	return list
}

func TestARunIsComparedWithTheNewestThatRanMostOfItsTests(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("now", many(0, 10, history.Passed)...) // 1
	p.Run("now", many(0, 2, history.Failed)...)  // 2, a rerun
	p.Run("now")                                 // 3, nothing ran
	p.Run("now", many(0, 10, history.Failed)...) // 4
	p.Run("now", many(1, 2, history.Passed)...)  // 5
	for now, want := range map[int]string{4: "run0000001", 2: "run0000001", 5: "run0000004"} {
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Now: fmt.Sprintf("run%07d", now)})
		if err != nil || d.Before.RunID != want {
			t.Errorf("run %d is compared with %s, %v; want %s", now, d.Before.RunID, err, want)
		}
		if left := strings.Contains(fmt.Sprint(d.Notes), "left out: 2 runs in between"); left != (now == 4) {
			t.Errorf("run %d: notes %q", now, d.Notes)
		}
	}
}

func TestOnlyNewFailuresAreReportedAsNew(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("now", many(0, 4, history.Failed)...)
	p.Run("now", historytest.Passed("f", "T04"))
	p.Run("now", append(many(0, 4, history.Failed), historytest.Failed("f", "T04"))...)
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: "run0000002", Now: "run0000003"})
	if err != nil || sections(d) != "new failures: T04; failing, not run before: T00 T01 T02 T03" || d.Counts.FailingNotRun != 4 || d.Counts.NewFailures != 1 {
		t.Errorf("%s, %+v, %v", sections(d), d.Counts, err)
	}
	if want := "tests: 1 newly failing, 4 failing and not run before"; d.Message != want {
		t.Errorf("%s; want %s", d.Message, want)
	}
}

// A test that passed in its last run, though not in the earlier run, is a new failure.
func TestARegressionIsANewFailureWhicheverRunPassedIt(t *testing.T) {
	p := ledgertest.New(t)
	p.Run("earlier", historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	p.Run("now", historytest.Passed("f", "B"))
	p.Run("now", historytest.Failed("f", "A"), historytest.Passed("f", "B"))
	d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: "run0000002", Now: "run0000003"})
	if err != nil || sections(d) != "new failures: A" || d.Counts.NewFailures != 1 || d.Counts.FailingNotRun != 0 {
		t.Errorf("%s, %+v, %v", sections(d), d.Counts, err)
	}
}

func TestAPassInAnotherSettingOnTheSameSourcesFixesNothing(t *testing.T) {
	p := ledgertest.New(t)
	run := history.Run{SessionID: "now", Fingerprint: "f", Environment: "race"}
	p.RunAs(run, historytest.Failed("f", "A"), historytest.Passed("f", "B"))
	run.Environment = "plain"
	p.RunAs(run, historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	run.Fingerprint = "g"
	p.RunAs(run, historytest.Passed("f", "A"), historytest.Passed("f", "B"))
	for now, want := range map[string]string{"run0000002": "passed otherwise: A", "run0000003": "fixed: A"} {
		d, err := Diff(t.Context(), p.Keeper, api.DiffRequest{Where: p.Where(), Before: "run0000001", Now: now})
		if err != nil || sections(d) != want {
			t.Errorf("%s: %s, %v; want %s", now, sections(d), err, want)
		}
	}
}

// suite is a result of the suite itself, which exists if it did not build.
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

// sections formats what a comparison found: "new failures: A; fixed: B".
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

func TestWhatEndedDifferently(t *testing.T) {
	const f = "a_test.x"
	whole, filtered := history.Run{Whole: true}, history.Run{}
	broken := history.Run{Whole: true, Counts: api.Counts{BuildFailed: 1}}
	for _, tc := range []struct {
		name               string
		beforeRun, nowRun  history.Run
		before, now        []history.Result
		want, says, remark string
	}{
		{name: "a failure is new, was there before, or differs",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Failed(f, "B"), historytest.Failed(f, "C"), historytest.Failed(f, "D")},
			now:    []history.Result{historytest.Failed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C"), otherwise("D")},
			want:   "new failures: A; fixed: B; still failing: C D otherwise",
			says:   "tests: 1 newly failing, 1 fixed, 2 still failing (1 differently)"},
		{name: "in whole runs tests vanish and are new",
			beforeRun: whole, nowRun: whole,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C")},
			now:    []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "D"), historytest.Failed(f, "E")},
			want:   "new failures: E; vanished: B C; new: D"},
		{name: "what a filtered run leaves out did not vanish",
			beforeRun: whole, nowRun: filtered,
			before: []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B"), historytest.Failed(f, "C")},
			now:    []history.Result{historytest.Passed(f, "A")},
			want:   "not run: 2", says: "no difference; tests: 1 as before, 2 not run now", remark: "did not cover everything:"},
		{name: "what a rerun leaves out did not vanish",
			beforeRun: whole, nowRun: history.Run{Kind: api.KindRerun},
			before: []history.Result{historytest.Passed(f, "A"), historytest.Passed(f, "B")},
			now:    []history.Result{historytest.Passed(f, "A")},
			want:   "not run: 1", says: "no difference; tests: 1 as before, 1 not run now", remark: "was a rerun:"},
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
		{name: "a test that is now skipped no longer proves anything",
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
			if !strings.Contains(fmt.Sprint(d.Notes), tc.remark) {
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
		if usage, ok := errors.AsType[*api.UsageError](err); ok {
			return usage.Reason
		}
		if err != nil {
			t.Fatal(err)
		}
		text := d.Before.RunID + " " + d.Now.RunID
		if len(d.Notes) > 0 && strings.Contains(d.Notes[0].Text, "this session has no two") {
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
		"aaaa aaaa":  "run aaaa000001 cannot be compared with itself",
		"aaaa cccc1": "run aaaa000001 is of x tests and run cccc111114 of y tests: they have no test in common",
		"aaaa cccc":  `run "cccc" is not unique: 2 begin with it`,
		"aaaa zzzz":  `no run "zzzz" is on record in this workspace`,
		"aaaa0 last": "run aaaa000001 is of x tests and run cccc111114 of y tests: they have no test in common",
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

func TestNoiseIsNotReportedAsSlower(t *testing.T) {
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

// A part's time is included in its test's.
func TestASubtestIsNotReportedAsSlowerBesidesItsTest(t *testing.T) {
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
