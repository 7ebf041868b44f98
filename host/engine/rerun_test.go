package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// The last line of a rerun is that of its last part, which may pass after another failed.
func TestAPartOfARerunSaysThatAnEarlierOneDidNotPass(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]rerunPart{
		"":                          {number: 1, of: 1},
		"part 1 of 3 of this rerun": {number: 1, of: 3},
		"part 3 of 3 of this rerun; run r2 before it: failed": {number: 3, of: 3, before: []api.Run{
			{RunID: "r1", Verdict: api.Passed}, {RunID: "r2", Verdict: api.Failed},
		}},
	} {
		if got := p.caveat(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
