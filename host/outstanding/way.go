package outstanding

import (
	"slices"
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Way is the way in which tests ran. What failed in one way leaves the set only by a pass
// in the same way or a wider one; see [Way.Proves].
type Way struct {
	// Decides are settings that must be equal.
	Decides []string `json:"decides,omitempty"`
	// Narrows are settings that make tests do less: a pass without them also clears what
	// was red with them.
	Narrows []string `json:"narrows,omitempty"`
}

// WayOf returns the way with these settings, which may be in any order.
func WayOf(decides, narrows []string) *Way {
	return &Way{Decides: sortedWords(decides), Narrows: sortedWords(narrows)}
}

func sortedWords(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}

// Proves reports whether a pass in this way clears what was red in another. If either is
// unknown, as in entries from before ways were recorded, any pass does.
func (w *Way) Proves(red *Way) bool {
	if w == nil || red == nil {
		return true
	}
	return slices.Equal(w.Decides, red.Decides) &&
		!slices.ContainsFunc(w.Narrows, func(word string) bool { return !slices.Contains(red.Narrows, word) })
}

// Words returns all settings of the way; empty if it is the usual one or unknown.
func (w *Way) Words() []string {
	if w == nil {
		return nil
	}
	return slices.Concat(w.Decides, w.Narrows)
}

// equals reports whether two ways are the same.
func (w *Way) equals(other *Way) bool {
	return w == other || w != nil && other != nil && w.key() == other.key()
}

// key distinguishes ways.
func (w *Way) key() string {
	if w == nil {
		return "\x02"
	}
	return strings.Join(w.Decides, "\x00") + "\x01" + strings.Join(w.Narrows, "\x00")
}

// identity distinguishes entries: a test is outstanding once for each way in which it
// was red.
type identity struct {
	sdk.TestID
	way string
}

func (e Entry) identity() identity { return identity{e.TestID, e.Way.key()} }

// FindPassedOtherwise returns the tests that passed in this run but stay outstanding,
// since they were red in another way.
func (f *Fold) FindPassedOtherwise(after Set) []Entry {
	var left []Entry
	for _, e := range after.Entries {
		if f.passed[e.TestID] && !f.scope.Way.Proves(e.Way) {
			left = append(left, e)
		}
	}
	return left
}
