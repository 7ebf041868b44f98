package affected

import (
	"math"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// pickByMeasurement picks the tests of a suite for which anything differs from the
// measurement, and those that were not measured or did not pass.
func (w *workspace) pickByMeasurement(node *coverage.Node, m *coverage.Suite, p *pick) {
	if file, ok := w.findOther(m); ok {
		p.all(reason{rankBuilt, api.GranularityImport, "its suite is built from other files than when it was measured, such as " + file})
	}
	sheets := map[string]bool{}
	first := 0
	for _, s := range m.Sheets {
		sheets[s.Path] = true
		w.pickSheet(sheetOf{m, s, first}, p)
		first += len(s.Blocks)
	}
	for _, file := range sorted(m.Built) {
		if !m.Built[file] || sheets[file] {
			continue
		}
		if w.differs(m, file) {
			p.all(reason{rankBuilt, api.GranularityImport, "its suite is built from " + file + ", which changed"})
		} else if w.changeAt(file) != "" {
			p.all(reason{rankBuilt, api.GranularityImport, "its suite is built from " + file + ", which changed before it was measured"})
		}
	}
	known := make(map[string]bool, len(m.Tests))
	for i := range m.Tests {
		known[m.Tests[i].Name] = true
		w.pickTest(m, &m.Tests[i], p)
	}
	why := "it is new"
	if m.Cut {
		why = "the time ran out before it was measured"
	}
	for _, test := range node.Tests {
		if !known[test] {
			p.test(test, reason{rankNew, api.GranularityTest, why})
		}
	}
}

// pickTest picks a test because of what it read or how it ended.
func (w *workspace) pickTest(m *coverage.Suite, t *coverage.Test, p *pick) {
	for _, file := range t.Reads {
		if w.changeAt(file) != "" || w.differs(m, file) {
			w.pick(p, m.Suite, t.Name, reason{rankReads, api.GranularityTest, "it read " + file + ", which changed"})
		}
	}
	// A test that did not finish may get further next time.
	switch {
	case !wellEnded(t.Alone):
		w.pick(p, m.Suite, t.Name, reason{rankEnded, api.GranularityTest, "it did not pass alone when it was measured"})
	case t.Partial != "":
		w.pick(p, m.Suite, t.Name, reason{rankEnded, api.GranularityTest, "not everything it executes was measured: " + t.Partial})
	case !wellEnded(t.Together):
		w.pick(p, m.Suite, t.Name, reason{rankEnded, api.GranularityTest, "it did not pass when it was measured"})
	}
}

// wellEnded reports whether a test ran to completion. A skipped one may have been
// skipped only because it was measured.
func wellEnded(s sdk.Status) bool { return s == sdk.Passed }

// sheetOf is a measured sheet and the number of its first block.
type sheetOf struct {
	*coverage.Suite
	sheet *coverage.Sheet
	first int
}

// pickSheet picks the tests affected by the difference of one source file.
func (w *workspace) pickSheet(s sheetOf, p *pick) {
	file := s.sheet.Path
	if was, ok := s.Inputs[file]; ok && was != s.sheet.Digest {
		p.all(reason{rankBuilt, api.GranularityImport, "its suite is built from " + file + ", whose measured state is unknown"})
		return
	}
	if s.sheet.Digest == w.digest(file) {
		if w.changeAt(file) != "" {
			w.pickChangedBefore(s, p)
		}
		return
	}
	d := w.diffSheet(s.sheet)
	if d.Whole != "" {
		p.all(reason{rankBuilt, api.GranularityImport, d.Whole})
		return
	}
	for _, unit := range d.Bodies {
		w.pickExecuting(s, unit, p, unit.Name+", which changed ("+file+")")
	}
	for _, test := range d.Tests {
		if w.in.Graph.HasTest(s.Suite.Suite, test) {
			p.test(test, reason{rankDeclared, api.GranularityTest, "it changed (" + file + ")"})
		} else {
			p.all(reason{rankBuilt, api.GranularityImport, test + " changed in " + file + ", and is not one of its tests"})
		}
	}
	for _, test := range d.Gone {
		w.pick(p, s.Suite.Suite, test, reason{rankDeclared, api.GranularityTest, "it is declared elsewhere than in " + file + " now"})
	}
	if d.Order != "" {
		p.all(reason{rankDepends, api.GranularitySuite, d.Order})
	}
	if d.Moved {
		w.pickObservers(s.Suite, file, p)
	}
}

// pickChangedBefore picks the tests that execute a file measured in its present state but
// different from the base: they have passed since, and the user may still want them.
func (w *workspace) pickChangedBefore(s sheetOf, p *pick) {
	w.pickExecuting(s, sdk.SourceUnit{EndLine: math.MaxInt}, p, s.sheet.Path+", which changed before it was measured")
}

// pickObservers picks the tests that inspect code locations, since code moved.
func (w *workspace) pickObservers(m *coverage.Suite, file string, p *pick) {
	first := 0
	for _, sheet := range m.Sheets {
		for _, unit := range sheet.Units {
			if !unit.Positions {
				continue
			}
			subject := unit.Name + ", which looks at positions of code, and code moved in " + file
			if unit.Kind == sdk.UnitTest && unit.Test != "" {
				w.pick(p, m.Suite, unit.Test, reasonExecutes(subject))
			} else {
				w.pickExecuting(sheetOf{m, sheet, first}, unit, p, subject)
			}
		}
		first += len(sheet.Blocks)
	}
}

func reasonExecutes(subject string) reason {
	return reason{rankExecutes, api.GranularityTest, "it executes " + subject}
}

// pickExecuting picks the tests that execute a block on the lines of a unit: all tests of
// the suite if one runs at start-up, if it is unknown which test executed one, or if
// nothing was measured there.
func (w *workspace) pickExecuting(s sheetOf, unit sdk.SourceUnit, p *pick, subject string) {
	all := func(how string) {
		p.all(reason{rankDepends, api.GranularityImport, how + subject})
	}
	found := false
	for i, b := range s.sheet.Blocks {
		if b.EndLine < unit.StartLine || b.StartLine > unit.EndLine {
			continue
		}
		found = true
		n, executed := s.first+i, false
		for j := range s.Tests {
			if s.Tests[j].Blocks.Has(n) {
				executed = true
				w.pick(p, s.Suite.Suite, s.Tests[j].Name, reasonExecutes(subject))
			}
		}
		switch {
		case s.StartUp.Has(n):
			all("its suite starts up with ")
		case s.Whole.Has(n) && !executed:
			all("its tests together execute ")
		}
	}
	if !found {
		all("its suite is built with ")
	}
}

// diffKey identifies a file's measured state.
type diffKey struct{ path, digest string }

// diffSheet compares a file with its measured state.
func (w *workspace) diffSheet(sheet *coverage.Sheet) coverage.Difference {
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
