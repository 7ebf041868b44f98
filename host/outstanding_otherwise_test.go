package host

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/sdk"
)

func TestAPassWithOtherArgumentsSaysHowToAskAgain(t *testing.T) {
	t.Parallel()
	a := []record.Test{{Suite: "p", Test: "A"}}
	for name, tc := range map[string]struct {
		passed map[string][]record.Test
		now    []string
		want   []string
	}{
		"nothing": {nil, nil, nil},
		"without": {map[string][]record.Test{"-tags\x00a b": a}, nil, []string{
			"passed with other arguments: 1 test came in with runner arguments -tags 'a b', passed without them, and is no longer outstanding: p/A; ask as before with: proctor run -- -tags 'a b'"}},
		"with": {map[string][]record.Test{"": slices.Repeat(a, 6)}, []string{"-short"}, []string{
			"passed with other arguments: 6 tests came in without runner arguments, passed with -short, and are no longer outstanding: p/A, p/A, p/A, p/A, p/A and 1 more; ask as before with: proctor run"}},
	} {
		if got := otherwiseNotes(tc.passed, tc.now); !slices.Equal(got, tc.want) {
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
