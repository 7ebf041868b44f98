package host

import (
	"fmt"
	"strings"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/rerun"
)

// maxUncomposed is how many targets the note about them names: `requested` has all.
const maxUncomposed = 3

// noCommandFor says that a plugin composed nothing for what it was asked to run
// again.
func noCommandFor(plugin string, targets []rerun.Target) string {
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
func targetName(t rerun.Target) string {
	if t.Test == (record.Test{}) {
		return "the run itself, which was red as a whole"
	}
	return report.QualifiedName(t.Suite, t.Test.Test)
}

// sayUncomposed gives what did not run the reason that nobody could run it, where
// that is the reason.
func (f *finisher) sayUncomposed(requested []record.Requested) {
	for i := range requested {
		if f.uncomposed && requested[i].Outcome == record.OutcomeDidNotRun && i < len(requested)-len(f.sel.Gone) {
			requested[i].Why = "plugin " + f.project.id.Name + " has no command for it"
		}
	}
}
