package render_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/internal/golden"
	"github.com/proctorhq/proctor/sdk"
)

// shop is a run with several causes, and what was heard on its way.
func shop() (api.Run, *render.Asides, []api.Excerpt) {
	failure := func(suite, test, kind, file string, line int, message string, s *api.Standing) api.Failure {
		return api.Failure{Standing: s, Signature: kind + message, Repro: "go test", Failure: sdk.Failure{
			TestID: sdk.TestID{Suite: "example.com/shop/" + suite, Test: test}, Kind: kind, Location: sdk.Location{File: file, Line: line}, Message: message,
		}}
	}
	passed := &api.Standing{Classification: api.Regression, LastPassed: &api.LastPassed{AgeS: 250}}
	again := &api.Standing{Classification: api.Gap, FailedRuns: 3, SameFailure: &api.SameFailure{Run: 3}}
	run := api.Run{
		Kind: api.KindRun, Verdict: api.Failed, Reason: "9 failures", RunID: "fnub5xaaaa", DurationS: 12.54, Outstanding: 9, Language: "go",
		Counts:       api.Counts{Suites: 5, Tests: 114, TestsPassed: 100, TestsSkipped: 5, Failed: 9, Passed: 100, Skipped: 5, NeverStarted: 1},
		NeverStarted: []sdk.TestID{{Suite: "example.com/shop/stock", Test: "TestPutTwice"}},
	}
	f := failure("invoice", "TestRenderText", "assertion", "invoice/invoice_test.go", 19, "render:", again)
	f.Diff = sdk.Diff{Got: `"a\nb\nc\nd\n1 pear 0.80\ne\n"`, Want: `"a\nb\nc\nd\n1 pear 0.90\ne\n"`}
	g := failure("stock", "TestPut", "panic", "stock/stock.go", 5, "assignment to entry in nil map", &api.Standing{Classification: api.Gap, FailedRuns: 1})
	g.TestFrame = sdk.Location{File: "stock/stock_test.go", Line: 9}
	run.Failures = []api.Failure{failure("cart", "TestTotal/one", "assertion", "cart/cart_test.go", 17, "Total([5]) = 4, want 5", passed), f, g}
	for i := range 6 {
		run.Failures = append(run.Failures, failure("orders", fmt.Sprintf("TestOrder%02d", i), "assertion", "orders/orders_test.go", 17+6*i, "open database: connection refused", passed))
	}
	run.FailuresTotal = len(run.Failures)
	run.Causes = []api.Cause{{Signature: "assertionopen database: connection refused", Total: 6}}
	heard := &render.Asides{}
	heard.Listen(&api.RunStarted{Run: run})
	for i, reason := range []string{"needs the map server (set GEO_URL)", "needs the map server (set GEO_URL)", "flaky on CI, issue 212", "a", "b"} {
		r := sdk.TestResult{TestID: sdk.TestID{Suite: "example.com/shop/geo", Test: fmt.Sprint("TestSkip", i)}, Status: sdk.Skipped, Attributes: map[string]string{"reason": reason}, Location: sdk.Location{File: "geo/geo_test.go"}}
		heard.Listen(&api.TestEnded{Result: api.Result{TestResult: r}})
	}
	heard.Listen(&api.TestEnded{Result: api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "example.com/shop/geo", Test: "TestImport"}, Status: sdk.Passed, Elapsed: 6 * time.Second}, DurationS: 6.1}})
	heard.Listen(&api.RunFinished{Run: run})
	return run, heard, []api.Excerpt{
		{File: "cart/cart_test.go", Line: 17, Lines: []string{"", "\t\tif got := Total(c.in); got != c.want {", "\t\t\tt.Errorf(\"Total(%v) = %d, want %d\", c.in, got, c.want) // \x1b[2Jand more"}},
		{File: "stock/stock.go", Line: 5, Edited: true},
	}
}

