package work

import (
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/engine"
	"github.com/proctorhq/proctor/host/shard"
	"github.com/proctorhq/proctor/sdk"
)

// However many batches are ending, no more run at a time than there are slots.
func TestASlotIsGivenBackOnce(t *testing.T) {
	t.Parallel()
	fixed, err := worker.NewFixedSizeSlotSupplier(1)
	if err != nil {
		t.Fatal(err)
	}
	e := &early{SlotSupplier: fixed, most: 1}
	check := func(when string, free bool) {
		t.Helper()
		permit := e.TryReserveSlot(nil)
		if (permit != nil) != free {
			t.Errorf("%s, a slot is free: %v", when, permit != nil)
		}
	}
	check("at first", true)
	first := e.giver()
	check("while the first batch runs", false)
	first()
	first()
	check("when its tests have ended", true)
	check("while the second batch runs", false)
	second := e.giver()
	second()
	check("when its tests have ended and the first batch is being stored", false)
	e.ReleaseSlot(nil)
	check("when one of them is stored", false)
	e.ReleaseSlot(nil)
	check("when both are stored", true)
	check("while the third batch runs", false)
	e.ReleaseSlot(nil)
	check("when it has failed", true)
}

func TestAPartIsFinishedWhenItsLastSuiteHasPassed(t *testing.T) {
	t.Parallel()
	d := engine.Division{Plan: shard.Plan{Parts: [][]shard.Piece{{{Suite: "other"}}, {{Suite: "a"}, {Suite: "b", Tests: []string{"t"}}}}}}
	for name, c := range map[string]struct {
		ended []sdk.SuiteResult
		want  bool
	}{
		"one":        {ended: []sdk.SuiteResult{{Suite: "a", Outcome: sdk.SuitePassed}}},
		"one, twice": {ended: []sdk.SuiteResult{{Suite: "a", Outcome: sdk.SuitePassed}, {Suite: "a", Outcome: sdk.SuitePassed}}},
		"another":    {ended: []sdk.SuiteResult{{Suite: "a", Outcome: sdk.SuitePassed}, {Suite: "other", Outcome: sdk.SuitePassed}}},
		"both":       {ended: []sdk.SuiteResult{{Suite: "b", Outcome: sdk.SuiteNoTests}, {Suite: "a", Outcome: sdk.SuitePassed}}, want: true},
		// What failed may run again.
		"one failed":         {ended: []sdk.SuiteResult{{Suite: "b", Outcome: sdk.SuiteFailed}, {Suite: "a", Outcome: sdk.SuitePassed}}},
		"one does not build": {ended: []sdk.SuiteResult{{Suite: "a", Outcome: sdk.SuitePassed}, {Suite: "b", Outcome: sdk.SuiteBuildFailed}}},
	} {
		called := 0
		f := newFinishing(d, 2, func() { called++ })
		for _, s := range c.ended {
			f.Listen(&api.SuiteEnded{SuiteResult: s})
		}
		if (called == 1) != c.want || called > 1 {
			t.Errorf("%s: called %d times", name, called)
		}
	}
}
