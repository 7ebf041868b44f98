package portable

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// A test in quarantine is excused for its known failure, and for no other.
func TestAPassHidesNoFailureBesideOneInQuarantine(t *testing.T) {
	id := sdk.TestID{Suite: "s", Test: "T"}
	known := api.Failure{Failure: sdk.Failure{TestID: id}, Quarantine: "slow server"}
	other := api.Failure{Failure: sdk.Failure{TestID: id}}
	run := api.Run{Verdict: api.Passed, Failures: []api.Failure{known}}
	if err := checkVerdict(run); err != nil {
		t.Errorf("a known failure: %v", err)
	}
	run.Failures = append(run.Failures, other)
	if checkVerdict(run) == nil {
		t.Error("a pass with another failure of a test in quarantine was accepted")
	}
	run.Retried = []api.Retried{{TestID: id, Flaky: true}}
	run.Shard = &api.Shard{FlakyPasses: true}
	if err := checkVerdict(run); err != nil {
		t.Errorf("a flaky test that may pass: %v", err)
	}
}