func TestAnEndingReadsUpwardsFromTheVerdict(t *testing.T) {
	for name, style := range map[string]render.Style{
		"100": {Columns: 100}, "60": {Columns: 60}, "pipe": {}, "ascii": {Columns: 60, ASCII: true}, "color": {Columns: 100, Color: true}, "quiet": {Columns: 60, Quiet: true}, "skips": {Skips: true},
	} {
		t.Run(name, func(t *testing.T) {
			run, heard, excerpts := shop()
			style.Excerpts = excerpts
			got := render.Ending(run, heard, style)
			golden.Compare(t, "testdata/ending-"+name+".txt", got)
			if lines := strings.Split(strings.TrimSpace(got), "\n"); !strings.HasPrefix(lines[len(lines)-1], "run fnub5xaaaa") && !strings.Contains(lines[len(lines)-1], "proctor") {
				t.Errorf("the last line is %q", lines[len(lines)-1])
			}
			for _, word := range []string{"gap", "assertion", "nothing_ran", "0 failed", "0 skipped", "example.com"} {
				if strings.Contains(got, word) {
					t.Errorf("%q in\n%s", word, got)
				}
			}
			if name == "ascii" && regexp.MustCompile(`[^\x00-\x7f]`).MatchString(got) {
				t.Error("not only ASCII")
			}
		})
	}
}

func TestTheVerdictOfAnEnding(t *testing.T) {
	hang := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "TestWait"}, Kind: "timeout", Location: sdk.Location{File: "a", Line: 9}}}
	fails := func(name string) api.Failure {
		return api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: name}, Kind: "assertion", Message: name}}
	}
	for want, run := range map[string]api.Run{
		"PASSED  7 results, 2 skipped · 1.0s": {Verdict: api.Passed, Reason: "7 results passed, 2 skipped", Counts: api.Counts{Passed: 7, Skipped: 2}},
		"PASSED  2 tests · 1.0s":              {Verdict: api.Passed, Reason: "2 tests passed", Counts: api.Counts{Tests: 2, TestsPassed: 2, Passed: 2}},
		"PASSED  412 tests, 380 of them cached · 2 skipped · 1.0s": {
			Verdict: api.Passed, Reason: "412 tests passed, 380 of them cached, 2 skipped", Counts: api.Counts{Tests: 414, TestsPassed: 412, TestsCached: 380, TestsSkipped: 2, Passed: 500, Cached: 400},
		},
		"INCOMPLETE  2 tests never started · not a pass · 3 passed, all of them cached · 1.0s": {
			Verdict: api.Incomplete, Reason: "2 tests never started", Counts: api.Counts{Tests: 3, TestsPassed: 3, TestsCached: 3, NeverStarted: 2}, NeverStarted: []sdk.TestID{{Suite: "s", Test: "A"}, {Suite: "s", Test: "B"}},
		},
		"PASSED  2 selected tests, of 114 · 1.0s": {
			Verdict: api.Passed, Counts: api.Counts{Tests: 2, TestsPassed: 2, Passed: 4, Subtests: 2}, Caveats: []api.Caveat{{Code: api.CaveatFiltered, Text: "filtered: 2 of 114 tests"}},
			Selection: api.Selection{Filter: "Test", Selected: 2, Total: 114},
		},
		"PASSED  114 tests · 1.0s": {
			Verdict: api.Passed, Counts: api.Counts{Tests: 114, TestsPassed: 114, Passed: 114}, Caveats: []api.Caveat{{Code: api.CaveatFiltered, Text: "filtered: no test left out"}},
			Selection: api.Selection{Packages: []string{"./..."}, Selected: 114, Total: 114},
		},
		// A pass that may have left out more than can be counted says its caveats.
		"PASSED  2 tests (filtered) · 1.0s": {
			Verdict: api.Passed, Counts: api.Counts{Tests: 2, TestsPassed: 2, Passed: 3}, Caveats: []api.Caveat{{Code: api.CaveatFiltered, Text: "filtered"}},
			Selection: api.Selection{Filter: "Test/b", Selected: 2, Total: 2},
		},
		"PASSED  1 test (filtered: parts of 1 of 114 tests) · 1.0s": {
			Verdict: api.Passed, Counts: api.Counts{Tests: 1, TestsPassed: 1, Passed: 2}, Caveats: []api.Caveat{{Code: api.CaveatFiltered, Text: "filtered: parts of 1 of 114 tests"}},
			Selection: api.Selection{Filter: "TestA/b", Selected: 1, Total: 114},
		},
		"PASSED  1 test (with runner arguments -run X) · 1.0s": {
			Verdict: api.Passed, Counts: api.Counts{Tests: 1, TestsPassed: 1}, Caveats: []api.Caveat{{Code: api.CaveatRunnerArgs, Text: "with runner arguments -run X"}},
		},
		"PASSED  1 test; the runner's exit status is not known · 1.0s": {
			Verdict: api.Passed, Counts: api.Counts{Tests: 1, TestsPassed: 1}, Caveats: []api.Caveat{{Code: api.CaveatExitUnknown, Text: "the runner's exit status is not known"}},
		},
		"PASSED  1 test passed, 1 failure in quarantine · 1.0s": { // its details are lost
			Verdict: api.Passed, Reason: "1 test passed, 1 failure in quarantine", Counts: api.Counts{Tests: 1, TestsPassed: 1},
		},
		"NOTHING RAN  no test ran: the selection matched nothing": {Verdict: api.NothingRan, Reason: "no test ran: the selection matched nothing"},
		"INCOMPLETE  2 tests never started · not a pass · 1 passed · 1.0s": {
			Verdict: api.Incomplete, Reason: "2 tests never started", Counts: api.Counts{Tests: 1, TestsPassed: 1, NeverStarted: 2}, NeverStarted: []sdk.TestID{{Suite: "s", Test: "A"}, {Suite: "s", Test: "B"}},
		},
		"TIMED OUT  after 1.0s in s TestWait · 1 passed": {
			Verdict: api.Incomplete, TimedOut: true, Failures: []api.Failure{hang}, FailuresTotal: 1, Counts: api.Counts{Tests: 2, TestsPassed: 1, Unfinished: 1},
		},
		"STOPPED  after 1.0s · 3 tests done, 1 of them failed · 1 never got to an end": {
			Verdict: api.Failed, Cancelled: true, Failures: []api.Failure{hang}, FailuresTotal: 1, Counts: api.Counts{Tests: 4, TestsPassed: 2, Unfinished: 1},
		},
		// A part failed in a test that did not finish, and two in another.
		"FAILED  3 failures · 2 passed · 1 test did not finish · 1.0s": {
			Verdict: api.Failed, Failures: []api.Failure{fails("TestA/x"), fails("TestB/x"), fails("TestB/y")}, FailuresTotal: 3,
			Counts: api.Counts{Tests: 4, TestsPassed: 2, Unfinished: 1}, Unfinished: []sdk.TestID{{Suite: "s", Test: "TestA"}},
		},
		"ERROR  no such program · 1.0s": {Verdict: api.ToolError, Reason: "no such program"},
	} {
		run.Kind, run.DurationS = api.KindParsed, 1
		got := strings.Split(strings.TrimSpace(render.Ending(run, nil, render.Style{})), "\n")
		if got[len(got)-1] != want {
			t.Errorf("%q, want %q", got[len(got)-1], want)
		}
	}
}

