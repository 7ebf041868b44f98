package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
)

func TestARerunSaysWhatItLeavesForLater(t *testing.T) {
	t.Parallel()
	entry := func(suite, test, args string) outstanding.Entry {
		return outstanding.Entry{Test: api.Test{Suite: suite, Test: test}, Args: args + outstanding.EnvMark}
	}
	group := outstanding.Set{Entries: []outstanding.Entry{entry("s", "A", ""), entry("s", "B", ""), entry("t", "C", "")}}
	for name, tc := range map[string]struct {
		targets []api.Test
		want    string
	}{
		"all":           {[]api.Test{{Suite: "s", Test: "A"}, {Suite: "s", Test: "B"}, {Suite: "t", Test: "C"}}, ""},
		"a whole suite": {[]api.Test{{Suite: "s"}}, "outstanding: 3 tests; not asked for yet, and left for the next rerun: 1 test (`proctor run` runs all at once)"},
		"everything":    {[]api.Test{{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c choice
			for _, target := range tc.targets {
				c.Targets = append(c.Targets, outstanding.Target{Test: target})
				c.Requested = append(c.Requested, outstanding.Target{Test: target})
			}
			c.leave(group)
			if got := c.left(group.Counts()); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
