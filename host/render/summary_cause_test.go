package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/host/render/concise"
	"github.com/proctorhq/proctor/sdk"
)

func TestOnlyTheFirstFailureOfACauseIsShownInFull(t *testing.T) {
	run := api.Run{Verdict: api.Failed, Causes: []api.Cause{{Signature: "x", Total: 3}}}
	for i := range 3 {
		run.Failures = append(run.Failures, api.Failure{Signature: "x", Repro: "again",
			Standing: &api.Standing{Classification: api.Gap}, Failure: sdk.Failure{
				TestID: sdk.TestID{Suite: "s", Test: fmt.Sprint("T", i)}, Kind: "panic", Location: sdk.Location{File: "a", Line: i}, Message: "no such thing",
			}})
	}
	run.Failures[2].Classification = api.Regression
	run.FailuresTotal = 3
	text, _, _ := strings.Cut(render.Summary(run, render.Style{}), "failed: ")
	const want = "1. s T0 [panic]\n   a\n   no such thing\n   first failure on record\n   again: again\n\n" +
		"2. s T1 [panic]\n   a:1\n   same cause as 1\n3. s T2 [panic]\n   a:2\n   same cause as 1 (regression)\n\n"
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if long := render.Summary(run, render.Style{Verbose: true}); strings.Count(long, "no such thing") != 3 {
		t.Error(long)
	}
}

func TestSuitesThatABuildFailureBlocksAreCut(t *testing.T) {
	f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s"}, Kind: "build"}}
	for i := range 12 {
		f.Blocks = append(f.Blocks, fmt.Sprintf("b%02d", 11-i)) // as their builds ended
	}
	run := api.Run{Verdict: api.BuildFailed, Failures: []api.Failure{f}, FailuresTotal: 1}
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "blocks b00, b01, b02, b03, b04, b05, b06, b07, b08, b09 and 2 more; -v names them\n") {
		t.Error(text)
	}
	if text := render.Summary(run, render.Style{Verbose: true}); !strings.Contains(text, "b10, b11\n") {
		t.Error(text)
	}
}

func TestATestWhosePartsMayBeMissingIsNamedOnce(t *testing.T) {
	t.Parallel()
	cut := sdk.TestID{Suite: "s", Test: "TestA"}
	run := api.Run{
		Verdict: api.Failed, Reason: "1 failure", Counts: api.Counts{Failed: 1, Unfinished: 1}, Unfinished: []sdk.TestID{cut},
		Warnings: []api.Note{{Code: api.NotePartly, Text: "parts of s/TestA may never have started", Test: cut}},
	}
	if text := render.Summary(run, render.Style{}); strings.Contains(text, "did not finish") || !strings.Contains(text, "1 unfinished") {
		t.Error(text)
	}
	// Another one that did not finish is named.
	run.Unfinished, run.Counts.Unfinished = append(run.Unfinished, sdk.TestID{Suite: "s", Test: "TestB"}), 2
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "2 tests did not finish") || !strings.Contains(text, "TestB") {
		t.Error(text)
	}
	run.Unfinished, run.Counts.Unfinished = run.Unfinished[1:], 1
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "did not finish") {
		t.Error(text)
	}
}

func TestAPassIsALineUnlessItsCountsSayMore(t *testing.T) {
	t.Parallel()
	run := api.Run{
		Verdict: api.Passed, Reason: "9 tests passed", RunID: "r", Language: "go", DurationS: 1,
		Counts:      api.Counts{Passed: 12, Tests: 12, TestsPassed: 9, Suites: 3, SuitesWithoutTests: 2},
		Outstanding: 2, OutstandingCounts: api.OutstandingCounts{Tests: 2},
	}
	const rest = "2 tests still outstanding: failed"
	run.Message = rest
	if text, want := render.Summary(run, render.Style{}), "passed: 9 tests passed, 3 suites (2 ran no test), 1.00s, go, run r\n"+rest+"\n"; text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if run.Message = "something else"; !strings.Contains(render.Summary(run, render.Style{}), "run r; 2 tests outstanding\n") {
		t.Error("it does not say what is outstanding")
	}
}

func TestThePlaceOfAFailureNamesTheCallersBetweenItAndTheTest(t *testing.T) {
	t.Parallel()
	at := func(file string, line int) sdk.Location { return sdk.Location{File: file, Line: line} }
	f := api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: "T"}, Kind: "panic", Location: at("lock.go", 6), TestFrame: at("a_test.go", 1)}}
	for want, lines := range map[string][]int{
		"lock.go:6, from a_test.go:1":                         {},
		"lock.go:6, from a.go:7, a_test.go:1":                 {7},
		"lock.go:6, from a.go:7, a.go:8, a.go:9, a_test.go:1": {7, 8, 9, 10, 11},
	} {
		f.Stack = []sdk.Frame{{Function: "lock", Location: at("lock.go", 6)}}
		for _, line := range lines {
			f.Stack = append(f.Stack, sdk.Frame{Function: "f", Location: at("a.go", line)})
		}
		f.Stack = append(f.Stack, sdk.Frame{Function: "T", Location: at("a_test.go", 1)}, sdk.Frame{Function: "run", Location: at("run_test.go", 1)})
		run := api.Run{Verdict: api.Failed, Failures: []api.Failure{f}, FailuresTotal: 1}
		if text := render.Summary(run, render.Style{}); !strings.Contains(text, "   "+want+"\n") {
			t.Errorf("%q is missing:\n%s", want, text)
		}
		// What an answer has left of the stack says the same.
		run.Failures[0].Stack = concise.Callers(f)
		if text := render.Summary(run, render.Style{}); !strings.Contains(text, "   "+want+"\n") {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

func TestTheRunInWhichTestsLastPassedIsNamedOnce(t *testing.T) {
	t.Parallel()
	run := api.Run{Verdict: api.Failed, FailuresTotal: 4}
	for i, passed := range []string{"r1", "r1", "r2", "r3"} {
		run.Failures = append(run.Failures, api.Failure{
			Failure:  sdk.Failure{TestID: sdk.TestID{Suite: "s", Test: fmt.Sprint("T", i)}, Kind: "assertion", Message: fmt.Sprint(i)},
			Standing: &api.Standing{Classification: api.Regression, LastPassed: &api.LastPassed{RunID: passed}},
		})
	}
	text := render.Summary(run, render.Style{Changed: &api.ChangedLines{SinceRunID: "r3"}})
	for words, n := range map[string]int{"in run r1\n": 1, "in run r2\n": 1, "in run r3\n": 0, "   regression\n": 2} {
		if strings.Count(text, words) != n {
			t.Errorf("%q is not there %d times:\n%s", words, n, text)
		}
	}
}
