package outstanding_test

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// reported is the record of a report.
type reported struct {
	results  []api.Result
	failures []api.Failure
}

func (r reported) Results(yield func(api.Result) bool) error {
	for _, one := range r.results {
		yield(one)
	}
	return nil
}

func (r reported) Failures(yield func(api.Failure) bool) error {
	for _, one := range r.failures {
		yield(one)
	}
	return nil
}

// A merge has no outstanding set of its own that says so.
func TestAReportOfAMisplacedQuarantineBesideAFailureIsOutstandingAsAWhole(t *testing.T) {
	t.Parallel()
	id := sdk.TestID{Suite: "p", Test: "TestA"}
	run := api.Run{RunID: "r", Kind: api.KindMerge, Verdict: api.Failed, Caveats: []api.Caveat{{Code: api.CaveatMisplaced, Text: "p/TestOld in quarantine does not exist"}}}
	set, err := outstanding.AfterReport(outstanding.Set{}, run, reported{
		results:  []api.Result{{TestResult: sdk.TestResult{TestID: id, Status: sdk.Failed}}},
		failures: []api.Failure{{Failure: sdk.Failure{TestID: id}}},
	}, "")
	if err != nil || set.Len() != 2 || set.Entries[1].TestID != id || set.Entries[0].Why != outstanding.WhyMisplaced {
		t.Errorf("%+v, %v", set, err)
	}
}
