package coverage

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/proctorhq/proctor/host/linediff"
	"github.com/proctorhq/proctor/sdk"
)

// view maps the requested lines to a sheet of the file.
type view struct {
	// now and old are the lines found, on both sides, in order.
	now, old []int
	// places are where to look instead of lines written since; lost are those without a
	// replacement.
	places []place
	lost   []int
	// empty are lines written since without code: no unit contains them.
	empty []int
}

// place is a range of measured lines that stand in for present ones.
type place struct {
	old Range
	now []int
	why string
}

const (
	whyAround = "it executed the function around it, before the edit"
	whyBeside = "it executed the lines beside it, before the edit"
)

// maxUnitSteps bounds the time to find the units around lines. A file that exceeds it is
// generated, and examined without units.
const maxUnitSteps = 200_000_000

// view finds the requested lines in a sheet. Equal sheets are examined once.
func (c *cover) view(s *Suite, sheet *Sheet) *view {
	key := sheet.Digest
	if v := c.views[key]; v != nil && key != "" && sheet.Lines != nil {
		return v
	}
	v := c.newView(s, sheet)
	if sheet.Lines != nil {
		c.views[key] = v
	}
	return v
}

func (c *cover) newView(s *Suite, sheet *Sheet) *view {
	v := &view{}
	if c.gone {
		v.places = []place{{old: Range{1, math.MaxInt32}, why: "it executed the file, which is gone now"}}
		return v
	}
	then, now := sheet.Units, c.q.Units
	if (len(then)+len(now))*len(c.asked) > maxUnitSteps {
		then, now = nil, nil
	}
	mapped := c.mapLines(s, sheet)
	for _, n := range c.asked {
		was := mapped[n-1]
		if was > 0 && !inAnother(now, then, n, was) {
			v.now, v.old = append(v.now, n), append(v.old, was)
			continue
		}
		v.substitute(n, now, then, mapped)
	}
	return v
}

// mapLines maps all lines of the file to the sheet.
func (c *cover) mapLines(s *Suite, sheet *Sheet) []int {
	if sheet.Lines == nil {
		lines := make([]int, len(c.q.Lines))
		if digest := s.Inputs[sheet.Path]; digest != "" && digest == c.q.Digest(sheet.Path) {
			for i := range lines {
				lines[i] = i + 1
			}
		}
		return lines
	}
	return linediff.Map(sheet.Lines, c.q.Lines)
}

// inAnother reports whether an identical line was in another function, as braces often are.
// Lines of a renamed function count as its own.
func inAnother(now, then []sdk.SourceUnit, line, was int) bool {
	same, another := pairUnits(now, then, line, was)
	if same || another {
		return !same
	}
	_, another = pairUnits(then, now, was, line)
	return another && unitAround(now, line) != nil
}

// pairUnits examines the functions around a line that exist on both sides: the line is in
// the same one on the other side, in another, or in none.
func pairUnits(units, others []sdk.SourceUnit, line, other int) (same, another bool) {
	for _, u := range units {
		if u.Kind != sdk.UnitBody && u.Kind != sdk.UnitTest || !hasLine(u, line) {
			continue
		}
		if counterpart := findUnit(others, u.Kind, u.Name); counterpart != nil {
			if hasLine(*counterpart, other) {
				return true, false
			}
			another = true
		}
	}
	return false, another
}

func hasLine(u sdk.SourceUnit, line int) bool { return u.StartLine <= line && line <= u.EndLine }

func findUnit(units []sdk.SourceUnit, kind sdk.UnitKind, name string) *sdk.SourceUnit {
	for i := range units {
		if units[i].Kind == kind && units[i].Name == name {
			return &units[i]
		}
	}
	return nil
}

