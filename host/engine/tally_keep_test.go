package engine

import (
	"fmt"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/tally"
	"github.com/proctorhq/proctor/sdk"
)

func TestWhatHidesOtherFailuresIsCarriedHoweverManyCameBefore(t *testing.T) {
	tally := tally.NewTally()
	for i := range api.MaxFailures + 100 {
		tally.Failure(api.Failure{Suite: "p", Test: fmt.Sprint(i), Kind: sdk.KindAssertion})
	}
	tally.Failure(api.Failure{Suite: "q", Kind: sdk.KindBuild})
	tally.Failure(api.Failure{Suite: "p", Test: "Crash", Kind: sdk.KindPanic})
	if len(tally.Failures) != api.MaxFailures || tally.FailuresTotal != api.MaxFailures+102 {
		t.Fatalf("%d of %d", len(tally.Failures), tally.FailuresTotal)
	}
	kinds := map[string]int{}
	for _, f := range tally.Failures {
		kinds[f.Kind]++
	}
	if kinds[sdk.KindBuild] != 1 || kinds[sdk.KindPanic] != 1 || tally.Failures[0].Test != "0" {
		t.Errorf("%v", kinds)
	}
}