func TestThePassOfAPartCountsInTheWordsOfItsLanguage(t *testing.T) {
	t.Parallel()
	run := api.Run{
		Kind: api.KindRerun, Verdict: api.Passed, Counts: api.Counts{Tests: 1, TestsPassed: 1, Passed: 1},
		Caveats: []api.Caveat{{Code: api.CaveatPart, Text: "only TestA, of 3 tests, 2 suites outstanding"}},
	}
	if got := render.Ending(run, nil, render.Style{Noun: "package"}); !strings.Contains(got, "PASSED  1 test (only TestA, of 3 tests, 2 packages outstanding)") {
		t.Error(got)
	}
}

// No command finds an upload again.
func TestAnUploadIsNotNamed(t *testing.T) {
	t.Parallel()
	f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: "assertion", Message: "no"}}
	run := api.Run{RunID: "k3f9", Kind: api.KindRun, Verdict: api.Failed, Failures: []api.Failure{f}, FailuresTotal: 1}
	for upload, want := range map[bool]bool{false: true, true: false} {
		if upload {
			run.Warnings = api.Notes(api.NoteUpload, "an upload")
		} else {
			run.Warnings = nil
		}
		if text := render.Ending(run, nil, render.Style{}); strings.Contains(text, "run k3f9 · one: proctor output T") != want {
			t.Errorf("upload %t: %s", upload, text)
		}
	}
}

