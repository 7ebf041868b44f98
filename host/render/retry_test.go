package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// retried is a run in which two tests failed for one cause, and one of them passed when
// retried.
func retried(v api.Verdict) api.Run {
	run := api.Run{
		Kind: api.KindRun, Verdict: v, Reason: "a reason", RunID: "fnub5xaaaa", Counts: api.Counts{Tests: 3, TestsPassed: 1, Passed: 1, Failed: 2, Flaky: 1},
		Causes: []api.Cause{{Signature: "x", Total: 2}}, FailuresTotal: 2,
		Retried: []api.Retried{
			{TestID: sdk.TestID{Suite: "a", Test: "Sometimes"}, Flaky: true, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomePassed}}},
			{TestID: sdk.TestID{Suite: "a", Test: "Always"}, Attempts: []api.Attempt{{RunID: "r1", Outcome: api.OutcomeFailed}, {RunID: "r2", Outcome: api.OutcomeDidNotRun, Why: "gone"}}},
		},
	}
	for _, name := range []string{"Sometimes", "Always"} {
		run.Failures = append(run.Failures, api.Failure{Signature: "x", Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a", Test: name}, Kind: "assertion", Message: "wrong"}})
	}
	return run
}

func TestAFlakyTestIsNotShownAmongTheFailuresThatShareItsCause(t *testing.T) {
	run := retried(api.Failed)
	got := render.Ending(run, nil, render.Style{})
	for _, want := range []string{"~ a Sometimes  passed on the 3rd try: flaky\n", "✗ a Always\n", "FAILED  2 tests, 1 of them flaky"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	if text := render.Summary(run, render.Style{}); !strings.Contains(text, "1 flaky: failed, then passed when retried:\n") {
		t.Error(text)
	}
}

func TestAPassWithFlakyTestsNamesThem(t *testing.T) {
	run := retried(api.Passed)
	run.Failures, run.FailuresTotal, run.Retried, run.Causes = run.Failures[:1], 1, run.Retried[:1], nil
	for _, style := range []render.Style{{}, {Quiet: true}, {Verbose: true}} {
		if got := render.Ending(run, nil, style); !strings.Contains(got, "PASSED (1 flaky)  ") || !strings.Contains(got, "~ a Sometimes") {
			t.Errorf("%+v:\n%s", style, got)
		}
	}
}

// A suite that failed in one attempt of a shard, and nothing there says why.
func TestAFlakySuiteWithoutAFailureIsNamed(t *testing.T) {
	for _, verdict := range []api.Verdict{api.Failed, api.Passed} {
		run := retried(verdict)
		run.Failures, run.FailuresTotal, run.Causes = nil, 0, nil
		run.Retried = []api.Retried{{TestID: sdk.TestID{Suite: "a"}, Flaky: true, Attempts: []api.Attempt{{RunID: "r2", Outcome: api.OutcomePassed}}}}
		const line = "~ a  failed without a failure that says why, then passed when retried: flaky\n"
		for _, style := range []render.Style{{}, {Quiet: true}} {
			if got := render.Ending(run, nil, style); strings.Count(got, line) != 1 {
				t.Errorf("%s, %+v:\n%s", verdict, style, got)
			}
		}
		run.Failures = []api.Failure{{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a"}, Kind: "exit"}}}
		if got := render.Ending(run, nil, render.Style{}); strings.Contains(got, line) {
			t.Errorf("beside its failure:\n%s", got)
		}
	}
}
