package coverage

import (
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// Difference is how a source file differs from what it was, by its units.
type Difference struct {
	// Whole says why any test of a suite that is built from it may notice; empty where
	// not.
	Whole string
	// Bodies are the changed and removed ones, as they were.
	Bodies []sdk.SourceUnit
	// Tests are those whose declarations changed or appeared, Gone those whose
	// declarations are not there now.
	Tests, Gone []string
	// Order says which tests run in another order than before; empty where none do.
	Order string
	// Moved reports whether something that is as it was may stand on other lines.
	Moved bool
}

// unitKey names a unit in its file: the number tells those apart that are called the
// same.
type unitKey struct {
	kind   sdk.UnitKind
	name   string
	number int
}

// Compare compares a source file with what it was: units and lines are those that it
// has now. Without lines whatever is as it was may have moved. A file of which the
// units were not known differs as a whole.
func Compare(sheet *Sheet, units []sdk.SourceUnit, lines []uint32) Difference {
	file := sheet.Path
	if len(sheet.Units) == 0 {
		return Difference{Whole: "its suite is built from " + file + ", which changed"}
	}
	var d Difference
	then, now := keyed(sheet.Units), keyed(units)
	for i, key := range then.keys {
		was := sheet.Units[i]
		at, ok := now.places[key]
		switch {
		case !ok:
			d.removed(file, was)
		case units[at].Digest != was.Digest:
			d.changed(file, was, units[at])
		case !sameLines(sheet, was, units[at], lines):
			d.Moved = true
		}
	}
	last, lastTest := -1, -1
	for i, key := range now.keys {
		at, ok := then.places[key]
		switch {
		case !ok:
			d.added(file, units[i])
		case key.kind == sdk.UnitTest:
			if at < lastTest && d.Order == "" {
				d.Order = units[i].Name + " runs in another order than before (" + file + ")"
			}
			lastTest = max(lastTest, at)
		case key.kind == sdk.UnitName || key.kind == sdk.UnitBody:
		case at < last:
			// What a program starts with is executed in its order.
			d.declaration(file, units[i], "stood behind others before")
		default:
			last = at
		}
	}
	return d
}

// sameLines reports whether a unit stands on the lines on which it stood, each as it was.
func sameLines(sheet *Sheet, was, is sdk.SourceUnit, lines []uint32) bool {
	from, to := was.StartLine-1, was.EndLine
	return was.StartLine == is.StartLine && was.EndLine == is.EndLine &&
		from >= 0 && from <= to && to <= len(sheet.Lines) && to <= len(lines) &&
		slices.Equal(sheet.Lines[from:to], lines[from:to])
}

func (d *Difference) removed(file string, unit sdk.SourceUnit) {
	switch unit.Kind {
	case sdk.UnitName:
		// Who used it was changed as well.
	case sdk.UnitBody:
		d.Bodies = append(d.Bodies, unit)
	case sdk.UnitTest:
		d.Gone = append(d.Gone, unit.Test)
	default:
		d.declaration(file, unit, "is gone")
	}
}

func (d *Difference) changed(file string, was, is sdk.SourceUnit) {
	switch was.Kind {
	case sdk.UnitBody:
		d.Bodies = append(d.Bodies, was)
	case sdk.UnitTest:
		d.Tests, d.Gone = append(d.Tests, is.Test), append(d.Gone, was.Test)
	default:
		d.declaration(file, was, "changed")
	}
}

func (d *Difference) added(file string, unit sdk.SourceUnit) {
	switch unit.Kind {
	case sdk.UnitName, sdk.UnitBody:
		// Who uses it was changed as well.
	case sdk.UnitTest:
		d.Tests = append(d.Tests, unit.Test)
	default:
		d.declaration(file, unit, "is new")
	}
}

// declaration notes that anything may have changed; the first reason stays.
func (d *Difference) declaration(file string, unit sdk.SourceUnit, what string) {
	if d.Whole == "" {
		d.Whole = "its suite is built with " + unit.Name + ", which " + what + " (" + file + ")"
	}
}

// keys are those of units, in their order, and where each is.
type keys struct {
	keys   []unitKey
	places map[unitKey]int
}

func keyed(units []sdk.SourceUnit) keys {
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