// A run in which nothing ran names what was asked for, unless its own reason says more.
func TestARunOfNothingNamesWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	const reason = "no test ran: the selection matched nothing"
	for want, run := range map[string]api.Run{
		"no test matches Nope":             {Kind: api.KindRun, Selection: api.Selection{Filter: "Nope"}},
		"no test matches Nope in ./a, ./b": {Kind: api.KindRun, Selection: api.Selection{Filter: "Nope", Packages: []string{"./a", "./b"}}},
		"no test matches No (narrowed by settings: -run No in .proctor.toml)": {
			Kind: api.KindRun, Selection: api.Selection{Filter: "No", Configured: []string{"-run No in .proctor.toml"}},
		},
		reason + " (narrowed by settings: -skip . in .proctor.toml)": {
			Kind: api.KindRun, Selection: api.Selection{Configured: []string{"-skip . in .proctor.toml"}},
		},
		"there is no test in ./a":             {Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a"}}},
		"nothing is left to run":              {Kind: api.KindRerun},
		reason:                                {Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a"}, RunnerArgs: []string{"-skip", "Test"}}},
		"the only test that ran was skipped":  {Kind: api.KindRun, Selection: api.Selection{Filter: "A"}, Counts: api.Counts{Skipped: 1}},
		"no test of shard 2/5":                {Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a"}, Shard: "2/5"}},
		"no file has changed":                 {Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a"}, Affected: "HEAD"}},
		"no test passed, 1 is in quarantine":  {Kind: api.KindRun, Selection: api.Selection{Filter: "A"}, Quarantined: 1},
		"the tests to run again have no name": {Kind: api.KindRerun, Commands: []api.Command{{}}},
	} {
		run.Verdict, run.Reason = api.NothingRan, want
		if strings.HasPrefix(want, "no test matches") || strings.HasPrefix(want, "there is") || strings.HasPrefix(want, "nothing is") || strings.HasPrefix(want, reason) {
			run.Reason = reason
		}
		if got := strings.TrimSpace(render.Ending(run, nil, render.Style{})); !strings.HasPrefix(got, "NOTHING RAN  "+want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTwoChangedFilesAreBothNamed(t *testing.T) {
	t.Parallel()
	for want, changed := range map[string][]string{
		"a.go": {"x/a.go"}, "a.go and b.go": {"x/a.go", "y/b.go"}, "x/a.go and y/a.go": {"x/a.go", "y/a.go"}, "a.go and 2 other files": {"x/a.go", "y/a.go", "z/c.go"},
	} {
		f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}}, Standing: &api.Standing{
			Classification: api.Regression, Changed: changed, ChangedTotal: len(changed),
		}}
		run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{f}}
		if got := render.Ending(run, nil, render.Style{}); !strings.Contains(got, "new since "+want+" changed\n") {
			t.Error(got)
		}
	}
}

func TestGoneTestsAreNamedOnce(t *testing.T) {
	t.Parallel()
	run := api.Run{
		Kind: api.KindRerun, Verdict: api.NothingRan, Requested: []api.Requested{
			{TestID: sdk.TestID{Suite: "s", Test: "TestOld"}, Outcome: api.OutcomeDidNotRun, Why: "it no longer exists"},
			{TestID: sdk.TestID{Suite: "s", Test: "TestBuilt"}, Outcome: api.OutcomeDidNotRun, Why: "the suite does not build"},
		},
		Integrity: &api.Integrity{GoneTotal: 1, Gone: []api.Gone{{TestID: sdk.TestID{Suite: "s", Test: "TestOld"}, Was: "failed"}}},
	}
	got := render.Ending(run, nil, render.Style{})
	if strings.Count(got, "TestOld") != 1 || !strings.Contains(got, "gone: s TestOld, was failing") || !strings.Contains(got, "TestBuilt never started") {
		t.Error(got)
	}
}

func TestWhatNeverStartedIsNamedOnce(t *testing.T) {
	t.Parallel()
	var run api.Run
	for _, name := range []string{"TestA", "TestB", "TestC", "TestD"} {
		run.Requested = append(run.Requested, api.Requested{TestID: sdk.TestID{Suite: "s", Test: name}, Outcome: api.OutcomeDidNotRun, Why: "the suite ended first"})
	}
	run.Kind, run.Verdict = api.KindRerun, api.Failed
	if got, want := render.Ending(run, nil, render.Style{}), "– s: 4 tests never started (the suite ended first): TestA, TestB, TestC and 1 more\n"; !strings.Contains(got, want) {
		t.Error(got)
	}
	for _, r := range run.Requested[1:] {
		run.NeverStarted = append(run.NeverStarted, r.TestID)
	}
	run.Counts.NeverStarted = 3
	if got, want := render.Ending(run, nil, render.Style{}), "– s: 3 tests never started: TestB, TestC, TestD\n– s TestA never started (the suite ended first)\n"; !strings.Contains(got, want) {
		t.Error(got)
	}
}

// A changed function breaks each suite that calls it.
func TestWhatACompilerRepeatsHasALine(t *testing.T) {
	t.Parallel()
	failure := func(suite, message string, also ...sdk.Also) api.Failure {
		return api.Failure{Signature: suite, Failure: sdk.Failure{TestID: sdk.TestID{Suite: suite}, Kind: "build", Location: sdk.Location{File: suite + ".go", Line: 1}, Message: message, Also: also}}
	}
	run := api.Run{Verdict: api.BuildFailed, FailuresTotal: 4, Failures: []api.Failure{
		failure("a", "not enough arguments\n\thave ()"), failure("b", "not enough arguments\n\thave ()"),
		failure("c", "not enough arguments\n\thave ()", sdk.Also{Message: "undefined: x"}), failure("d", "undefined: x"),
	}}
	const want = `✗ a
  a.go:1
  build: not enough arguments
  	have ()

✗ b  b.go:1  not enough arguments

✗ c
  c.go:1
  build: not enough arguments
  	have ()
  also undefined: x

✗ d  d.go:1  undefined: x

`
	if got := render.Ending(run, nil, render.Style{}); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

// Output of tests, or of their sources, must not act on the terminal.
func TestAnEndingCannotActOnTheTerminal(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\x9b31m\u009b1m\r\x00\x08\u202e\u200b\xff"
	f := api.Failure{Repro: evil, Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: evil, Test: evil}, Kind: evil, Location: sdk.Location{File: evil, Line: 3}, Message: evil, Output: evil, BlockedOn: evil,
		Diff: sdk.Diff{Got: evil + "\n" + evil, Want: evil, Text: ""}, Also: []sdk.Also{{Location: sdk.Location{File: evil}, Message: evil}}, Blocks: []string{evil}, Attributes: map[string]string{evil: evil},
	}}
	g := f
	g.Diff.Text = "- " + evil + "\n+ " + evil
	run := api.Run{
		Verdict: api.Failed, FailuresTotal: 3, Reason: evil, Message: evil, Warnings: api.Notes("", evil), RunError: evil, Failures: []api.Failure{f, g, f},
		Unfinished: []sdk.TestID{{Suite: evil + "x", Test: evil}}, NeverStarted: []sdk.TestID{{Suite: evil, Test: evil}, {Suite: evil, Test: "b"}}, Counts: api.Counts{Unfinished: 1, NeverStarted: 2},
		Requested: []api.Requested{{TestID: sdk.TestID{Suite: evil, Test: evil}, Outcome: api.OutcomeDidNotRun, Why: evil}},
		Results:   []api.Result{{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: evil, Test: evil}, Status: sdk.Skipped, Attributes: map[string]string{"reason": evil}}}},
	}
	heard := &render.Asides{}
	heard.Record(run)
	for _, style := range []render.Style{{Verbose: true}, {Skips: true}, {}, {Quiet: true, Columns: 40}} {
		style.Excerpts = []api.Excerpt{{File: evil, Line: 3, Lines: []string{evil, evil + "\n" + evil}}}
		for _, r := range render.Ending(run, heard, style) {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
				t.Fatalf("control character %U in %q", r, render.Ending(run, heard, style))
			}
		}
	}
	if text := render.Ending(run, heard, render.Style{Verbose: true}); strings.Contains(text, "owned") {
		t.Fatalf("the text of an escape sequence stayed: %q", text)
	}
}

