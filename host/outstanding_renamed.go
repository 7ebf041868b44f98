package host

import (
	"context"
	"time"

	"github.com/proctorhq/proctor/host/classify"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
)

// goneTests are entries that left the outstanding set since they do not exist any more,
// as many as an object carries.
func goneTests(entries []rerun.Entry) []record.Gone {
	var gone []record.Gone
	for _, e := range entries[:min(len(entries), record.MaxNames)] {
		gone = append(gone, record.Gone{Test: e.Test, Was: string(e.Reason)})
	}
	return gone
}

// tellRenamed finds the new names of tests that are gone, and lets those that are red
// be outstanding since the old ones were.
func (f *finisher) tellRenamed(ctx context.Context, run *record.Run, gone []rerun.Entry) {
	if f.memory == nil || f.memory.history == nil {
		return
	}
	names, err := f.memory.renames(ctx, run.Language, gone)
	if err != nil || len(names) == 0 {
		return
	}
	was := map[record.Test]rerun.Entry{}
	for i := range run.Integrity.Gone {
		g := &run.Integrity.Gone[i]
		if to, ok := names[g.Test]; ok {
			g.RenamedTo = &to
		}
	}
	for _, e := range gone {
		if to, ok := names[e.Test]; ok {
			was[to] = e
		}
	}
	_, err = f.update(ctx, run.Language, func(current rerun.Set) rerun.Set {
		for i, e := range current.Entries {
			if old, ok := was[e.Test]; ok && e.LastRunID == run.RunID {
				current.Entries[i].RunID, current.Entries[i].Was = old.RunID, old.Test.Test
			}
		}
		return current
	})
	if err != nil {
		f.warn(run, err)
	}
}

// renames are the new names of outstanding tests that are gone, as far as these are
// known: tests that were seen first after the old ones were red last. One of the same
// name in another suite was moved; one of the same file, at the same place or with the
// same failure, was renamed. Where several would do, none is named.
func (m *memory) renames(ctx context.Context, language string, gone []rerun.Entry) (map[record.Test]record.Test, error) {
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: language})
	if err != nil {
		return nil, err
	}
	on := make(map[record.Test]history.Test, len(tests))
	byFile := map[string][]history.Test{}
	byName := map[string][]history.Test{}
	for _, t := range tests {
		on[t.TestKey.Test] = t
		if t.TestKey.Test.Test == "" || t.Root != "" && t.Root != t.TestKey.Test.Test {
			continue
		}
		byFile[t.File] = append(byFile[t.File], t)
		byName[t.TestKey.Test.Test] = append(byName[t.TestKey.Test.Test], t)
	}
	lastRed := map[string]time.Time{}
	renamed, taken := map[record.Test]record.Test{}, map[record.Test]int{}
	for _, e := range gone {
		old, known := on[e.Test]
		if !known || e.Test.Test == "" || e.Root != "" && e.Root != e.Test.Test {
			continue
		}
		since, asked := lastRed[e.LastRunID]
		if !asked {
			if run, err := m.history.Run(ctx, e.LastRunID); err == nil {
				since = run.StartedAt
			}
			lastRed[e.LastRunID] = since
		}
		to, ok, err := m.newName(ctx, old, byFile[old.File], byName[e.Test.Test], since)
		if err != nil {
			return nil, err
		}
		if ok {
			renamed[e.Test] = to
			taken[to]++
		}
	}
	for was, is := range renamed {
		if taken[is] > 1 {
			delete(renamed, was)
		}
	}
	return renamed, nil
}

// newName is what a test is called now, if one of those of its file or one of its
// namesakes is known to be it.
func (m *memory) newName(ctx context.Context, old history.Test, ofFile, namesakes []history.Test, since time.Time) (to record.Test, ok bool, err error) {
	isNew := func(t history.Test) bool {
		return t.TestKey != old.TestKey && !since.IsZero() && t.FirstAt.After(since)
	}
	var moved, placed, alike []record.Test
	for _, t := range namesakes {
		if isNew(t) && t.Suite != old.Suite {
			moved = append(moved, t.TestKey.Test)
		}
	}
	var others []record.Test
	for _, t := range ofFile {
		if !isNew(t) || t.Suite != old.Suite || old.File == "" {
			continue
		}
		if others = append(others, t.TestKey.Test); t.Line == old.Line && t.Line > 0 {
			placed = append(placed, t.TestKey.Test)
		}
	}
	if len(placed) == 0 && len(others) > 0 {
		failures, err := m.lastFailures(ctx, old, others)
		if err != nil {
			return to, false, err
		}
		for _, t := range others {
			if f, failed := failures[t]; failed && f.excerpt != "" && f == failures[old.TestKey.Test] {
				alike = append(alike, t)
			}
		}
	}
	for _, found := range [][]record.Test{placed, alike, moved} {
		if len(found) == 1 {
			return found[0], true, nil
		}
	}
	return to, false, nil
}

// toldFailure is what a failure says, whatever test it is of.
type toldFailure struct{ kind, excerpt string }

// lastFailures is what a test and others said when they failed last.
func (m *memory) lastFailures(ctx context.Context, old history.Test, others []record.Test) (map[record.Test]toldFailure, error) {
	failures := map[record.Test]toldFailure{}
	filter := history.TimelineFilter{Language: old.Language, Tests: append([]record.Test{old.TestKey.Test}, others...), Points: leastPoints}
	err := m.timelines(ctx, filter, func(t history.Timeline) {
		if p, ok := classify.Latest(t.Points); ok && p.Outcome.Bad() {
			failures[t.TestKey.Test] = toldFailure{p.Kind, p.Excerpt}
		}
	})
	return failures, err
}
