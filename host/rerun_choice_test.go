package host

import (
	"testing"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

func TestARerunSaysWhatItLeavesForLater(t *testing.T) {
	t.Parallel()
	entry := func(suite, test, args string) rerun.Entry {
		return rerun.Entry{Test: record.Test{Suite: suite, Test: test}, Args: args + rerun.EnvMark}
	}
	group := rerun.Set{Entries: []rerun.Entry{entry("s", "A", ""), entry("s", "B", ""), entry("t", "C", "")}}
	for name, tc := range map[string]struct {
		targets []record.Test
		want    string
	}{
		"all":           {[]record.Test{{Suite: "s", Test: "A"}, {Suite: "s", Test: "B"}, {Suite: "t", Test: "C"}}, ""},
		"a whole suite": {[]record.Test{{Suite: "s"}}, "outstanding: 3 tests; not asked for yet, and left for the next rerun: 1 test (`proctor run` runs all at once)"},
		"everything":    {[]record.Test{{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c choice
			for _, target := range tc.targets {
				c.Targets = append(c.Targets, rerun.Target{Test: target})
				c.Requested = append(c.Requested, rerun.Target{Test: target})
			}
			c.leave(group)
			if got := c.left(group.Counts()); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
