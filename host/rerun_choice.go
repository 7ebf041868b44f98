package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/record"
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
	// waiting are the tests of the same group that were not chosen, and others those
	// that came in with other arguments, otherwise those of the first of them.
	waiting, others int
	otherwise       []string
	// absent are those that do not exist any more with the arguments of their group.
	absent rerun.Absences
}

// choose chooses among what is meant: tests that came in with the same runner
// arguments. Where nothing of those exists any more, the next ones have their turn.
func (h *Host) choose(ctx context.Context, p project, m *memory, slot session.Slot, meant rerun.Set, req RerunRequest, timeout time.Duration) choice {
	var c choice
	store := m.store
	groups := meant.Late(inVain(store, slot)).Groups(slot.RunID)
	gone, absent := c.Gone, rerun.Absences{}
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
		if len(c.Gone) > 0 {
			here := group.Only(func(e rerun.Entry) bool { return e.Args == p.argsKey(slices.Concat(c.args, c.configured)) })
			found := m.listAbsent(ctx, p, here.Entries, c.args)
			c.Inherit(found, maxHeirs)
			maps.Copy(absent, found)
		}
		gone = append(gone, c.Gone...)
		if len(c.Targets) > 0 || ctx.Err() != nil {
			c.leave(group, groups[i+1:])
			break
		}
	}
	c.Gone, c.absent = gone, absent
	return c
}

// inVain are the tests that the last rerun asked for and that its time was too short
// for.
func inVain(store *session.Store, slot session.Slot) map[record.Test]bool {
	last, err := store.Run(slot.RunID)
	if err != nil || last.Kind != record.KindRerun || !last.TimedOut {
		return nil
	}
	late := map[record.Test]bool{}
	for _, r := range last.Requested {
		if r.Outcome == record.OutcomeDidNotRun {
			late[record.Test{Suite: r.Suite, Test: r.Test}] = true
		}
	}
	for _, t := range last.Unfinished {
		late[t] = true
	}
	return late
}

// leave counts what is left for later reruns.
func (c *choice) leave(group rerun.Set, others []rerun.Set) {
	settled := map[record.Test]bool{}
	for _, t := range c.Requested {
		settled[t.Test] = true
	}
	for _, g := range c.Gone {
		settled[record.Test{Suite: g.Suite, Test: g.Test}] = true
	}
	for _, t := range c.Targets {
		settled[t.Test] = true // a suite as a whole, or everything
	}
	waits := func(e rerun.Entry) bool {
		return !settled[e.Test] && !settled[record.Test{Suite: e.Suite}] && !settled[record.Test{}]
	}
	c.waiting = group.Only(waits).Len()
	for _, other := range others {
		left := other.Only(waits)
		if left.Len() > 0 && c.others == 0 {
			args, _, _ := strings.Cut(left.Entries[0].Args, rerun.EnvMark)
			c.otherwise = words(args)
		}
		c.others += left.Len()
	}
}

// left says what of so many outstanding tests is left for later reruns, and why; ""
// where nothing is.
func (c choice) left(all int) string {
	if c.waiting+c.others == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d outstanding were asked for", all-c.waiting-c.others, all)
	if c.waiting > 0 {
		text += fmt.Sprintf("; the next rerun has %d more (`proctor run` runs all at once)", c.waiting)
	}
	if c.others > 0 {
		with := "other runner arguments"
		if len(c.otherwise) > 0 {
			with += " (" + strings.Join(c.otherwise, " ") + ")"
		}
		text += fmt.Sprintf("; %d came in with %s, to be run when these have passed: `proctor outstanding --drop TEST` takes off what was a slip", c.others, with)
	}
	return text
}
