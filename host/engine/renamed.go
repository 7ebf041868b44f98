package engine

import (
	"context"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/standing"
)

// tellRenamed finds the new names of tests that are gone. Those of them that are red
// are outstanding since the old ones were, under the names that these had.
func (f *Finisher) tellRenamed(ctx context.Context, run *api.Run, gone []outstanding.Entry) {
	if run.Integrity == nil || f.Memory == nil || f.Memory.History == nil {
		return
	}
	names, err := standing.FindRenames(ctx, f.Memory, run.Language, gone)
	if err != nil {
		f.Warn(run, err)
		return
	}
	run.Integrity.Rename(names)
	was := map[api.Test]outstanding.Entry{}
	for _, r := range run.Integrity.Renamed {
		was[r.To] = outstanding.Entry{Test: r.Test, RunID: run.RunID}
	}
	for _, e := range gone {
		if to, ok := names[e.Test]; ok {
			was[to] = e
		}
	}
	if len(was) == 0 {
		return
	}
	_, err = f.update(ctx, run.Language, func(current outstanding.Set) outstanding.Set {
		for i, e := range current.Entries {
			if old, ok := was[e.Test]; ok && e.LastRunID == run.RunID {
				current.Entries[i].RunID, current.Entries[i].Was = old.RunID, old.Test.Test
			}
		}
		return current
	})
	for i := range run.Failures {
		failure := &run.Failures[i]
		old, ok := was[api.Test{Suite: failure.Suite, Test: failure.Test}]
		if s := failure.Standing; ok && s != nil && err == nil {
			s.Formerly, err = standing.Formerly(ctx, f.Memory, run.Language, old.Test)
		}
	}
	if err != nil {
		f.Warn(run, err)
	}
}
