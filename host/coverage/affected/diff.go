package affected

import (
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// diffKey identifies a file's measured state.
type diffKey struct{ path, digest string }

// diff compares a file with its measured state.
func (w *workspace) diff(sheet *coverage.Sheet) coverage.Difference {
	key := diffKey{sheet.Path, sheet.Digest}
	d, ok := w.diffs[key]
	if !ok {
		d = w.compareUnits(sheet)
		w.diffs[key] = d
	}
	return d
}

func (w *workspace) compareUnits(sheet *coverage.Sheet) coverage.Difference {
	file := sheet.Path
	if w.digest(file) == "" {
		return coverage.Difference{Whole: "its suite was built from " + file + ", which is gone"}
	}
	var units []sdk.SourceUnit
	ok := false
	if w.in.Outline != nil {
		units, ok = w.in.Outline(file)
	}
	if !ok {
		return coverage.Difference{Whole: "its suite is built from " + file + ", which changed"}
	}
	var lines []uint32
	if w.in.Lines != nil {
		lines, _ = w.in.Lines(file)
	}
	return coverage.Compare(sheet, units, lines)
}
