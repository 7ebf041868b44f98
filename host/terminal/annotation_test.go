package terminal

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

func TestAnAnnotationNamesTheFailureThatDecides(t *testing.T) {
	run := api.Run{Verdict: api.Failed}
	for _, f := range []struct{ test, quarantine string }{{"TestKnown", "known"}, {"TestOther", ""}} {
		run.Failures = append(run.Failures, api.Failure{Quarantine: f.quarantine, Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a", Test: f.test}, Message: "wrong"}})
	}
	sorted := slices.SortedStableFunc(slices.Values(run.Failures), compareQuarantine)
	if got := annotation(run, liveCause{first: sorted[0], more: 1}); !strings.HasPrefix(got, "::error") || !strings.Contains(got, "TestOther") {
		t.Error(got)
	}
	if got := annotation(run, liveCause{first: sorted[1]}); !strings.HasPrefix(got, "::warning") {
		t.Error(got)
	}
}
