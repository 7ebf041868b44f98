package host

import (
	"context"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// choice is what a rerun runs, and how.
type choice struct {
	rerun.Selection
	// args and configured are those with which the tests were run, seed is what they
	// drew from: tags, -race and the like decide what there is to run.
	args, configured []string
	seed             string
	// others came in with other arguments, and have to wait.
	others int
}

// choose chooses among what is meant: tests that came in with the same runner
// arguments. Where nothing of those exists any more, the next ones have their turn.
func (h *Host) choose(ctx context.Context, p project, store *session.Store, slot session.Slot, meant rerun.Set, req RerunRequest, timeout time.Duration) choice {
	var c choice
	groups := meant.Groups(slot.RunID)
	gone := c.Gone
	for i, group := range groups {
		c = choice{}
		for _, id := range []string{group.Entries[0].RunID, group.Entries[0].LastRunID, slot.RunID} {
			if earlier, err := store.Run(id); err == nil {
				c.args, c.configured, c.seed = earlier.Selection.RunnerArgs, earlier.Selection.Configured, earlier.Seed
				break
			}
		}
		// A listing may have to build what the rerun needs anyhow: it has its time.
		inv, ok := h.inventory(ctx, p, sdk.ListRequest{
			Selection: sdk.Selection{Suites: suitesOf(group)}, RunnerArgs: c.args, Selected: true,
		}, timeout)
		if !ok {
			inv = rerun.Inventory{} // nothing is known to be gone
		}
		c.Selection = rerun.Select(group, inv, ClampRerunLimit(req.Limit))
		gone = append(gone, c.Gone...)
		if len(c.Targets) > 0 || ctx.Err() != nil {
			for _, other := range groups[i+1:] {
				c.others += other.Len()
			}
			break
		}
	}
	c.Gone = gone
	return c
}

// waiting says that of so many outstanding tests some wait, and why.
func (c choice) waiting(all, waiting int) string {
	text := fmt.Sprintf("%d of %d outstanding were asked for", all-waiting, all)
	if waiting > c.others {
		text += ", those that failed first"
	}
	text += fmt.Sprintf("; %d wait for the next rerun", waiting)
	if c.others > 0 {
		text += fmt.Sprintf(", of which %d came in with other runner arguments", c.others)
	}
	return text
}
