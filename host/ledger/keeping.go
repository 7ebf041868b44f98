package ledger

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/outstanding"
)

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
