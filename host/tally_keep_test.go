package host

import (
	"fmt"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

func TestWhatHidesOtherFailuresIsCarriedHoweverManyCameBefore(t *testing.T) {
	tally := newTally()
	for i := range record.MaxFailures + 100 {
		tally.Failure(record.Failure{Suite: "p", Test: fmt.Sprint(i), Kind: sdk.KindAssertion})
	}
	tally.Failure(record.Failure{Suite: "q", Kind: sdk.KindBuild})
	tally.Failure(record.Failure{Suite: "p", Test: "Crash", Kind: sdk.KindPanic})
	if len(tally.failures) != record.MaxFailures || tally.failuresTotal != record.MaxFailures+102 {
		t.Fatalf("%d of %d", len(tally.failures), tally.failuresTotal)
	}
	kinds := map[string]int{}
	for _, f := range tally.failures {
		kinds[f.Kind]++
	}
	if kinds[sdk.KindBuild] != 1 || kinds[sdk.KindPanic] != 1 || tally.failures[0].Test != "0" {
		t.Errorf("%v", kinds)
	}
}