func TestCutFitsIntoTheColumns(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"one more", 7, "one mo…"},
		{"テスト", 6, "テスト"},
		{"テスト", 5, "テス…"},
		{"aテスト", 4, "aテ…"},
		{"wide", 1, "…"},
		{"├──┤", 4, "├──┤"},
	} {
		if got := (render.Style{}).Cut(c.line, c.columns); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.line, c.columns, got, c.want)
		}
	}
	if got := (render.Style{ASCII: true}).Cut("one more", 7); got != "one ..." {
		t.Error(got)
	}
}

func TestQuotedLinesAreShownOnce(t *testing.T) {
	t.Parallel()
	f := api.Failure{Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: "s", Test: "TestA"}, Kind: "assertion", Message: `T5: expected "a\nb\nc\nd\n", got "a\nx\nd\ne\n" again`,
		Diff: sdk.Diff{Got: `"a\nx\nd\ne\n"`, Want: `"a\nb\nc\nd\n"`},
	}}
	const want = `✗ s TestA
  T5: expected …, got … again
    a
  - b
  - c
  + x
    d
  + e
`
	if got := render.Ending(api.Run{Kind: api.KindRun, Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{f}}, nil, render.Style{}); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Where lines do not show how quoted values differ, only the message does.
func TestQuotedValuesThatLinesDoNotTellApartStayInTheMessage(t *testing.T) {
	t.Parallel()
	for _, d := range []sdk.Diff{
		{Got: `"a\r\nb"`, Want: `"a\nb"`},
		{Got: `"a\xff\nb"`, Want: `"a\xfe\nb"`},
		{Got: `"\x1b[31ma\nb"`, Want: `"a\nb"`},
		{Got: `"a \nb"`, Want: `"a\nb"`},
		{Got: `"\ta\nb"`, Want: `"    a\nb"`},
	} {
		f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "TestA"}, Kind: "assertion", Message: "got " + d.Got + ", want " + d.Want, Diff: d}}
		got := render.Ending(api.Run{Kind: api.KindRun, Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{f}}, nil, render.Style{})
		if !strings.Contains(got, "\n  "+f.Message+"\n") {
			t.Errorf("%s does not show %s", got, f.Message)
		}
	}
}

