package engine

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func TestAPassInAnotherWaySaysWhatStaysOutstanding(t *testing.T) {
	t.Parallel()
	red := func(test string, way *outstanding.Way) outstanding.Entry {
		return outstanding.Entry{Test: api.Test{Suite: "p", Test: test}, Way: way}
	}
	for name, tc := range map[string]struct {
		left []outstanding.Entry
		want []string
	}{
		"nothing": {nil, nil},
		"one": {[]outstanding.Entry{red("A", outstanding.WayOf([]string{"-tags=a b"}, nil))}, []string{
			"passed with other arguments: 1 test passed here, and was red with '-tags=a b', where nothing shows a pass: p/A"}},
		"many": {slices.Repeat([]outstanding.Entry{red("A", outstanding.WayOf([]string{"0000 -k", "0001 x"}, nil))}, 6), []string{
			"passed with other arguments: 6 tests passed here, and were red with -k x, where nothing shows a pass: p/A, p/A, p/A, p/A, p/A and 1 more"}},
	} {
		got := elsewiseNotes(tc.left)
		for i, n := range got {
			if len(got) != len(tc.want) || n != (api.Note{Code: api.NotePassedOtherwise, Text: tc.want[i], Advice: api.Advice{Operation: api.AdviseRerun}}) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

func TestARerunOfASlipNamesTheWayOut(t *testing.T) {
	t.Parallel()
	asked := []outstanding.Target{{Test: api.Test{Suite: "cart"}}, {Test: api.Test{Suite: "p", Test: "A"}}}
	for want, failure := range map[api.Advice]api.Failure{
		{Operation: api.AdviseDropSlip, Of: "cart"}: {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "cart"}, Kind: sdk.KindSetup}},
		{}: {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "cart"}, Kind: sdk.KindBuild}},
	} {
		if got := ledger.SlipAdvice(api.Run{Failures: []api.Failure{failure, {Failure: sdk.Failure{TestID: sdk.TestID{Suite: "p"}, Kind: sdk.KindSetup}}}}, asked); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
