package ledger

import (
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// A run that was shown but not recorded must not leave the set unchanged.
func TestARunThatIsNotOnRecordLeavesEverythingOutstanding(t *testing.T) {
	named := outstanding.Set{Entries: []outstanding.Entry{{TestID: sdk.TestID{Suite: "p", Test: "A"}}}}
	for _, c := range []struct {
		name        string
		gaps        gaps
		set         outstanding.Set
		known, lost bool
		want        int
		everything  bool
	}{
		{"as it was read", gaps{last: "x"}, named, true, false, 1, false},
		{"before the first run", gaps{}, outstanding.Set{}, false, false, 0, false},
		{"there were runs before the history", gaps{begun: true}, outstanding.Set{}, false, false, 1, true},
		{"of another language since", gaps{begun: true}, named, true, false, 1, false},
		{"the session had a run, the history has none", gaps{last: "x"}, outstanding.Set{}, false, false, 1, true},
		{"the last run is not in it", gaps{last: "x", unrecorded: true}, named, true, false, 2, true},
		{"set aside", gaps{}, named, true, true, 1, true},
	} {
		got := c.gaps.fill(c.set, c.known, c.lost)
		all := slices.ContainsFunc(got.Entries, func(e outstanding.Entry) bool { return e.TestID == sdk.TestID{} })
		if got.Len() != c.want || all != c.everything {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
