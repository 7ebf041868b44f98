package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// choice is one part of a rerun: tests that failed under the same circumstances (see
// [outstanding.Way]), and how to run them under those again.
type choice struct {
	outstanding.Selection
	// project has the environment in which the tests failed; changed are the settings
	// that differ from the user's.
	project project.Project
	changed []string
	// way is how they ran when they failed; nil if unknown.
	way *outstanding.Way
	// args, configured and seed are what the tests ran with: tags, -race and similar
	// flags decide what can run.
	args, configured []string
	seed             string
	// misplaced reports whether that run, judged as one of everything, found a quarantine of a
	// test that does not exist.
	misplaced bool
	// waiting are the tests that were not chosen.
	waiting outstanding.Set
	// absent are those that no longer exist with their group's arguments.
	absent outstanding.Absences
}

// chooseTargets chooses among the requested entries, for each way in which tests failed.
// Tests that are gone in all their ways are listed with the first choice.
func (r *Rerunning) chooseTargets(ctx context.Context) []choice {
	var chosen []choice
	var idle choice // joins the groups of which nothing runs
	limit := api.ClampRerunLimit(r.Req.Limit)
	var waiting outstanding.Set
	for i, group := range r.meant.Late(findLate(r.Ledger.Artifacts, r.slot)).Groups(r.slot.RunID) {
		if limit == 0 || ctx.Err() != nil {
			waiting.Entries = append(waiting.Entries, group.Entries...)
			continue
		}
		c := r.chooseGroup(ctx, group, limit)
		limit -= c.Names
		waiting.Entries = append(waiting.Entries, c.waiting.Entries...)
		switch {
		case len(c.Targets) > 0:
			chosen = append(chosen, c)
		case i == 0 || idle.project.Plugin == nil:
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

// chooseGroup chooses among tests that failed in one way.
func (r *Rerunning) chooseGroup(ctx context.Context, group outstanding.Set, limit int) choice {
	first := group.Entries[0]
	c := choice{way: first.Way, absent: outstanding.Absences{}}
	for _, id := range []string{first.RunID, first.LastRunID, r.slot.RunID} {
		if earlier, err := r.Ledger.Artifacts.Run(id); err == nil {
			c.args, c.configured, c.seed = project.WithoutUpdates(r.Project.ID.RunnerFlags, earlier.Selection.RunnerArgs), earlier.Selection.Configured, earlier.Seed
			c.misplaced = earlier.CaveatText(api.CaveatMisplaced) != ""
			break
		}
	}
	c.project, c.changed = project.RestoreEnvironment(ctx, r.Keeper.Host, r.Project, first)
	// The listing may take as long as the rerun: it builds what that needs anyway.
	inv, ok := project.ReadInventory(ctx, r.Keeper.Host, c.project, sdk.ListRequest{
		Selection: sdk.Selection{Suites: SuitesOf(group)}, RunnerArgs: c.args, Selected: true,
	}, r.Req.Timeout)
	if !ok {
		inv = outstanding.Inventory{} // nothing is known to be gone
	}
	c.Selection = outstanding.Select(group, inv, limit, r.slot.RunID)
	if len(c.Gone) > 0 {
		here := group.Only(func(e outstanding.Entry) bool {
			return e.Args == c.project.ArgsKey(slices.Concat(c.args, c.configured))
		})
		found := listAbsent(ctx, r.Ledger, c.project, here.Entries, c.args)
		c.Inherit(found, maxHeirs)
		maps.Copy(c.absent, found)
	}
	c.findWaiting(group)
	return c
}

// findLate finds the tests that the last rerun did not get to before its timeout.
func findLate(store *artifacts.Store, slot artifacts.Slot) map[sdk.TestID]bool {
	last, err := store.Run(slot.RunID)
	if err != nil || last.Kind != api.KindRerun || !last.TimedOut {
		return nil
	}
	late := map[sdk.TestID]bool{}
	for _, r := range last.Requested {
		if r.Outcome == api.OutcomeDidNotRun {
			late[r.TestID] = true
		}
	}
	for _, t := range last.Unfinished {
		late[t] = true
	}
	return late
}

// findWaiting finds what is left until the chosen tests pass.
func (c *choice) findWaiting(group outstanding.Set) {
	settled := map[sdk.TestID]bool{}
	for _, t := range c.Requested {
		settled[t.TestID] = true
	}
	for _, g := range c.Gone {
		settled[g.TestID] = true
	}
	for _, t := range c.Targets {
		settled[t.TestID] = true // a suite as a whole, or everything
	}
	c.waiting = group.Only(func(e outstanding.Entry) bool {
		return !settled[e.TestID] && !settled[sdk.TestID{Suite: e.Suite}] && !settled[sdk.TestID{}]
	})
}

// describeWaiting says how much of what is outstanding is left until the chosen tests pass:
// while they fail, a rerun chooses the same.
func (c choice) describeWaiting(all api.OutstandingCounts) []api.Note {
	if c.waiting.Len() == 0 {
		return nil
	}
	return []api.Note{{
		Code: api.NoteOutstanding, Advice: api.Advice{Operation: api.AdviseRunAtOnce},
		Text: fmt.Sprintf("outstanding: %s; left until these pass: %s", all, c.waiting.Counts()),
	}}
}

// maxUncomposed is how many targets the note names; the run's Requested has all.
const maxUncomposed = 3

// findUncomposed finds the targets that no command of a plan runs. A command that does not
// say what it runs may run any.
func findUncomposed(targets []outstanding.Target, plan sdk.Plan) []outstanding.Target {
	if len(plan.Commands) == 0 {
		return targets
	}
	runs := map[sdk.TestID]bool{}
	for _, cmd := range plan.Commands {
		if len(cmd.Targets) == 0 && !cmd.Prepares {
			return nil
		}
		for _, id := range cmd.Targets {
			runs[id] = true
		}
	}
	var left []outstanding.Target
	for _, t := range targets {
		if !runs[t.TestID] && !runs[sdk.TestID{Suite: t.Suite, Test: t.Root}] && !runs[sdk.TestID{Suite: t.Suite}] && !runs[sdk.TestID{}] {
			left = append(left, t)
		}
	}
	return left
}

// describeUncomposed says that a plugin composed no command for some targets.
func describeUncomposed(plugin string, targets []outstanding.Target) string {
	names := prose.Listed(targets, len(targets), maxUncomposed, nameTarget)
	return fmt.Sprintf("plugin %s has no command for %s: only a run of everything shows what became of it", plugin, names)
}

// nameTarget names a target as the user reads it.
func nameTarget(t outstanding.Target) string {
	if t.TestID == (sdk.TestID{}) {
		return "the run itself, which failed as a whole"
	}
	return prose.QualifiedName(t.Suite, t.Test)
}
