package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
)

// Who names packages sees how many of them are done.
func TestNamedSuitesAreExpected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run  api.Run
		want int
	}{
		"two":       {api.Run{Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a", "./b"}, Filter: "X"}}, 2},
		"a pattern": {api.Run{Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a", "./b/..."}}}, 0},
		"a shard":   {api.Run{Kind: api.KindRun, Selection: api.Selection{Packages: []string{"./a"}, Shard: "1/2"}}, 0},
		"by change": {api.Run{Kind: api.KindRun, Selection: api.Selection{Affected: "HEAD"}}, 0},
		"a rerun":   {api.Run{Kind: api.KindRerun, Selection: api.Selection{Packages: []string{"./a"}}}, 0},
	} {
		if got, expected := expectSuites(t.Context(), &Plan{Run: c.run}); got != c.want || expected() != nil {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
