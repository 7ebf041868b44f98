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
			"passed with other arguments: 1 test passed here, and was red with '-tags=a b', where nothing shows a pass: p/A; `proctor rerun` asks again as before"}},
		"many": {slices.Repeat([]outstanding.Entry{red("A", outstanding.WayOf([]string{"0000 -k", "0001 x"}, nil))}, 6), []string{
			"passed with other arguments: 6 tests passed here, and were red with -k x, where nothing shows a pass: p/A, p/A, p/A, p/A, p/A and 1 more; `proctor rerun` asks again as before"}},
	} {
		if got := elsewiseNotes(tc.left); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestARerunOfASlipNamesTheWayOut(t *testing.T) {
	t.Parallel()
	asked := []outstanding.Target{{Test: api.Test{Suite: "cart"}}, {Test: api.Test{Suite: "p", Test: "A"}}}
	for want, failure := range map[string]api.Failure{
		"`proctor outstanding --drop cart` takes this suite off if it was a slip": {Suite: "cart", Kind: sdk.KindSetup},
		"": {Suite: "cart", Kind: sdk.KindBuild},
	} {
		if got := ledger.SlipFix(api.Run{Failures: []api.Failure{failure, {Suite: "p", Kind: sdk.KindSetup}}}, asked); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
