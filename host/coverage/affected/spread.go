package affected

import (
	"fmt"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/sdk"
)

// spread picks the tests of a suite that may find something else than they did because of
// what those that are picked, or are gone, left for them: they use the same state, such
// as a variable of a package. It returns what cannot be told of those that remain.
func (w *workspace) spread(suite string, p *pick) []record.Untold {
	m := w.measured(suite)
	if m == nil || p.whole != nil {
		return nil
	}
	var gone []string
	left := map[string]*coverage.Test{}
	for i := range m.Tests {
		switch t := &m.Tests[i]; {
		case !w.in.Graph.HasTest(suite, t.Name):
			gone = append(gone, t.Name)
		case p.tests[t.Name] == reason{}:
			left[t.Name] = t
		}
	}
	if len(p.tests)+len(gone) == 0 || len(left) == 0 {
		return nil
	}
	var untold []record.Untold
	state := coverage.NewStateMap(m, w.unitsNow(m))
	if !state.Told() {
		return []record.Untold{{Suite: suite, What: coverage.AnyState}}
	}
	effect := state.Effect()
	for _, test := range gone {
		effect.Test(test)
	}
	effect.Changed()
	for _, test := range sorted(p.tests) {
		switch rank := p.tests[test].rank; {
		case rank == rankOpaque:
			// What it executes here is as it was; what else it depends on is not known.
			untold = append(untold, record.Untold{Suite: suite, What: "anything: " + p.tests[test].text, Unit: test})
		case rank < rankEnded || state.Leads(test):
			effect.Test(test)
		}
	}
	for more := true; more; {
		more = false
		for _, name := range sorted(left) {
			use, found := effect.Finds(left[name])
			if !found {
				continue
			}
			p.test(name, reason{rankState, record.GranularityImport, mayFind(use)})
			effect.Test(name)
			delete(left, name)
			more = true
		}
	}
	p.settle(m)
	if len(left) == 0 || p.whole != nil {
		return nil
	}
	for _, l := range effect.Untold() {
		untold = append(untold, record.Untold{Suite: suite, What: l.What, Unit: l.Unit, File: l.File})
	}
	return untold
}

// mayFind says what a test may find.
func mayFind(use coverage.Use) string {
	what := use.State
	if use.StateFile != "" {
		what += " (" + use.StateFile + ")"
	}
	return fmt.Sprintf("%s uses %s, which a chosen test may leave otherwise by %s", use.By, what, use.Left)
}

// unitsNow are the units of the sources of a suite that are not as they were measured.
func (w *workspace) unitsNow(m *coverage.Suite) map[string][]sdk.SourceUnit {
	now := map[string][]sdk.SourceUnit{}
	for _, sheet := range m.Sheets {
		if w.in.Outline == nil || sheet.Digest == w.digest(sheet.Path) {
			continue
		}
		if units, ok := w.in.Outline(sheet.Path); ok {
			now[sheet.Path] = units
		}
	}
	return now
}
