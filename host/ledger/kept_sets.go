package ledger

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/proctorhq/proctor/host/outstanding"
)

// keptSets are the outstanding sets that this process knows, by workspace and language: a
// failure must not be lost with the history, nor because a disk is full. They stand in
// for the history as [artifacts.KeptRuns] do for a run's files. Neither follows from the
// other: all sessions share one set, which may hold what hundreds of runs left, and a
// session has a last run even where nothing is outstanding.
type keptSets struct {
	mu   sync.Mutex
	sets map[keptKey]keptSet
}

type keptKey struct{ workspace, language string }

// keptSet is what was outstanding when this process last read or wrote it.
type keptSet struct {
	set outstanding.Set
	// unwritten means that the history lacks it; exact, that it was made from exactly
	// before.
	unwritten, exact bool
	before           outstanding.Set
}

// maxKeptSets bounds the workspaces and languages of one process.
const maxKeptSets = 64

func (k *keptSets) get(key keptKey) (keptSet, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, ok := k.sets[key]
	return kept, ok
}

// put remembers a set. A set that was only read does not replace one that could not be
// written.
func (k *keptSets) put(key keptKey, kept keptSet, read bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if read && k.sets[key].unwritten {
		return
	}
	if k.sets == nil {
		k.sets = map[keptKey]keptSet{}
	}
	if _, known := k.sets[key]; !known && len(k.sets) >= maxKeptSets {
		for other, old := range k.sets { // drop any that can be read again
			if !old.unwritten {
				delete(k.sets, other)
				break
			}
		}
	}
	k.sets[key] = kept
}

// of returns what is remembered of a workspace, by language.
func (k *keptSets) of(workspace string) map[string]keptSet {
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
func (k *keptSets) hasAny(workspace string) bool {
	for _, kept := range k.of(workspace) {
		if kept.set.Len() > 0 {
			return true
		}
	}
	return false
}

// over combines the history's set, to which others may have added, with the remembered
// one.
func (k keptSet) over(set outstanding.Set, known bool) outstanding.Set {
	if k.exact && (!known || reflect.DeepEqual(set, k.before)) {
		return k.set
	}
	return unionSets(k.set, set)
}

// hasRun reports whether the set has an entry that a run added or confirmed.
func (k keptSet) hasRun(runID string) bool {
	return slices.ContainsFunc(k.set.Entries, func(e outstanding.Entry) bool { return e.RunID == runID || e.LastRunID == runID })
}

func (l *Ledger) key(language string) keptKey { return keptKey{l.Artifacts.Workspace(), language} }

// restoreKept marks what this process knows to be outstanding for writing to a new
// history, see [writeKept]. What others had added to the old one is unknown.
func restoreKept(l *Ledger) {
	for language, kept := range l.Keeper.keptSets.of(l.Artifacts.Workspace()) {
		if !kept.unwritten {
			kept.unwritten, kept.exact = true, false
			l.Keeper.keptSets.put(l.key(language), kept, false)
		}
	}
}

// writeKept writes the sets that could not be written before. Those that still cannot be
// stay remembered.
func writeKept(ctx context.Context, l *Ledger) {
	for language, kept := range l.Keeper.keptSets.of(l.Artifacts.Workspace()) {
		if !kept.unwritten {
			continue
		}
		begun := l.isLost(ctx)
		set, err := l.History.UpdateOutstanding(ctx, language, func(set outstanding.Set, known, lost bool) outstanding.Set {
			if lost || begun && !known {
				set, known = everything(""), true
			}
			return kept.over(set, known)
		})
		if err != nil {
			l.Keeper.Cfg.Logger.Warn("what is outstanding could not be written", "language", language, "error", err)
			continue
		}
		l.Keeper.keptSets.put(l.key(language), keptSet{set: set}, false)
	}
}
