package render

import (
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// The sentences are the seed documents', byte for byte.
// A figure says what it counts, where results are no tests, or suites had none.
func TestFiguresSayWhatTheyCount(t *testing.T) {
	run := api.Run{Language: "go", RunID: "r", State: api.StateFinished, Counts: api.Counts{
		Suites: 13, SuitesWithoutTests: 5, Tests: 5, TestsPassed: 4, TestsSkipped: 1, Subtests: 3, Passed: 7, Skipped: 1, NeverStarted: 2,
	}}
	if got, want := CountsLine(run), "7 passed, 0 failed, 1 skipped (results of 5 tests), 2 tests never started, 13 suites (5 ran no test), 0.00s, go, run r"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSentences(t *testing.T) {
	for got, want := range map[string]string{
		TimedOutAfter(300 * time.Second):                  "timed out after 300s",
		TimedOutAfter(0):                                  "timed out by the runner's own limit",
		exitLine(124):                                     "exit: 124",
		EndLine(api.Run{ExitCode: 1}):                     "exit: 1",
		EndLine(api.Run{ExitCode: -1}):                    "exit: none, no process exited",
		EndLine(api.Run{ExitCode: -1, Signal: "SIGKILL"}): "exit: -1",
	} {
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 999 * time.Millisecond: "0s", 59 * time.Second: "59s",
		time.Minute: "1m", 59 * time.Minute: "59m", 2*time.Hour + time.Minute: "2h", 47 * time.Hour: "47h", 72 * time.Hour: "3d",
	} {
		if got := prose.Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

// seedRun is the run of the seed document's example.
func seedRun() api.Run {
	return api.Run{
		Language: "go", Verdict: api.Failed, FailuresTotal: 2,
		Failures: []api.Failure{
			{Failure: sdk.Failure{
				TestID: sdk.TestID{Suite: "example.com/pkg/foo", Test: "TestValidate/empty_input"}, Kind: "assertion",
				Location: sdk.Location{File: "internal/foo/foo.go", Line: 42}, Message: "expected error for empty input, got nil",
			}},
			{Failure: sdk.Failure{
				TestID: sdk.TestID{Suite: "example.com/pkg/bar", Test: "TestBaz"}, Kind: "assertion",
				Location: sdk.Location{File: "internal/bar/bar_test.go", Line: 87}, Message: "mismatch", Diff: sdk.Diff{Got: "5", Want: "3"},
			}},
		},
	}
}

func TestFailuresIsTheSeedsListing(t *testing.T) {
	want := `2 test failure(s) from last run_tests call (go, 3s ago):

1. example.com/pkg/foo/TestValidate/empty_input
   internal/foo/foo.go:42
   expected error for empty input, got nil

2. example.com/pkg/bar/TestBaz
   internal/bar/bar_test.go:87
   mismatch
   --- diff ---
   got: 5
   want: 3

`
	if got := Listing(seedRun(), 3*time.Second, Page{}); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestValuesThatTheMessageHasAreNotRepeated(t *testing.T) {
	run := seedRun()
	run.Failures = run.Failures[1:]
	run.Failures[0].Message = "Add(2, 2) = 5, want 3"
	if got := Listing(run, 0, Page{}); strings.Contains(got, "diff") {
		t.Errorf("got:\n%s", got)
	}
}

func TestLinesThatOnlyNameTheValuesBecomeTheDifference(t *testing.T) {
	run := seedRun()
	run.Failures = run.Failures[1:]
	run.Failures[0].Message = "mismatch\n  got: 5\n  want: 3\nsee above"
	got := Listing(run, 0, Page{})
	if want := "   mismatch\n   see above\n   --- diff ---\n   got: 5\n   want: 3\n"; !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant in it:\n%s", got, want)
	}
	run.Failures[0].Message = "mismatch\ngot: 5\nnot: 3"
	if got := Listing(run, 0, Page{}); !strings.Contains(got, "got: 5\n   not: 3\n") || strings.Contains(got, "diff") {
		t.Errorf("got:\n%s", got)
	}
}

func TestFailuresSaysHowManyItLeavesOut(t *testing.T) {
	run := seedRun()
	run.FailuresTotal = 30
	got := Listing(run, 0, Page{})
	if !strings.HasPrefix(got, "30 test failure(s)") || !strings.Contains(got, "(28 more entries truncated") {
		t.Errorf("got:\n%s", got)
	}
}

// A run that proved nothing must not be answered with "no failures".
func TestFailuresOfARunThatIsNotAPass(t *testing.T) {
	for _, v := range []api.Verdict{api.NothingRan, api.Incomplete, api.ToolError, api.BuildFailed, api.Failed} {
		got := NotAPass(api.Run{Language: "go", Verdict: v, Reason: "because"}, "the last run", time.Second)
		if strings.Contains(got, "had no failures") || !strings.Contains(got, string(v)+": because") {
			t.Errorf("%s: %q", v, got)
		}
	}
}

func TestRawIsTheSeedsForm(t *testing.T) {
	for _, tc := range []struct {
		name string
		out  api.RawOutput
		want string
	}{
		{"stdout only", api.RawOutput{Stdout: "{}\n"}, "{}\nexit: 0\n"},
		{"no final newline", api.RawOutput{Stdout: "{}", ExitCode: 1}, "{}\nexit: 1\n"},
		{"stderr", api.RawOutput{Stdout: "{}\n", Stderr: "oops\n", ExitCode: 1}, "{}\n--- stderr ---\noops\nexit: 1\n"},
		{"nothing was executed", api.RawOutput{ExitCode: -1, NoExit: true}, "exit: none, no process exited\n"},
		{"time-out", api.RawOutput{TimedOut: true, Limit: 300 * time.Second, ExitCode: 124}, "timed out after 300s\nexit: 124\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Raw(tc.out); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestSummaryNamesEveryFailureAndEndsWithTheVerdict(t *testing.T) {
	run := seedRun()
	run.Reason, run.RunID, run.DurationS = "2 failures", "k3f9x2mabc", 1.234
	run.Counts = api.Counts{Suites: 2, Passed: 5, Failed: 2}
	run.Failures[0].Repro = "go test -run '^TestValidate$/^empty_input$' example.com/pkg/foo"
	run.Unfinished, run.Counts.Unfinished = []sdk.TestID{{Suite: "s", Test: "TestHangs"}}, 1
	run.NeverStarted, run.Counts.NeverStarted = []sdk.TestID{{Suite: "s", Test: "TestLater"}}, 3
	run.Warnings = api.Notes(api.NoteNotTested, "not tested: tools: a module of its own")
	run.Outstanding, run.OutstandingCounts = 6, api.OutstandingCounts{Tests: 4, Suites: 2}
	want := `1. example.com/pkg/foo TestValidate/empty_input [assertion]
   internal/foo/foo.go:42
   expected error for empty input, got nil
   again: go test -run '^TestValidate$/^empty_input$' example.com/pkg/foo

2. example.com/pkg/bar TestBaz [assertion]
   internal/bar/bar_test.go:87
   mismatch
   --- diff ---
   got: 5
   want: 3

1 test did not finish:
   s TestHangs

3 tests never started:
   s TestLater
   and 2 more

note: not tested: tools: a module of its own
failed: 2 failures
5 results passed, 2 failed, 1 unfinished, 3 tests never started, 2 suites, 1.23s, go, run k3f9x2mabc; 4 tests, 2 suites outstanding
`
	if got := Summary(run, Style{}); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSummaryOfManyFailuresNamesThemAll(t *testing.T) {
	run := api.Run{Verdict: api.Failed, FailuresTotal: 60}
	for i := range 50 {
		run.Failures = append(run.Failures, api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T" + strings.Repeat("x", i)}, Location: sdk.Location{File: "a.go", Line: i + 1}, Message: "m\nmore"}})
	}
	got := Summary(run, Style{})
	for _, f := range run.Failures {
		if !strings.Contains(got, "s "+f.Test) {
			t.Errorf("failure %s is not named", f.Test)
		}
	}
	if !strings.Contains(got, "and 10 more failures") {
		t.Error("the failures that are not in the object are not mentioned")
	}
}

func TestSummaryNamesWhatDidNotRun(t *testing.T) {
	run := api.Run{Kind: api.KindRerun, Verdict: api.Passed, Requested: []api.Requested{
		{TestID: sdk.TestID{Suite: "s", Test: "TestA"}, Outcome: api.OutcomePassed},
		{TestID: sdk.TestID{Suite: "s", Test: "TestGone"}, Outcome: api.OutcomeDidNotRun, Why: "renamed or removed?"},
		{TestID: sdk.TestID{Suite: "s", Test: "TestSkipped"}, Outcome: api.OutcomeSkipped},
	}}
	got := Summary(run, Style{Quiet: true})
	if !strings.Contains(got, "did not run: s TestGone (renamed or removed?)\n") || !strings.Contains(got, "skipped: s TestSkipped\n") || strings.Contains(got, "TestA") {
		t.Errorf("got:\n%s", got)
	}
}

// Output of tests must not act on the terminal.
func TestASummaryCannotActOnTheTerminal(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\x9b31m\u009b1m\r\x00\x08\u202e\u200b\xff"
	run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Reason: evil, Message: evil, Warnings: api.Notes("", evil),
		Failures: []api.Failure{{Repro: evil, Failure: sdk.Failure{
			TestID: sdk.TestID{Suite: evil, Test: evil}, Kind: evil, Location: sdk.Location{File: evil}, Message: evil, Output: evil,
			Diff: sdk.Diff{Got: evil, Want: evil, Text: evil}, Also: []sdk.Also{{Location: sdk.Location{File: evil}, Message: evil}}, Blocks: []string{evil},
		}}},
		Unfinished: []sdk.TestID{{Suite: evil, Test: evil}}, Counts: api.Counts{Unfinished: 1},
		Requested: []api.Requested{{TestID: sdk.TestID{Suite: evil, Test: evil}, Outcome: api.OutcomeDidNotRun, Why: evil}},
	}
	for _, text := range []string{
		Summary(run, Style{Verbose: true}), Listing(run, 0, Page{}),
		FailureLine(run.Failures[0]), (Style{}).ResultLine(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: evil, Test: evil}}}),
	} {
		for _, r := range text {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
				t.Fatalf("control character %U in %q", r, text)
			}
		}
		if strings.Contains(text, "owned") {
			t.Fatalf("the text of an escape sequence stayed: %q", text)
		}
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\twith tab":      "plain text\n\twith tab",
		"grüße, 世界 🎉":                 "grüße, 世界 🎉",
		"\x1b[31mred\x1b[0m":          "red",
		"\x1b[38;5;196mred\x1b[m":     "red",
		"\x1b]8;;http://x\x1b\\link":  "link",
		"\x1b]0;title\x07text":        "text",
		"\x1bP+q\x1b\\text":           "text",
		"\x1b(Btext":                  "text",
		"\x1bctext":                   "text",
		"\u009b31mred":                "red",
		"a\x1b":                       "a",
		"a\x1b[":                      "a",
		"a\x1b]never ended":           "a",
		"a\x1b]ends at the\nline":     "a\nline",
		"bell\x07":                    "bell\ufffd",
		"over\rwritten\r\n":           "overwritten\n",
		"bad\xffbyte":                 "bad\ufffdbyte",
		"a\u202eb":                    "a\ufffdb",
		"del\x7f":                     "del\ufffd",
		"alm\u061c, shy\u00ad":        "alm\ufffd, shy\ufffd",
		"fill\u115f\u1160\u3164er":    "fill\ufffd\ufffd\ufffder",
		"line\u2028\u2029\u180eend":   "line\ufffd\ufffd\ufffdend",
		"note\ufff9\ufffb \U000e0041": "note\ufffd\ufffd \ufffd",
	} {
		if got := prose.Plain(in); got != want {
			t.Errorf("Plain(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m\u009b1m\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := prose.Plain(s)
		if again := prose.Plain(got); again != got {
			t.Errorf("Plain(%q) = %q, and again %q", s, got, again)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("control character %U in Plain(%q)", r, s)
			}
		}
	})
}
