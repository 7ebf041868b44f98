package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
	"github.com/proctorhq/proctor/sdk"
)

// choice is what a rerun runs of what was red in one way, and how.
type choice struct {
	rerun.Selection
	// project is in the environment in which the tests were red; changed are the
	// settings by which that is another one than the user's.
	project project
	changed []string
	// way is in which way they were red; nil is not known.
	way *rerun.Way
	// args and configured are those with which the tests were run, seed is what they
	// drew from: tags, -race and the like decide what there is to run.
	args, configured []string
	seed             string
	// waiting are the tests that were not chosen.
	waiting record.OutstandingCounts
	// absent are those that do not exist any more with the arguments of their group.
	absent rerun.Absences
}

// choose chooses among what is meant, for each way in which tests were red. Of ways in
// which nothing exists any more, the first choice has what is gone.
func (h *Host) choose(ctx context.Context, p project, m *memory, slot session.Slot, meant rerun.Set, req RerunRequest, timeout time.Duration) []choice {
	var chosen []choice
	var idle choice // of groups of which nothing is run
	limit := ClampRerunLimit(req.Limit)
	var waiting record.OutstandingCounts
	for i, group := range meant.Late(inVain(m.store, slot)).Groups(slot.RunID) {
		if limit == 0 || ctx.Err() != nil {
			waiting.Add(group.Counts())
			continue
		}
		c := h.chooseOf(ctx, p, m, slot, group, limit, timeout)
		limit -= c.Names
		waiting.Add(c.waiting)
		switch {
		case len(c.Targets) > 0:
			chosen = append(chosen, c)
		case i == 0 || idle.project.plugin == nil:
			idle = c
		default:
			idle.Gone = append(idle.Gone, c.Gone...)
			maps.Copy(idle.absent, c.absent)
		}
	}
	switch {
	case len(chosen) == 0:
		chosen = []choice{idle}
	case len(idle.Gone) > 0:
		chosen[0].Gone = append(chosen[0].Gone, idle.Gone...)
		maps.Copy(chosen[0].absent, idle.absent)
	}
	chosen[len(chosen)-1].waiting = waiting
	return chosen
}

// chooseOf chooses among what was red in one way.
func (h *Host) chooseOf(ctx context.Context, p project, m *memory, slot session.Slot, group rerun.Set, limit int, timeout time.Duration) choice {
	first := group.Entries[0]
	c := choice{way: first.Way, absent: rerun.Absences{}}
	for _, id := range []string{first.RunID, first.LastRunID, slot.RunID} {
		if earlier, err := m.store.Run(id); err == nil {
			c.args, c.configured, c.seed = earlier.Selection.RunnerArgs, earlier.Selection.Configured, earlier.Seed
			break
		}
	}
	c.project, c.changed = h.under(ctx, p, first)
	// A listing may have to build what the rerun needs anyhow: it has its time.
	inv, ok := h.inventory(ctx, c.project, sdk.ListRequest{
		Selection: sdk.Selection{Suites: suitesOf(group)}, RunnerArgs: c.args, Selected: true,
	}, timeout)
	if !ok {
		inv = rerun.Inventory{} // nothing is known to be gone
	}
	c.Selection = rerun.Select(group, inv, limit)
	if len(c.Gone) > 0 {
		here := group.Only(func(e rerun.Entry) bool { return e.Args == c.project.argsKey(slices.Concat(c.args, c.configured)) })
		found := m.listAbsent(ctx, c.project, here.Entries, c.args)
		c.Inherit(found, maxHeirs)
		maps.Copy(c.absent, found)
	}
	c.leave(group)
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
func (c *choice) leave(group rerun.Set) {
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
	c.waiting = group.Only(func(e rerun.Entry) bool {
		return !settled[e.Test] && !settled[record.Test{Suite: e.Suite}] && !settled[record.Test{}]
	}).Counts()
}

// left says what of all that is outstanding is left for later reruns; "" where
// nothing is.
func (c choice) left(all record.OutstandingCounts) string {
	if c.waiting.Total() == 0 {
		return ""
	}
	return fmt.Sprintf("outstanding: %s; not asked for yet, and left for the next rerun: %s (`proctor run` runs all at once)", all, c.waiting)
}
