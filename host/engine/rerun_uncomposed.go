package engine

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// maxUncomposed is how many targets the note about them names: `requested` has all.
const maxUncomposed = 3

// uncomposed are the targets that no command of a plan runs. Where a command does not
// say what it runs, it may be any.
func uncomposed(targets []outstanding.Target, plan sdk.Plan) []outstanding.Target {
	if len(plan.Commands) == 0 {
		return targets
	}
	runs := map[api.Test]bool{}
	for _, cmd := range plan.Commands {
		if len(cmd.Targets) == 0 && !cmd.Prepares {
			return nil
		}
		for _, id := range cmd.Targets {
			runs[api.Test{Suite: id.Suite, Test: id.Name}] = true
		}
	}
	var left []outstanding.Target
	for _, t := range targets {
		if !runs[t.Test] && !runs[api.Test{Suite: t.Suite, Test: t.Root}] && !runs[api.Test{Suite: t.Suite}] && !runs[api.Test{}] {
			left = append(left, t)
		}
	}
	return left
}

// noCommandFor says that a plugin composed nothing for what it was asked to run
// again.
func noCommandFor(plugin string, targets []outstanding.Target) string {
	var names []string
	for _, t := range targets[:min(len(targets), maxUncomposed)] {
		names = append(names, targetName(t))
	}
	text := fmt.Sprintf("plugin %s has no command for %s", plugin, strings.Join(names, ", "))
	if left := len(targets) - len(names); left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return text + ": only a run of everything tells what became of that"
}

// targetName is what the user reads of a target.
func targetName(t outstanding.Target) string {
	if t.Test == (api.Test{}) {
		return "the run itself, which was red as a whole"
	}
	return prose.QualifiedName(t.Suite, t.Test.Test)
}

// sayUncomposed gives what did not run the reason that nobody could run it, where
// that is the reason.
func (f *Finisher) sayUncomposed(requested []api.Requested) {
	for i := range requested {
		r := &requested[i]
		if r.Outcome == api.OutcomeDidNotRun && i < len(requested)-f.goneTargets() && f.uncomposed[api.Test{Suite: r.Suite, Test: r.Test}] {
			r.Why = "plugin " + f.Project.ID.Name + " has no command for it"
		}
	}
}

// goneTargets is how many of the requested tests stand at the end since they are gone.
func (f *Finisher) goneTargets() int {
	if f.Sel == nil {
		return 0
	}
	return len(f.Sel.Gone)
}
