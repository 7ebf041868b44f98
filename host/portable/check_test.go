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

// What a pass says of itself besides its results must not contradict it, whoever wrote it.
func TestAPassContradictsItselfInNothing(t *testing.T) {
	id := sdk.TestID{Suite: "s", Test: "T"}
	known := []api.Failure{{Failure: sdk.Failure{TestID: id}, Quarantine: "slow server"}}
	for name, c := range map[string]struct {
		run     api.Run
		refused bool
	}{
		"a pass":                             {api.Run{}, false},
		"a test without an end":              {api.Run{Unfinished: []sdk.TestID{id}}, true},
		"a test that never started":          {api.Run{NeverStarted: []sdk.TestID{id}}, true},
		"a status that nothing explains":     {api.Run{Shard: &api.Shard{}, ExitCode: 1}, true},
		"that of a failure in quarantine":    {api.Run{Shard: &api.Shard{}, ExitCode: 1, Failures: known}, false},
		"that of parts that ran whole again": {api.Run{Kind: api.KindRerun, ExitCode: 1}, false},
		"an unknown status":                  {api.Run{Shard: &api.Shard{}, ExitCode: -1}, false},
		"a flaky test":                       {api.Run{ExitCode: 1, Retried: []api.Retried{{TestID: id, Flaky: true}}, Failures: []api.Failure{{Failure: known[0].Failure}}}, false},
		"one that is not flaky":              {api.Run{ExitCode: 1, Retried: []api.Retried{{TestID: id}}, Failures: []api.Failure{{Failure: known[0].Failure}}}, true},
		"a flaky test of a shard that may not pass": {api.Run{Shard: &api.Shard{}, ExitCode: 1, Retried: []api.Retried{{TestID: id, Flaky: true}},
			Failures: []api.Failure{{Failure: known[0].Failure}}}, true},
	} {
		c.run.Verdict = api.Passed
		if err := checkVerdict(c.run); (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if checkShard(api.Run{Kind: api.KindRerun, Shard: &api.Shard{}}) == nil {
		t.Error("a rerun was taken for a shard")
	}
}
