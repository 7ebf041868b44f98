package host

import (
	"context"
	"slices"
	"strings"
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

// tellRenamed finds the new names of tests that are gone. Those of them that are red
// are outstanding since the old ones were, under the names that these had.
func (f *finisher) tellRenamed(ctx context.Context, run *record.Run, gone []rerun.Entry) {
	if run.Integrity == nil || f.memory == nil || f.memory.history == nil {
		return
	}
	names, err := f.memory.renames(ctx, run.Language, gone)
	if err != nil {
		f.warn(run, err)
		return
	}
	run.Integrity.Rename(names)
	was := map[record.Test]rerun.Entry{}
	for _, r := range run.Integrity.Renamed {
		was[r.To] = rerun.Entry{Test: r.Test, RunID: run.RunID}
	}
	for _, e := range gone {
		if to, ok := names[e.Test]; ok {
			was[to] = e
		}
	}
	if len(was) == 0 {
		return
	}
	_, err = f.update(ctx, run.Language, func(current rerun.Set) rerun.Set {
		for i, e := range current.Entries {
			if old, ok := was[e.Test]; ok && e.LastRunID == run.RunID {
				current.Entries[i].RunID, current.Entries[i].Was = old.RunID, old.Test.Test
			}
		}
		return current
	})
	for i := range run.Failures {
		failure := &run.Failures[i]
		old, ok := was[record.Test{Suite: failure.Suite, Test: failure.Test}]
		if s := failure.Standing; ok && s != nil && err == nil {
			s.Formerly, err = f.memory.formerly(ctx, run.Language, old.Test)
		}
	}
	if err != nil {
		f.warn(run, err)
	}
}

// formerly is how a test ended last that has another name now; nil is not on record.
func (m *memory) formerly(ctx context.Context, language string, old record.Test) (found *record.Formerly, err error) {
	filter := history.TimelineFilter{Language: language, Tests: []record.Test{old}, Points: leastPoints}
	err = m.timelines(ctx, filter, func(t history.Timeline) {
		if p, ok := classify.Latest(t.Points); ok {
			found = &record.Formerly{Test: old.Test, RunID: p.RunID, Ended: ended(p.Outcome)}
		}
	})
	return found, err
}

// nameFormer adds to the standings of outstanding tests the names that these had.
func (m *memory) nameFormer(ctx context.Context, language string, standings map[record.Test]record.Standing) error {
	set, err := m.outstanding(ctx, language)
	for _, e := range set.Entries {
		s, ok := standings[e.Test]
		if err != nil || !ok || e.Was == "" || s.Classification != record.Gap {
			continue
		}
		s.Formerly, err = m.formerly(ctx, language, record.Test{Suite: e.Suite, Test: e.Was})
		standings[e.Test] = s
	}
	return err
}

// renames are the new names of outstanding tests that are gone, as far as these are
// known: tests that were seen first after the old ones were red last. One of the same
// name in another suite was moved; one of the same suite with the same body was renamed,
// and so was one of the same file, at the same place or with the same failure. Where
// several would do, none is named.
func (m *memory) renames(ctx context.Context, language string, gone []rerun.Entry) (map[record.Test]record.Test, error) {
	tests, err := m.history.Tests(ctx, history.TestFilter{Language: language})
	if err != nil {
		return nil, err
	}
	since, earliest := m.redLast(ctx, gone)
	on := make(map[record.Test]history.Test, len(tests))
	fresh := rerun.Inventory{Tests: map[string][]string{}}
	for _, t := range tests {
		on[t.TestKey.Test] = t
		if !earliest.IsZero() && t.FirstAt.After(earliest) {
			fresh.Tests[t.Suite] = append(fresh.Tests[t.Suite], t.TestKey.Test.Test)
		}
	}
	if len(fresh.Tests) == 0 {
		return map[record.Test]record.Test{}, nil
	}
	// What only a triage has seen exists on its base, and perhaps not here.
	told, err := m.told(ctx, language, fresh)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]history.Test{}
	byName := map[string][]history.Test{}
	byBody := map[string][]history.Test{}
	byLine := map[string]map[int][]record.Test{}
	for _, t := range tests {
		if t.TestKey.Test.Test == "" || t.Root != "" && t.Root != t.TestKey.Test.Test {
			continue
		}
		if byLine[t.File] == nil {
			byLine[t.File] = map[int][]record.Test{}
		}
		byLine[t.File][t.Line] = append(byLine[t.File][t.Line], t.TestKey.Test)
		if _, ran := told[t.TestKey.Test]; !ran {
			continue
		}
		byFile[t.File] = append(byFile[t.File], t)
		byBody[t.Body] = append(byBody[t.Body], t)
		byName[t.TestKey.Test.Test] = append(byName[t.TestKey.Test.Test], t)
	}
	renamed, taken := make(map[record.Test]record.Test, len(gone)), map[record.Test]int{}
	for _, e := range gone {
		old, known := on[e.Test]
		if !known || e.Test.Test == "" {
			continue
		}
		rest := ""
		if e.Root != "" && e.Root != e.Test.Test {
			// A part has the name of the test that it is a part of, in most languages.
			var inside bool
			old, known = on[record.Test{Suite: e.Suite, Test: e.Root}]
			if rest, inside = strings.CutPrefix(e.Test.Test, e.Root); !known || !inside {
				continue
			}
		}
		to, ok, err := m.newName(ctx, old, byLine[old.File][old.Line], byFile[old.File], byName[old.TestKey.Test.Test], byBody[old.Body], since[e.LastRunID])
		if err != nil {
			return nil, err
		}
		if to.Test += rest; ok && (rest == "" || on[to].Root != "") {
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

// redLast says when the runs began in which entries were red last, and when the first
// of them did.
func (m *memory) redLast(ctx context.Context, entries []rerun.Entry) (at map[string]time.Time, earliest time.Time) {
	at = map[string]time.Time{}
	for _, e := range entries {
		if _, asked := at[e.LastRunID]; asked {
			continue
		}
		run, err := m.history.Run(ctx, e.LastRunID)
		if err != nil {
			at[e.LastRunID] = time.Time{}
			continue
		}
		at[e.LastRunID] = run.StartedAt
		if earliest.IsZero() || run.StartedAt.Before(earliest) {
			earliest = run.StartedAt
		}
	}
	return at, earliest
}

// newName is what a test is called now, if one of those of its file, one of its
// namesakes or one with its body is known to be it.
func (m *memory) newName(ctx context.Context, old history.Test, atLine []record.Test, ofFile, namesakes, ofBody []history.Test, since time.Time) (to record.Test, ok bool, err error) {
	isNew := func(t history.Test) bool {
		return t.TestKey != old.TestKey && !since.IsZero() && t.FirstAt.After(since)
	}
	var embodied, moved, placed, alike []record.Test
	for _, t := range ofBody {
		if old.Body != "" && isNew(t) && t.Suite == old.Suite {
			embodied = append(embodied, t.TestKey.Test)
		}
	}
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
	if len(embodied) != 1 && len(placed) == 1 {
		others := slices.DeleteFunc(slices.Clone(atLine), func(t record.Test) bool { return t == old.TestKey.Test || t == placed[0] })
		shared, err := m.anyRan(ctx, old.Language, others, since)
		if err != nil {
			return to, false, err
		}
		if shared {
			placed = nil // a line of several tests is the place of none
		}
	}
	if len(embodied) != 1 && len(placed) == 0 && len(others) > 0 {
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
	for _, found := range [][]record.Test{embodied, placed, alike, moved} {
		if len(found) == 1 {
			return found[0], true, nil
		}
	}
	return to, false, nil
}

// anyRan reports whether one of some tests ran in a run that began then, or later.
func (m *memory) anyRan(ctx context.Context, language string, tests []record.Test, since time.Time) (ran bool, err error) {
	if len(tests) == 0 {
		return false, nil
	}
	filter := history.TimelineFilter{Language: language, Tests: tests, Points: leastPoints}
	err = m.timelines(ctx, filter, func(t history.Timeline) {
		ran = ran || slices.ContainsFunc(t.Points, func(p history.Point) bool {
			return p.RunKind != record.KindTriage && !p.Foreign() && !p.At.Before(since)
		})
	})
	return ran, err
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
