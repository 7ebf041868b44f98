package host

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

func TestAPassInAnotherWaySaysWhatStaysOutstanding(t *testing.T) {
	t.Parallel()
	red := func(test string, way *rerun.Way) rerun.Entry {
		return rerun.Entry{Test: record.Test{Suite: "p", Test: test}, Way: way}
	}
	for name, tc := range map[string]struct {
		left []rerun.Entry
		want []string
	}{
		"nothing": {nil, nil},
		"one": {[]rerun.Entry{red("A", rerun.WayOf([]string{"-tags=a b"}, nil))}, []string{
			"passed with other arguments: 1 test passed here, and was red with '-tags=a b', where nothing shows a pass: p/A; `proctor rerun` asks again as before"}},
		"many": {slices.Repeat([]rerun.Entry{red("A", rerun.WayOf([]string{"0000 -k", "0001 x"}, nil))}, 6), []string{
			"passed with other arguments: 6 tests passed here, and were red with -k x, where nothing shows a pass: p/A, p/A, p/A, p/A, p/A and 1 more; `proctor rerun` asks again as before"}},
	} {
		if got := elsewiseNotes(tc.left); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestARerunOfASlipNamesTheWayOut(t *testing.T) {
	t.Parallel()
	asked := []rerun.Target{{Test: record.Test{Suite: "cart"}}, {Test: record.Test{Suite: "p", Test: "A"}}}
	for want, failure := range map[string]record.Failure{
		"`proctor outstanding --drop cart` takes this suite off if it was a slip": {Suite: "cart", Kind: sdk.KindSetup},
		"": {Suite: "cart", Kind: sdk.KindBuild},
	} {
		if got := slipFix(record.Run{Failures: []record.Failure{failure, {Suite: "p", Kind: sdk.KindSetup}}}, asked); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
