package coverage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// The bounds of what an answer says about state.
const (
	maxStates     = 20
	maxStateTests = 10
	maxUntold     = 20
)

// collectState returns the state that tests executing the lines may leave for others in
// their suites, with its users, and what cannot be determined.
func (c *cover) collectState() (states []api.StateUse, untold []api.Untold) {
	executing := map[string][]string{}
	for _, r := range c.rows {
		if r.kind == kindExecutes {
			executing[r.suite] = append(executing[r.suite], r.test)
		}
	}
	now := map[string][]sdk.SourceUnit{}
	if c.q.Units != nil {
		now[c.q.Path] = c.q.Units
	}
	for _, suite := range slices.Sorted(maps.Keys(executing)) {
		m := NewStateMap(c.known[suite], now)
		if !m.Told() {
			untold = append(untold, api.Untold{Suite: suite, What: AnyState})
			continue
		}
		effect := m.Effect()
		effect.Changed()
		for _, test := range executing[suite] {
			effect.Test(test)
		}
		states = append(states, findUsers(c, suite, effect, executing[suite])...)
		for _, l := range effect.Untold() {
			untold = append(untold, api.Untold{Suite: suite, What: l.What, Unit: l.Unit, File: l.File})
		}
	}
	return states[:min(len(states), maxStates)], untold[:min(len(untold), maxUntold)]
}

// AnyState is unknown if a plugin reports nothing about state.
const AnyState = "anything, because its plugin does not report what tests leave behind"

// AmongOthers is unknown about tests that use state: each was measured alone.
const AmongOthers = "what tests execute only because of state that others leave for them"

// findUsers returns the tests of a suite that use what others may leave, grouped by state.
func findUsers(c *cover, suite string, effect *Effect, except []string) []api.StateUse {
	var states []api.StateUse
	s := c.known[suite]
	for i := range s.Tests {
		t := &s.Tests[i]
		if slices.Contains(except, t.Name) || !stillExists(c, suite, t.Name) {
			continue
		}
		use, found := effect.Finds(t, false)
		if !found {
			continue
		}
		at := slices.IndexFunc(states, func(known api.StateUse) bool { return known.State == use.State && known.File == use.StateFile })
		if at < 0 {
			at = len(states)
			states = append(states, api.StateUse{Suite: suite, State: use.State, File: use.StateFile, By: use.Left})
		}
		if states[at].Total++; len(states[at].Tests) < maxStateTests {
			states[at].Tests = append(states[at].Tests, t.Name)
		}
	}
	return states
}

// StateWarnings puts what an answer says about state into words.
func StateWarnings(a api.Covering) []string {
	var all []string
	for _, s := range a.State {
		where := ""
		if s.File != "" {
			where = " (" + s.File + ")"
		}
		all = append(all, fmt.Sprintf("%s of %s may find %s%s changed through %s by tests that execute this: %s", api.Plural(s.Total, "other test"), s.Suite, s.State, where, s.By, prose.Listed(s.Tests, s.Total, maxStateTests, prose.Line)))
	}
	if len(a.Untold) > 0 {
		var whats []string
		for _, u := range a.Untold {
			if !slices.Contains(whats, u.What) {
				whats = append(whats, u.What)
			}
		}
		all = append(all, "not tracked of what tests that execute this leave for others: "+strings.Join(whats, ", "))
	}
	return all
}
