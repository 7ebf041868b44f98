package render_test

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func TestAFailureIsNotHiddenBehindOneInQuarantineOfTheSameCause(t *testing.T) {
	run := api.Run{
		Kind: api.KindRun, Verdict: api.Failed, Reason: "a reason", RunID: "fnub5xaaaa", Counts: api.Counts{Tests: 2, Failed: 2},
		Causes: []api.Cause{{Signature: "x", Total: 2}}, FailuresTotal: 2, Quarantined: 1,
	}
	for name, reason := range map[string]string{"TestKnown": "known", "TestOther": ""} {
		run.Failures = append(run.Failures, api.Failure{Signature: "x", Quarantine: reason, Failure: sdk.Failure{TestID: sdk.TestID{Suite: "a", Test: name}, Kind: "assertion", Message: "wrong"}})
	}
	for _, style := range []render.Style{{}, {Quiet: true}, {Verbose: true}} {
		if got := render.Ending(run, nil, style); !strings.Contains(got, "✗ a TestOther") || strings.Contains(got, "2 failures") {
			t.Errorf("%+v:\n%s", style, got)
		}
	}
	if run.Causes[0].Total != 2 {
		t.Error("showing a run changed it")
	}
}
