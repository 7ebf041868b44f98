package render

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestAnInterruptedTestIsNoFailure(t *testing.T) {
	t.Parallel()
	run := api.Run{Language: "go", FailuresTotal: 2, Failures: []api.Failure{
		{Failure: sdk.Failure{Kind: sdk.KindAssertion}}, {Failure: sdk.Failure{Kind: "signal"}},
	}}
	for cancelled, want := range map[bool]string{
		false: "2 test failure(s) from last run_tests call (go, 0s ago):",
		true:  "1 test failure(s) and 1 interrupted from last run_tests call (go, 0s ago):",
	} {
		run.Cancelled = cancelled
		if got := FailuresHeader(run, 0, ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheTitleOfADiffIsNotRepeated(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"mismatch": "--- diff ---\ngot: 5", "mismatch\n--- diff ---": "got: 5",
	} {
		if got := titleDiff(message, "got: 5"); got != want {
			t.Errorf("below %q: %q, want %q", message, got, want)
		}
	}
}
