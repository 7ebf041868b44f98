package ledger

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
)

// Outstanding returns what is outstanding in a language. If that is no longer known,
// everything is: a red must not be lost with its record.
func (m *Ledger) Outstanding(ctx context.Context, language string) (outstanding.Set, error) {
	if p, err := m.principal(ctx); err != nil || p != m {
		if err != nil {
			return everything(""), err
		}
		return p.Outstanding(ctx, language)
	}
	set, known, lost, err := m.History.Outstanding(ctx, language)
	kept, _ := m.Keeper.keeping.get(m.key(language))
	switch {
	case err != nil:
		return union(kept.set, everything(m.readGaps(ctx, language).last)), err
	case kept.unwritten:
		set, known, lost = kept.over(set, known), true, false
	case known:
		m.Keeper.keeping.put(m.key(language), keptSet{set: set}, true)
	}
	return m.readGaps(ctx, language).fill(set, known, lost), nil
}

// UpdateOutstanding replaces the outstanding set by the result of update. That is what
// is outstanding even if, as the error says, it could not be written.
func (m *Ledger) UpdateOutstanding(ctx context.Context, language string, update func(outstanding.Set) outstanding.Set) (outstanding.Set, error) {
	unrenewed := m.renew(ctx)
	g := m.readGaps(ctx, language)
	kept, _ := m.Keeper.keeping.get(m.key(language))
	var after keptSet
	_, err := m.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, known, lost bool) outstanding.Set {
		after.before, after.exact = set, true
		if kept.unwritten {
			set, known, lost = kept.over(set, known), true, false
		}
		after.set = update(g.fill(set, known, lost))
		return after.set
	})
	if err != nil && !after.exact {
		after.set = update(union(kept.set, everything(g.last)))
	}
	after.unwritten = err != nil || unrenewed != nil
	m.Keeper.keeping.put(m.key(language), after, false)
	return after.set, errors.Join(unrenewed, err)
}

// OutstandingBefore returns what was outstanding before a run. Without a history it is unknown.
func OutstandingBefore(ctx context.Context, h *Keeper, m *Ledger, language string) (outstanding.Set, error) {
	switch {
	case m != nil:
		return m.Outstanding(ctx, language)
	case h.Box != nil:
		return outstanding.Set{}, nil
	}
	return everything(""), nil
}

// gaps are what the history of a language lacks.
type gaps struct {
	// last is the session's last run.
	last string
	// begun reports whether there were runs before the history; unrecorded, whether the
	// last run was shown but not recorded.
	begun, unrecorded bool
}

func (m *Ledger) readGaps(ctx context.Context, language string) gaps {
	slot, _, err := m.Artifacts.Slot(language)
	g := gaps{last: slot.RunID, begun: m.isLost(ctx) || err != nil}
	if g.last != "" {
		var unknown *history.NoRunError
		_, err := m.History.Run(ctx, g.last)
		kept, _ := m.Keeper.keeping.get(m.key(language))
		g.unrecorded = errors.As(err, &unknown) && !kept.tells(g.last)
	}
	return g
}

// fill adds everything to a set that may be incomplete.
func (g gaps) fill(set outstanding.Set, known, lost bool) outstanding.Set {
	if !lost && (known || !g.begun && g.last == "") && !g.unrecorded {
		return set
	}
	if lost || !known {
		return everything(g.last)
	}
	all := everything(g.last)
	if slices.ContainsFunc(set.Entries, func(e outstanding.Entry) bool { return e.Test == all.Entries[0].Test }) {
		return set
	}
	set.Entries = append(slices.Clone(set.Entries), all.Entries...)
	return set
}

// isLost reports whether there were runs before the history.
func (m *Ledger) isLost(ctx context.Context) bool {
	_, gone, err := m.History.Get(ctx, lostKey)
	return gone || err != nil
}

// everything says that it is unknown what is outstanding since a run.
func everything(runID string) outstanding.Set {
	return outstanding.Set{Entries: []outstanding.Entry{{Reason: outstanding.ReasonRun, Why: outstanding.WhyLost, RunID: runID, LastRunID: runID}}}
}

// doubtAll makes everything outstanding: while this history could not be written, runs
// continued in the other place, and what they left is unknown here.
func doubtAll(ctx context.Context, m *Ledger) error {
	languages, err := m.Languages(ctx)
	if err != nil {
		return err
	}
	for _, language := range languages {
		_, err := m.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, _, _ bool) outstanding.Set {
			return union(set, everything(""))
		})
		if err != nil {
			return err
		}
	}
	return artifacts.CatchUp(m.Artifacts, historyFile)
}

