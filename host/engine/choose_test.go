package engine

import (
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

func TestARerunSaysWhatItLeavesForLater(t *testing.T) {
	t.Parallel()
	entry := func(suite, test, args string) outstanding.Entry {
		return outstanding.Entry{TestID: sdk.TestID{Suite: suite, Test: test}, Args: args + outstanding.EnvMark}
	}
	group := outstanding.Set{Entries: []outstanding.Entry{entry("s", "A", ""), entry("s", "B", ""), entry("t", "C", "")}}
	for name, tc := range map[string]struct {
		targets []sdk.TestID
		want    string
	}{
		"all":           {[]sdk.TestID{{Suite: "s", Test: "A"}, {Suite: "s", Test: "B"}, {Suite: "t", Test: "C"}}, ""},
		"a whole suite": {[]sdk.TestID{{Suite: "s"}}, "outstanding: 3 tests; left until these pass: 1 test"},
		"everything":    {[]sdk.TestID{{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c choice
			for _, target := range tc.targets {
				c.Targets = append(c.Targets, outstanding.Target{TestID: target})
				c.Requested = append(c.Requested, outstanding.Target{TestID: target})
			}
			c.findWaiting(group)
			got := c.describeWaiting(group.Counts())
			if tc.want == "" && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0].Text != tc.want || got[0].Advice.Operation != api.AdviseRunAtOnce {
				t.Errorf("got  %v\nwant %s", got, tc.want)
			}
		})
	}
}

func TestTargetsWithoutACommandAreNamedWithTheirPlugin(t *testing.T) {
	target := func(suite, test string) outstanding.Target {
		return outstanding.Target{TestID: sdk.TestID{Suite: suite, Test: test}}
	}
	const wayOut = ": only a run of everything shows what became of it"
	for want, targets := range map[string][]outstanding.Target{
		"plugin node has no command for the run itself, which failed as a whole" + wayOut: {target("", "")},
		"plugin node has no command for a.mjs, b.mjs/t" + wayOut:                          {target("a.mjs", ""), target("b.mjs", "t")},
		"plugin node has no command for a, b, c and 2 more" + wayOut:                      {target("a", ""), target("b", ""), target("c", ""), target("d", ""), target("e", "")},
	} {
		if got := describeUncomposed("node", targets); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestWhatCouldNotBeComposedDidNotRunForThatReason(t *testing.T) {
	p := &Plan{Project: project.Project{ID: client.Identity{Description: sdk.Description{Name: "node"}}}, Chosen: &outstanding.Selection{Gone: make([]api.Requested, 1)}}
	requested := []api.Requested{
		{Outcome: api.OutcomeDidNotRun, Why: "no test ran"}, {Outcome: api.OutcomeFailed}, {Outcome: api.OutcomeDidNotRun, Why: "gone"},
	}
	c := &conclusion{execution: &execution{plan: p, run: &api.Run{Requested: requested}}}
	c.explainUncomposed()
	if requested[0].Why != "no test ran" {
		t.Errorf("a plan with commands: %+v", requested)
	}
	p.uncomposed = map[sdk.TestID]bool{{}: true}
	c.explainUncomposed()
	if requested[0].Why != "plugin node has no command for it" || requested[1].Why != "" || requested[2].Why != "gone" {
		t.Errorf("a plan without commands: %+v", requested)
	}
}

func TestATargetThatNoCommandRunsIsUncomposed(t *testing.T) {
	t.Parallel()
	target := func(suite, test, root string) outstanding.Target {
		return outstanding.Target{TestID: sdk.TestID{Suite: suite, Test: test}, Root: root}
	}
	targets := []outstanding.Target{target("a", "T", ""), target("a", "U/x", "U"), target("b", "V", "")}
	runs := func(ids ...sdk.TestID) sdk.Command { return sdk.Command{Targets: ids} }
	for name, tc := range map[string]struct {
		plan sdk.Plan
		want int
	}{
		"no command":            {sdk.Plan{}, 3},
		"one that does not say": {sdk.Plan{Commands: []sdk.Command{runs(sdk.TestID{Suite: "a"}), {}}}, 0},
		"tests and roots":       {sdk.Plan{Commands: []sdk.Command{runs(sdk.TestID{Suite: "a", Test: "T"}, sdk.TestID{Suite: "a", Test: "U"})}}, 1},
		"a suite":               {sdk.Plan{Commands: []sdk.Command{{Prepares: true}, runs(sdk.TestID{Suite: "a"})}}, 1},
		"everything":            {sdk.Plan{Commands: []sdk.Command{runs(sdk.TestID{})}}, 0},
	} {
		if got := findUncomposed(targets, tc.plan); len(got) != tc.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestEverythingIsOutstandingForAReason(t *testing.T) {
	t.Parallel()
	misplaced, killed := outstanding.Entry{Why: outstanding.WhyMisplaced}, outstanding.Entry{Why: outstanding.WhyNoEnd}
	test := outstanding.Entry{TestID: sdk.TestID{Suite: "s", Test: "A"}}
	for want, sets := range map[string][][]outstanding.Entry{
		"": {nil, {test}},
		"an earlier run found a quarantine of a test that does not exist": {{misplaced}, {test, misplaced}},
		"it is unknown which tests failed before":                         {{killed}, {misplaced, killed}, {killed, misplaced}, {killed, test}},
	} {
		for _, entries := range sets {
			if got := whyEverything(outstanding.Set{Entries: entries}); got != want {
				t.Errorf("%v: %q, want %q", entries, got, want)
			}
		}
	}
}
