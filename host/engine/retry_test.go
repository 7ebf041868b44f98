package engine

import (
	"errors"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

func TestAPassOfARetryCountsOnlyWithoutDoubt(t *testing.T) {
	test := func(name, root string, s sdk.Status) sdk.TestResult {
		return sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: name}, Root: root, Status: s}
	}
	parts := []sdk.TestResult{test("A/one", "A", sdk.Passed), test("A/two", "A", sdk.Passed), test("A", "", sdk.Passed)}
	for _, c := range []struct {
		what   string
		change func(*Outcome, []sdk.TestResult)
		end    sdk.SuiteResult
		passed bool
	}{
		{"passed", nil, sdk.SuiteResult{Outcome: sdk.SuitePassed}, true},
		{"passed beside another test that failed", nil, sdk.SuiteResult{Outcome: sdk.SuiteFailed}, true},
		{"its suite ended early", nil, sdk.SuiteResult{Outcome: sdk.SuiteAborted}, false},
		{"its suite failed outside", nil, sdk.SuiteResult{Outcome: sdk.SuiteFailedOutsideTests}, false},
		{"a fixture of its suite failed", func(o *Outcome, _ []sdk.TestResult) { o.Tally.Fixtures["s"] = sdk.Failed }, sdk.SuiteResult{Outcome: sdk.SuiteFailed}, false},
		{"its suite has no end", nil, sdk.SuiteResult{}, false},
		{"from the cache", nil, sdk.SuiteResult{Outcome: sdk.SuitePassed, Cached: true}, false},
		{"not read to its end", func(o *Outcome, _ []sdk.TestResult) { o.Err = errors.New("x") }, sdk.SuiteResult{Outcome: sdk.SuitePassed}, false},
		{"another part failed", func(_ *Outcome, all []sdk.TestResult) { all[1].Status, all[2].Status = sdk.Failed, sdk.Failed }, sdk.SuiteResult{Outcome: sdk.SuiteFailed}, false},
		{"another part has no end", func(_ *Outcome, all []sdk.TestResult) { all[1].Status = sdk.Unfinished }, sdk.SuiteResult{Outcome: sdk.SuiteFailed}, false},
		{"skipped", func(o *Outcome, _ []sdk.TestResult) { o.Run.Requested[0].Outcome = api.OutcomeSkipped }, sdk.SuiteResult{Outcome: sdk.SuitePassed}, false},
		{"did not run", func(o *Outcome, _ []sdk.TestResult) { o.Run.Requested[0].Outcome = api.OutcomeDidNotRun }, sdk.SuiteResult{Outcome: sdk.SuitePassed}, false},
	} {
		done := Outcome{Tally: tally.NewTally(), Run: api.Run{RunID: "r", Requested: []api.Requested{{TestID: sdk.TestID{Suite: "s", Test: "A/one"}, Outcome: api.OutcomePassed}}}}
		results := append([]sdk.TestResult(nil), parts...)
		if c.change != nil {
			c.change(&done, results)
		}
		for _, r := range results {
			done.Results = append(done.Results, api.Result{TestResult: r})
			done.Tally.Listen(&api.TestEnded{Result: api.Result{TestResult: r}})
		}
		if c.end.Suite = "s"; c.end.Outcome != 0 {
			done.Tally.Listen(&api.SuiteEnded{SuiteResult: c.end})
		}
		a, ran := judgeAttempt(done)[sdk.TestID{Suite: "s", Test: "A/one"}]
		if !ran || (a.Outcome == api.OutcomePassed) != c.passed || (a.Why == "") != c.passed && a.Outcome != api.OutcomeDidNotRun {
			t.Errorf("%s: %+v", c.what, a)
		}
	}
}
