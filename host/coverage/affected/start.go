package affected

import (
	"slices"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// startsAsMeasured reports whether the program of a suite of which nothing is picked is known
// to link and to start as when it was measured. That holds if it differs only in bodies that
// its start and its tests do not execute (or they would be picked), if these refer to what they
// referred to, so that the linker needs nothing else and variables are initialised in the same
// order, and if each is in a package whose own suite is started: what is left shows there.
func (w *workspace) startsAsMeasured(suite string, picks map[string]*pick) bool {
	m := w.in.measured(suite)
	if m == nil || picks[suite].whole != nil || !slices.ContainsFunc(m.Tests, func(t coverage.Test) bool { return t.Alone == sdk.Passed }) {
		return false
	}
	told := false // what units refer to
	for _, sheet := range m.Sheets {
		told = told || slices.ContainsFunc(sheet.Units, func(u sdk.SourceUnit) bool { return len(u.State.Mentions) > 0 })
		file := sheet.Path
		if sheet.Digest == w.digest(file) {
			continue
		}
		if d := w.diffSheet(sheet); d.Refers || d.Whole != "" || w.in.Graph.HasDirectly(suite, file) || !w.isStartedWith(file, picks) {
			return false
		}
	}
	return told
}

// isStartedWith reports whether a suite of which a file is part is built and started.
func (w *workspace) isStartedWith(file string, picks map[string]*pick) bool {
	return slices.ContainsFunc(w.in.Graph.BuiltFrom(file), func(suite string) bool {
		p := picks[suite]
		return p != nil && (p.built || p.whole != nil || len(p.tests) > 0) && len(w.in.Graph.Suites[suite].Tests) > 0 && w.in.Graph.HasDirectly(suite, file)
	})
}
