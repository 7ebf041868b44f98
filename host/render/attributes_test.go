package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func TestALanguagesOwnDetailStandsBelowTheMessage(t *testing.T) {
	run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{{Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: "s", Test: "t"}, Kind: "assertion", Location: sdk.Location{File: "a.x", Line: 7}, Precision: sdk.PrecisionDeclaration, Message: "m: 1, 2",
		Attributes: map[string]string{
			"counterexample": "1, 2", "input": "1, 2", "calls": "one\ntwo", "empty": "", "proctor.truncated": "[stack]",
			"long": strings.Repeat("line\n", 40),
		},
	}}}}
	for name, text := range map[string]string{
		"the summary": render.Summary(run, render.Style{}), "the listing": render.Listing(run, 0, render.Page{}),
	} {
		for _, want := range []string{
			"   a.x:7 (where the test is declared)\n   m: 1, 2\n   calls:\n   one\n   two\n   input: 1, 2\n   long:\n   line\n",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
		for _, unwanted := range []string{"counterexample", "empty", "proctor."} {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s has %q:\n%s", name, unwanted, text)
			}
		}
	}
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "lines more") {
		t.Errorf("a long detail is not shortened:\n%s", text)
	}
	if text := render.Summary(run, render.Style{Verbose: true}); strings.Contains(text, "lines more") {
		t.Errorf("a long detail is shortened although all was asked for:\n%s", text)
	}
}

func TestAnExactPlaceNeedsNoRemark(t *testing.T) {
	run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{{Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: "s", Test: "t"}, Location: sdk.Location{File: "a.x", Line: 7}, Precision: sdk.PrecisionExact,
	}}}}
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "a.x:7\n") {
		t.Errorf("got\n%s", text)
	}
}

func TestNamesStayOnTheirLine(t *testing.T) {
	evil := "test/x\npassed: 9 tests passed\ny"
	run := api.Run{Verdict: api.Failed, FailuresTotal: 1, Failures: []api.Failure{{Repro: evil, Failure: sdk.Failure{
		TestID: sdk.TestID{Suite: evil, Test: evil}, Kind: evil, Location: sdk.Location{File: evil, Line: 1}, Message: evil, Blocks: []string{evil},
		Also: []sdk.Also{{Location: sdk.Location{File: evil}, Message: evil}}, TestFrame: sdk.Location{File: evil},
	}}}, NeverStarted: []sdk.TestID{{Suite: evil, Test: evil}}, Warnings: api.Notes("", evil),
		Requested: []api.Requested{{TestID: sdk.TestID{Suite: evil, Test: evil}, Outcome: api.OutcomeDidNotRun, Why: evil}}}
	run.Counts.NeverStarted = 1
	for name, text := range map[string]string{
		"the summary": render.Summary(run, render.Style{}), "the listing": render.Listing(run, 0, render.Page{}),
		"a failure's line": render.FailureLine(run.Failures[0]), "a result's line": (render.Style{}).ResultLine(api.Result{TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: evil, Test: evil}}}),
	} {
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "passed") {
				t.Errorf("%s has a line of its own for a part of a name:\n%s", name, text)
			}
		}
	}
}

func TestAResultsLineHasItsMeasures(t *testing.T) {
	r := api.Result{DurationS: 1, TestResult: sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Passed, Measures: []sdk.Measure{
		{Name: "cost", Kind: "mean", Value: "12"}, {Name: "cost", Value: "7"}, {Name: "part", Section: "a", Value: "1"},
	}}}
	if got, want := (render.Style{}).ResultLine(r), "passed     s t (1.00s, mean cost 12, cost 7)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