func TestALineIsComparedWithLinesWithoutItsQuotes(t *testing.T) {
	t.Parallel()
	f := api.Failure{Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: "s", Test: "TestA"}, Kind: "assertion", Message: `got "a", want "a\nb"`, Diff: sdk.Diff{Got: `"a"`, Want: `"a\nb"`},
	}}
	got := render.Ending(api.Run{Kind: api.KindRun, Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{f}}, nil, render.Style{})
	if !strings.Contains(got, "\n    a\n  - b\n") {
		t.Error(got)
	}
}

// The rows of a table fail in one line of source.
func TestTheSourceOfOnePlaceIsShownOnce(t *testing.T) {
	run := api.Run{Kind: api.KindRun, Verdict: api.Failed, RunID: "r", FailuresTotal: 3}
	for i, line := range []int{7, 7, 9} {
		run.Failures = append(run.Failures, api.Failure{Signature: fmt.Sprint(i), Failure: sdk.Failure{
			TestID: sdk.TestID{Suite: "cart", Test: fmt.Sprint("TestTotal/", i)}, Location: sdk.Location{File: "cart_test.go", Line: line}, Message: fmt.Sprint("wrong ", i),
		}})
	}
	got := render.Ending(run, &render.Asides{}, render.Style{Excerpts: []api.Excerpt{
		{File: "cart_test.go", Line: 7, Lines: []string{"t.Errorf(one)"}}, {File: "cart_test.go", Line: 9, Lines: []string{"t.Errorf(two)"}},
	}})
	if strings.Count(got, "t.Errorf(one)") != 1 || strings.Count(got, "t.Errorf(two)") != 1 || strings.Count(got, "cart_test.go:7") != 2 || strings.Count(got, "wrong") != 3 {
		t.Errorf("got\n%s", got)
	}
}

func TestTheLinesThatFailedAreOfferedUntilTheyWereLookedFor(t *testing.T) {
	for _, c := range []struct {
		precision sdk.Precision
		looked    bool
		want      bool
	}{
		{sdk.PrecisionDeclaration, false, true},
		{sdk.PrecisionDeclaration, true, false},
		{sdk.PrecisionDeclarationOnly, false, false},
		{sdk.PrecisionExact, false, false},
	} {
		run, heard, _ := shop()
		run.Failures[0].Precision = c.precision
		if c.looked {
			run.Note(api.NotePlaces, "the lines that failed were not found")
		}
		if text := render.Ending(run, heard, render.Style{}); strings.Contains(text, "lines: proctor rerun --precise") != c.want {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
