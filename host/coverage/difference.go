package coverage

import (
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// Difference is how a source file differs from its measured state, by unit.
type Difference struct {
	// Whole says why any test of a suite built from it may notice; otherwise empty.
	Whole string
	// Bodies are the changed and removed bodies, as measured.
	Bodies []sdk.SourceUnit
	// Tests are those whose declarations changed or are new, Gone those whose
	// declarations are gone.
	Tests, Gone []string
	// Order says which tests changed their order; empty if none did.
	Order string
	// Moved reports whether something unchanged may be on other lines.
	Moved bool
}

// unitKey identifies a unit in its file; the number distinguishes namesakes.
type unitKey struct {
	kind   sdk.UnitKind
	name   string
	number int
}

// Compare compares a source file with its measured state: units and lines are the
// present ones. Without lines, everything unchanged may have moved. Without known
// units, the file differs as a whole.
func Compare(sheet *Sheet, units []sdk.SourceUnit, lines []uint32) Difference {
	file := sheet.Path
	if len(sheet.Units) == 0 {
		return Difference{Whole: "its suite is built from " + file + ", which changed"}
	}
	var d Difference
	then, now := keyUnits(sheet.Units), keyUnits(units)
	for i, key := range then.keys {
		was := sheet.Units[i]
		at, ok := now.places[key]
		switch {
		case !ok:
			d.noteRemoved(file, was)
		case units[at].Digest != was.Digest:
			d.noteChanged(file, was, units[at])
		case !sameLines(sheet, was, units[at], lines):
			d.Moved = true
		}
	}
	last, lastTest := -1, -1
	for i, key := range now.keys {
		at, ok := then.places[key]
		switch {
		case !ok:
			d.noteAdded(file, units[i])
		case key.kind == sdk.UnitTest:
			if at < lastTest && d.Order == "" {
				d.Order = units[i].Name + " runs in a different order than before (" + file + ")"
			}
			lastTest = max(lastTest, at)
		case key.kind == sdk.UnitName || key.kind == sdk.UnitBody:
		case at < last:
			// Initialization runs in source order.
			d.noteDeclaration(file, units[i], "came after others before")
		default:
			last = at
		}
	}
	return d
}

// sameLines reports whether a unit is on the same lines, all unchanged.
func sameLines(sheet *Sheet, was, is sdk.SourceUnit, lines []uint32) bool {
	from, to := was.StartLine-1, was.EndLine
	return was.StartLine == is.StartLine && was.EndLine == is.EndLine &&
		from >= 0 && from <= to && to <= len(sheet.Lines) && to <= len(lines) &&
		slices.Equal(sheet.Lines[from:to], lines[from:to])
}

func (d *Difference) noteRemoved(file string, unit sdk.SourceUnit) {
	switch unit.Kind {
	case sdk.UnitName:
		// Its users changed as well.
	case sdk.UnitBody:
		d.Bodies = append(d.Bodies, unit)
	case sdk.UnitTest:
		d.Gone = append(d.Gone, unit.Test)
	default:
		d.noteDeclaration(file, unit, "is gone")
	}
}

func (d *Difference) noteChanged(file string, was, is sdk.SourceUnit) {
	switch was.Kind {
	case sdk.UnitBody:
		d.Bodies = append(d.Bodies, was)
	case sdk.UnitTest:
		d.Tests, d.Gone = append(d.Tests, is.Test), append(d.Gone, was.Test)
	default:
		d.noteDeclaration(file, was, "changed")
	}
}

func (d *Difference) noteAdded(file string, unit sdk.SourceUnit) {
	switch unit.Kind {
	case sdk.UnitName, sdk.UnitBody:
		// Its users change as well.
	case sdk.UnitTest:
		d.Tests = append(d.Tests, unit.Test)
	default:
		d.noteDeclaration(file, unit, "is new")
	}
}

// noteDeclaration records that anything may have changed; the first reason stays.
func (d *Difference) noteDeclaration(file string, unit sdk.SourceUnit, what string) {
	if d.Whole == "" {
		d.Whole = "its suite is built with " + unit.Name + ", which " + what + " (" + file + ")"
	}
}

// keys are the keys of units, in order, with their indices.
type keys struct {
	keys   []unitKey
	places map[unitKey]int
}

func keyUnits(units []sdk.SourceUnit) keys {
	k := keys{places: make(map[unitKey]int, len(units))}
	counts := map[unitKey]int{}
	for i, u := range units {
		key := unitKey{kind: u.Kind, name: u.Name}
		counts[key]++
		key.number = counts[key]
		k.keys = append(k.keys, key)
		k.places[key] = i
	}
	return k
}
