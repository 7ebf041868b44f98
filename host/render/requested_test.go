package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func TestRequestedTestsWithTheSameEndAreNamedTogether(t *testing.T) {
	t.Parallel()
	run := api.Run{Verdict: api.Incomplete}
	for i := range 25 {
		run.Requested = append(run.Requested, api.Requested{TestID: sdk.TestID{Suite: "s", Test: fmt.Sprint("T", i)}, Outcome: api.OutcomeDidNotRun, Why: "stopped"})
	}
	run.Requested = append(run.Requested,
		api.Requested{TestID: sdk.TestID{Suite: "s", Test: "Skips"}, Outcome: api.OutcomeSkipped, Why: "by itself"},
		api.Requested{TestID: sdk.TestID{Suite: "s", Test: "Passes"}, Outcome: api.OutcomePassed})
	got := render.Summary(run, render.Style{})
	for _, want := range []string{"did not run: 25 tests (stopped)\n   s T0\n", "   s T19\n   and 5 more\n", "skipped: s Skips (by itself)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Count(got, "stopped") != 1 || strings.Contains(got, "T20") || strings.Contains(got, "Passes") {
		t.Errorf("too much is named in\n%s", got)
	}
	if all := render.Summary(run, render.Style{Verbose: true}); !strings.Contains(all, "   s T24\n") || strings.Contains(all, "more") {
		t.Errorf("not all is named in\n%s", all)
	}
}

// A runner that prints only at its end may have run everything before it was stopped.
func TestTestsOfAStoppedRunnerHaveNoResult(t *testing.T) {
	t.Parallel()
	run := api.Run{Verdict: api.Incomplete, TimedOut: true, Counts: api.Counts{NeverStarted: 3},
		NeverStarted: []sdk.TestID{{Suite: "p", Test: "A"}, {Suite: "p", Test: "B"}, {Suite: "q", Test: "C"}}}
	got := render.Summary(run, render.Style{})
	if !strings.Contains(got, "3 tests without a result:\n   p: 2 tests\n   q: 1 test\n") || !strings.Contains(got, "0 failed, 3 tests without a result,") {
		t.Errorf("got\n%s", got)
	}
	few := run
	few.NeverStarted = run.NeverStarted[:2]
	if got := render.Summary(few, render.Style{}); !strings.Contains(got, "3 tests without a result:\n   p\n   and maybe others\n") {
		t.Errorf("got:\n%s", got)
	}
	if got := render.Summary(run, render.Style{Verbose: true}); !strings.Contains(got, "3 tests without a result:\n   p A\n") {
		t.Errorf("verbose:\n%s", got)
	}
	run.Counts.Suites, run.Counts.Passed = 1, 1
	if got := render.Summary(run, render.Style{}); !strings.Contains(got, "3 tests never started:\n   p A\n") || strings.Contains(got, "without a result") {
		t.Errorf("where a suite was reported:\n%s", got)
	}
}
