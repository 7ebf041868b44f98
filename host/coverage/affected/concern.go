package affected

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
)

// pickSuite picks what the changes can break in one suite, except for tests that may depend
// on anything.
func (w *workspace) pickSuite(node *coverage.Node) *pick {
	p := &pick{}
	file, built := w.builtFrom[node.Suite]
	p.built = built
	m := w.in.Suites[node.Suite]
	if why := explainOpaque(node, m); why != "" && len(w.changed) > 0 {
		p.all(reason{rankUnknown, api.GranularityUnknown, "its suite may depend on anything: " + why})
	}
	if w.in.measured(node.Suite) == nil {
		if !built && m != nil {
			file, p.built = w.findBuiltThen(m)
		}
		unheld, unknown := "", false
		if m == nil {
			unheld, unknown = findUnheld(w, node.Suite)
		}
		switch {
		case p.built:
			p.all(reason{rankBuilt, api.GranularityImport, "its suite is built from " + file + ", which changed, and was not measured test by test"})
		case unknown:
			p.built = true
			p.all(reason{rankUnknown, api.GranularityUnknown, "its suite was not measured, and is built from " + unheld + ", whose earlier state is unknown"})
		case len(w.data) > 0 && len(node.Tests) > 0 && !(node.Sealed && node.Opaque == ""):
			p.all(reason{rankUnknown, api.GranularityUnknown, "its suite was not measured test by test, and may read " + w.data[0] + ", which changed"})
		}
		return p
	}
	if _, then := w.findBuiltThen(m); then {
		p.built = true
	}
	if p.built || w.readsChange(m) || len(w.data) > 0 && (w.isStale(m) || hasNewTest(node, m) || slices.ContainsFunc(m.Tests, isUnsettled)) {
		w.pickByMeasurement(node, m, p)
		p.settle(m)
	}
	return p
}

// findUnheld finds a file that a suite is built from and that is not in the base, so that
// no comparison can show that it changed.
func findUnheld(w *workspace, suite string) (file string, found bool) {
	for _, file := range w.in.Graph.Files(suite) {
		if !w.inBase(file) && !w.in.Graph.OfTools(file) {
			return file, true
		}
	}
	return "", false
}

// explainOpaque says why a suite may depend on more than is known.
func explainOpaque(node *coverage.Node, m *coverage.Suite) string {
	if node.Opaque == "" && m != nil {
		return m.Opaque
	}
	return node.Opaque
}

// findBuiltThen finds a changed file that a suite was built from when measured. A file that
// is never among the changes counts as changed if it differs from the measurement, or
// if the suite is built from it only now or only was then.
func (w *workspace) findBuiltThen(m *coverage.Suite) (file string, found bool) {
	note := func(other string) {
		if !found || other < file {
			file, found = other, true
		}
	}
	files := w.in.Graph.Files(m.Suite)
	for input, built := range m.Built {
		if !built {
			continue
		}
		_, is := slices.BinarySearch(files, input)
		if w.changeAt(input) != "" || !w.inBase(input) && (!is || w.differs(m, input)) {
			note(input)
		}
	}
	for _, now := range files {
		if !m.Built[now] && !w.inBase(now) {
			note(now)
		}
	}
	for _, pattern := range m.Patterns {
		if match := w.findMatch(pattern); match != "" {
			note(match)
		}
	}
	return file, found
}

// findMatch returns a change that a pattern matches, or "".
func (w *workspace) findMatch(pattern string) string {
	if file, ok := w.matches[pattern]; ok {
		return file
	}
	found := ""
	for file := range w.changed {
		if coverage.Matches(pattern, file) && (found == "" || file < found) {
			found = file
		}
	}
	w.matches[pattern] = found
	return found
}

// readsChange reports whether tests of a suite read something that changed or differs from
// the measurement. That may not be among the changes: a link leads to files not listed as
// read, and a directory changes with the names in it.
func (w *workspace) readsChange(m *coverage.Suite) bool {
	for i := range m.Tests {
		for _, file := range m.Tests[i].Reads {
			if w.changeAt(file) != "" || w.differs(m, file) {
				return true
			}
		}
	}
	return false
}

// differs reports whether a file differs, or may differ, from the measurement.
func (w *workspace) differs(m *coverage.Suite, file string) bool {
	was, ok := m.Inputs[file]
	return !ok || was != w.digest(file)
}

// isStale reports whether a suite is built from something else than when it was measured.
// If so, its tests may also read other files.
func (w *workspace) isStale(m *coverage.Suite) bool {
	for file := range m.Built {
		if m.Built[file] && w.differs(m, file) {
			return true
		}
	}
	_, other := w.findOther(m)
	return other
}

// isUnsettled reports whether a test may do more than it did when measured, and so read
// other files.
func isUnsettled(t coverage.Test) bool {
	return t.Partial != "" || !wellEnded(t.Alone) || !wellEnded(t.Together)
}

func hasNewTest(node *coverage.Node, m *coverage.Suite) bool {
	known := make(map[string]bool, len(m.Tests))
	for _, t := range m.Tests {
		known[t.Name] = true
	}
	for _, test := range node.Tests {
		if !known[test] {
			return true
		}
	}
	return false
}