// substitute finds what stands in for a line written since.
func (v *view) substitute(n int, now, then []sdk.SourceUnit, mapped []int) {
	around := Range{1, len(mapped)}
	if now != nil {
		unit := unitAround(now, n)
		if unit == nil {
			v.empty = append(v.empty, n)
			return
		}
		if unit.Kind == sdk.UnitBody || unit.Kind == sdk.UnitName {
			if before := findUnit(then, sdk.UnitBody, unit.Name); before != nil {
				v.add(place{old: Range{before.StartLine, before.EndLine}, why: whyAround}, n)
				return
			}
		}
		if unit.Kind != sdk.UnitBody {
			v.lost = append(v.lost, n)
			return
		}
		around = Range{max(unit.StartLine, 1), min(unit.EndLine, len(mapped))}
	}
	beside := 0
	for i := n - 1; i >= around.First; i-- {
		if was := mapped[i-1]; was > 0 {
			v.add(place{old: Range{was, was}, why: whyBeside}, n)
			beside++
			break
		}
	}
	for i := n + 1; i <= around.Last; i++ {
		if was := mapped[i-1]; was > 0 {
			v.add(place{old: Range{was, was}, why: whyBeside}, n)
			beside++
			break
		}
	}
	if beside == 0 {
		v.lost = append(v.lost, n)
	}
}

// unitAround returns the unit around a line that tells most, preferably the body of a
// function.
func unitAround(units []sdk.SourceUnit, line int) *sdk.SourceUnit {
	var found *sdk.SourceUnit
	for i := range units {
		u := &units[i]
		if hasLine(*u, line) && (found == nil || u.Kind == sdk.UnitBody && found.Kind != sdk.UnitBody) {
			found = u
		}
	}
	return found
}

// add adds a line to the place that stands in for it.
func (v *view) add(p place, n int) {
	for i := range v.places {
		if v.places[i].old == p.old {
			v.places[i].now = append(v.places[i].now, n)
			return
		}
	}
	p.now = []int{n}
	v.places = append(v.places, p)
}

// target is a block that spans requested lines: those found, from at to end, and those
// that places stand for.
type target struct {
	block int
	code  bool
	// at and end are indices of view.now.
	at, end int
	// places are indices of view.places.
	places []int
}

// findTargets returns the blocks of a sheet that span the lines. base is the number of its
// first block.
func (v *view) findTargets(sheet *Sheet, base int) []target {
	var found []target
	for i, b := range sheet.Blocks {
		first, last := b.StartLine, b.EndLine
		if b.EndColumn == 1 && last > first {
			last-- // it ends before the line begins
		}
		t := target{block: base + i, code: b.Statements > 0, at: sort.SearchInts(v.old, first), end: sort.SearchInts(v.old, last+1)}
		for k, p := range v.places {
			if first <= p.old.Last && last >= p.old.First {
				t.places = append(t.places, k)
			}
		}
		if t.at < t.end || len(t.places) > 0 {
			found = append(found, t)
		}
	}
	return found
}

// spanLines returns the present lines of targets as sorted ranges, and why those are among
// them that were written since.
func (v *view) spanLines(targets []target) (ranges []Range, why string) {
	exact := false
	var lines, stood []Range
	for _, t := range targets {
		if t.at < t.end {
			exact = true
		}
		for i := t.at; i < t.end; {
			last := i
			for last+1 < t.end && v.now[last+1] == v.now[last]+1 {
				last++
			}
			lines = append(lines, Range{v.now[i], v.now[last]})
			i = last + 1
		}
		for _, k := range t.places {
			for _, n := range v.places[k].now {
				stood = append(stood, Range{n, n})
			}
			if why == "" || v.places[k].why == whyAround {
				why = v.places[k].why
			}
		}
	}
	if exact && why != "" && len(stood) > 0 {
		stood = mergeRanges(stood)
		why = "of " + strings.Join(texts(stood[:min(len(stood), maxNamed)]), ", ") + ": " + why
	}
	return mergeRanges(append(lines, stood...)), why
}

// mergeRanges sorts ranges and joins those that touch.
func mergeRanges(ranges []Range) []Range {
	slices.SortFunc(ranges, func(a, b Range) int { return a.First - b.First })
	var joined []Range
	for _, r := range ranges {
		if n := len(joined); n > 0 && r.First <= joined[n-1].Last+1 {
			joined[n-1].Last = max(joined[n-1].Last, r.Last)
		} else {
			joined = append(joined, r)
		}
	}
	return joined
}
