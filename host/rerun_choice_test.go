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
	other := rerun.Set{Entries: []rerun.Entry{entry("s", "A", "-race\x00-short"), entry("u", "D", "-race\x00-short")}}
	for name, tc := range map[string]struct {
		targets []record.Test
		others  []rerun.Set
		want    string
	}{
		"all":             {[]record.Test{{Suite: "s", Test: "A"}, {Suite: "s", Test: "B"}, {Suite: "t", Test: "C"}}, nil, ""},
		"a whole suite":   {[]record.Test{{Suite: "s"}}, nil, "2 of 3 outstanding were asked for; the next rerun has 1 more (`proctor run` runs all at once)"},
		"everything":      {[]record.Test{{}}, []rerun.Set{other}, ""},
		"other arguments": {[]record.Test{{Suite: "s"}, {Suite: "t"}}, []rerun.Set{other}, "3 of 4 outstanding were asked for; 1 came in with other runner arguments (-race -short), to be run when these have passed: `proctor outstanding --drop TEST` takes off what was a slip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c choice
			for _, target := range tc.targets {
				c.Targets = append(c.Targets, rerun.Target{Test: target})
				c.Requested = append(c.Requested, rerun.Target{Test: target})
			}
			all := 3
			if name == "other arguments" {
				all = 4
			}
			c.leave(group, tc.others)
			if got := c.left(all); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
