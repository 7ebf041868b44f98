package classify

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// leastAddress is the minimum number of hexadecimal digits in an address. Shorter ones
// in a name are mostly deliberate values.
const leastAddress = 6

// withoutAddresses removes addresses such as 0xc0000140a8 from a name: they differ in
// each run. found reports whether there were any.
func withoutAddresses(name string) (stable string, found bool) {
	const prefix = "0x"
	var b strings.Builder
	for {
		at := strings.Index(name, prefix)
		if at < 0 {
			b.WriteString(name)
			return b.String(), found
		}
		digits := at + len(prefix)
		end := digits + matchRun(name[digits:], isHex)
		b.WriteString(name[:digits])
		if end-digits < leastAddress || at > 0 && isAlphanumeric(name[at-1]) || end < len(name) && isAlphanumeric(name[end]) {
			b.WriteString(name[digits:end])
		} else {
			found = true
		}
		name = name[end:]
	}
}

// isAlphanumeric excludes the underscore, which often stands for a space in a name.
func isAlphanumeric(c byte) bool { return isWord(c) && c != '_' }

// Ended is a test of a run that another run lacks.
type Ended struct {
	sdk.TestID
	Outcome history.Outcome
}

// SameTests pairs tests of two runs, each in only one of them, whose names differ only in
// addresses. It maps tests of gone to tests of come. Among several candidates, it prefers
// those that ended alike.
func SameTests(gone, come []Ended) map[sdk.TestID]sdk.TestID {
	after := byStableName(come)
	same := map[sdk.TestID]sdk.TestID{}
	for name, tests := range byStableName(gone) {
		others := after[name]
		var left []Ended
		for _, t := range tests {
			i := slices.IndexFunc(others, func(o Ended) bool { return o.Outcome == t.Outcome })
			if i < 0 {
				left = append(left, t)
				continue
			}
			same[t.TestID] = others[i].TestID
			others = slices.Delete(others, i, i+1)
		}
		for i, t := range left[:min(len(left), len(others))] {
			same[t.TestID] = others[i].TestID
		}
	}
	return same
}

// byStableName groups tests with an address in their names by the rest of the name.
func byStableName(tests []Ended) map[sdk.TestID][]Ended {
	named := map[sdk.TestID][]Ended{}
	for _, t := range tests {
		if stable, found := withoutAddresses(t.Test); found {
			name := sdk.TestID{Suite: t.Suite, Test: stable}
			named[name] = append(named[name], t)
		}
	}
	for _, same := range named {
		slices.SortFunc(same, func(a, b Ended) int { return cmp.Compare(a.Test, b.Test) })
	}
	return named
}

// Renamed merges each pair of changes that concern the same test with different
// addresses in its name.
func Renamed(changes iter.Seq[history.Change]) iter.Seq[history.Change] {
	return func(yield func(history.Change) bool) {
		var gone, come []Ended
		held := map[sdk.TestID]history.Change{}
		for c := range changes {
			_, has := withoutAddresses(c.Test.Test)
			switch {
			case has && c.InBefore && !c.InNow:
				gone = append(gone, Ended{c.Test.TestID, c.Before})
			case has && c.InNow && !c.InBefore:
				come = append(come, Ended{c.Test.TestID, c.Now})
			default:
				if !yield(c) {
					return
				}
				continue
			}
			held[c.Test.TestID] = c
		}
		for was, is := range SameTests(gone, come) {
			now := held[is]
			now.InBefore, now.Before, now.DurationBefore = true, held[was].Before, held[was].DurationBefore
			held[is] = now
			delete(held, was)
		}
		for _, c := range held {
			if !yield(c) {
				return
			}
		}
	}
}