// keeping is what this process knows to be outstanding, whatever becomes of the
// history: a red must not be lost with it, nor because a disk is full.
type keeping struct {
	mu   sync.Mutex
	sets map[keptKey]keptSet
}

type keptKey struct{ workspace, language string }

// keptSet is what was outstanding when this process last read or wrote it.
type keptSet struct {
	set outstanding.Set
	// unwritten reports whether the history lacks it; exact, whether before is exactly
	// what it was made from.
	unwritten, exact bool
	before           outstanding.Set
}

// maxKeptSets bounds the workspaces and languages of one process.
const maxKeptSets = 64

func (k *keeping) get(key keptKey) (keptSet, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.sets[key]
	return kept, ok
}

// put remembers a set. A set that was only read does not replace one that could not be
// written.
func (k *keeping) put(key keptKey, kept keptSet, read bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if read && k.sets[key].unwritten {
		return
	}
	if k.sets == nil {
		k.sets = map[keptKey]keptSet{}
	}
	if _, known := k.sets[key]; !known && len(k.sets) >= maxKeptSets {
		for other, old := range k.sets { // any that can be read again
			if !old.unwritten {
				delete(k.sets, other)
				break
			}
		}
	}
	k.sets[key] = kept
}

// of returns what is remembered of a workspace, by language.
func (k *keeping) of(workspace string) map[string]keptSet {
	k.mu.Lock()
	defer k.mu.Unlock()
	var found map[string]keptSet
	for key, kept := range k.sets {
		if key.workspace == workspace {
			if found == nil {
				found = map[string]keptSet{}
			}
			found[key.language] = kept
		}
	}
	return found
}

// hasAny reports whether something is outstanding in a workspace.
func (k *keeping) hasAny(workspace string) bool {
	for _, kept := range k.of(workspace) {
		if kept.set.Len() > 0 {
			return true
		}
	}
	return false
}

// over combines the history's set with what is remembered: others may have added to it.
func (k keptSet) over(set outstanding.Set, known bool) outstanding.Set {
	if k.exact && (!known || reflect.DeepEqual(set, k.before)) {
		return k.set
	}
	return union(k.set, set)
}

// union returns what is in either set, the first set's entries first.
func union(a, b outstanding.Set) outstanding.Set {
	all := outstanding.Set{Entries: slices.Clone(a.Entries), Known: maps.Clone(b.Known)}
	has := map[api.Test]bool{}
	for _, e := range a.Entries {
		has[e.Test] = true
	}
	for _, e := range b.Entries {
		if !has[e.Test] {
			all.Entries = append(all.Entries, e)
		}
	}
	for suite, names := range a.Known {
		if all.Known == nil {
			all.Known = map[string][]string{}
		}
		if _, ok := all.Known[suite]; !ok {
			all.Known[suite] = names
		}
	}
	return all
}

// tells reports whether a run that was red is in the set.
func (k keptSet) tells(runID string) bool {
	return slices.ContainsFunc(k.set.Entries, func(e outstanding.Entry) bool { return e.RunID == runID || e.LastRunID == runID })
}

func (m *Ledger) key(language string) keptKey { return keptKey{m.Artifacts.Workspace(), language} }

// restoreKept writes what this process knows to be outstanding to a new history. What
// others added to the old one is unknown: if that matters, everything is outstanding.
func restoreKept(ctx context.Context, m *Ledger) {
	for language, kept := range m.Keeper.keeping.of(m.Artifacts.Workspace()) {
		if !kept.unwritten {
			kept.unwritten, kept.exact = true, false
			m.Keeper.keeping.put(m.key(language), kept, false)
		}
	}
}

// writeKept writes what could not be written before, if anything. It is remembered
// until that is possible.
func writeKept(ctx context.Context, m *Ledger) {
	for language, kept := range m.Keeper.keeping.of(m.Artifacts.Workspace()) {
		if !kept.unwritten {
			continue
		}
		begun := m.isLost(ctx)
		set, err := m.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, known, lost bool) outstanding.Set {
			if lost || begun && !known {
				set, known = everything(""), true
			}
			return kept.over(set, known)
		})
		if err != nil {
			m.Keeper.Cfg.Logger.Warn("what is outstanding could not be written", "language", language, "error", err)
			continue
		}
		m.Keeper.keeping.put(m.key(language), keptSet{set: set}, false)
	}
}

// retellKept writes what this process knows of earlier runs to a new history.
func retellKept(ctx context.Context, m *Ledger) {
	if err := settleKept(ctx, m); err != nil {
		m.Keeper.Cfg.Logger.Warn("the last runs could not be put on record again", "error", err)
	}
}
