package engine

import (
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

// A rerun of some may find only what is gone, while others are left.
func TestARerunOfWhatIsGoneSaysNothingOfTheRest(t *testing.T) {
	t.Parallel()
	gone, left := sdk.TestID{Suite: "s", Test: "TestGone"}, sdk.TestID{Suite: "s", Test: "TestLeft"}
	p := Plan{Chosen: &outstanding.Selection{Gone: []api.Requested{{TestID: gone}}}}
	run := api.Run{Verdict: api.NothingRan, Outstanding: 1}
	for id, want := range map[sdk.TestID]string{gone: "nothing that is outstanding exists here any more", left: ""} {
		set := outstanding.Set{Entries: []outstanding.Entry{{TestID: id}}}
		if got, _ := p.composeMessage(run, set, func() string { return "nothing" }); got != want {
			t.Errorf("%s is left: %q, want %q", id.Test, got, want)
		}
	}
}

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

// Directories are named as for a run.
func TestADirectoryMeansWhatIsOutstandingInOrBelowIt(t *testing.T) {
	t.Parallel()
	var suites api.SuiteNames
	suites.LearnPrefixes([]string{"example.com/m"})
	var ids []sdk.TestID
	for _, suite := range []string{"example.com/m", "example.com/m/a", "example.com/m/a/b", "example.com/m/ab"} {
		ids = append(ids, sdk.TestID{Suite: suite}, sdk.TestID{Suite: suite, Test: "TestA"})
	}
	for name, want := range map[string]string{
		".": "m", "...": "m a a/b ab", "./...": "m a a/b ab", "./a": "a", "a": "a", "./a/": "a", "a/...": "a a/b", "./a/...": "a a/b",
		"./a/b": "a/b", "example.com/m/ab": "ab", "./c": "", "c/...": "", "TestA/...": "", "a/TestA": "a/TestA",
	} {
		var got []string
		for _, id := range matchNamed(ids, name, suites) {
			got = append(got, suites.Call(id))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s means %q, want %q", name, got, want)
		}
	}
}
