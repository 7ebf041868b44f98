package affected

import (
	"fmt"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// spread picks the tests of a suite that may behave differently because of what picked or
// removed tests leave behind in state that they share, such as a package variable. It also
// picks the tests that change that state, so that the others find what they would in a full
// run. It returns what cannot be determined about the rest.
func (w *workspace) spread(suite string, p *pick) []api.Untold {
	m := w.in.measured(suite)
	if m == nil || p.whole != nil {
		return nil
	}
	var gone []string
	left, picked := map[string]*coverage.Test{}, map[string]*coverage.Test{}
	for i := range m.Tests {
		switch t := &m.Tests[i]; {
		case !w.in.Graph.HasTest(suite, t.Name):
			gone = append(gone, t.Name)
		case p.tests[t.Name] == reason{}:
			left[t.Name] = t
		default:
			picked[t.Name] = t
		}
	}
	if len(p.tests)+len(gone) == 0 || len(left) == 0 {
		return nil
	}
	state := coverage.NewStateMap(m, w.unitsNow(m))
	if !state.Told() {
		return []api.Untold{{Suite: suite, What: coverage.AnyState}}
	}
	s := spreading{p: p, effect: state.Effect(), left: left, same: map[string]*coverage.Test{}}
	for _, test := range gone {
		s.effect.Test(test)
	}
	s.effect.Changed()
	var untold []api.Untold
	for _, test := range sorted(p.tests) {
		t := picked[test]
		if t == nil {
			t = &coverage.Test{Name: test} // it is new, or part of another
		}
		r := p.tests[test]
		switch {
		case r.rank == rankOpaque:
			// What it executes here is unchanged; what else it depends on is unknown.
			untold = append(untold, api.Untold{Suite: suite, What: "anything: " + r.text, Unit: test})
		case r.rank == rankEnded && len(w.data) > 0:
			untold = append(untold, api.Untold{Suite: suite, What: "anything by " + w.data[0] + ", which it may read: " + r.text, Unit: test})
		case r.rank == rankOutstanding:
			s.addNeeded(test, m)
		}
		if r.rank < rankEnded || state.Leads(test) {
			s.addDiffering(t)
			continue
		}
		s.same[test] = t
		if hasFailed(t.Alone) || hasFailed(t.Together) {
			s.effect.Needs(t, true)
		}
	}
	s.spreadForward()
	s.spreadBack()
	p.settle(m)
	if len(left) == 0 || p.whole != nil {
		return nil
	}
	for _, name := range sorted(left) {
		if s.effect.Strays(left[name]) {
			untold = append(untold, api.Untold{Suite: suite, What: coverage.AmongOthers, Unit: name})
			break
		}
	}
	for _, l := range s.effect.Untold() {
		untold = append(untold, api.Untold{Suite: suite, What: l.What, Unit: l.Unit, File: l.File})
	}
	return untold
}

// hasFailed reports whether a test ended in a way that shows what is wrong.
func hasFailed(s sdk.Status) bool { return !wellEnded(s) && s != sdk.Skipped && s != "" }

// spreading spreads a choice among the tests of a suite.
type spreading struct {
	p      *pick
	effect *coverage.Effect
	// left are not picked. same are picked although they do what they did, provided they
	// find what they found; not everything they do is known.
	left, same map[string]*coverage.Test
}

// addDiffering adds a picked test that may do something else than it did.
func (s *spreading) addDiffering(t *coverage.Test) {
	s.effect.Test(t.Name)
	s.effect.Needs(t, true)
}

// addNeeded adds that an outstanding test, which may be part of another, must end as in a
// full run.
func (s *spreading) addNeeded(outstanding string, m *coverage.Suite) {
	for i := range m.Tests {
		if name := m.Tests[i].Name; outstanding == name || api.IsInside(outstanding, name, "") {
			s.effect.Needs(&m.Tests[i], true)
		}
	}
}

// spreadForward follows what differing tests leave behind to the tests that use it, which
// then differ, too.
func (s *spreading) spreadForward() {
	for more := true; more; {
		more = false
		for _, name := range sorted(s.left) {
			if use, found := s.effect.Finds(s.left[name], isUnsettled(*s.left[name])); found {
				s.p.test(name, reason{rankState, api.GranularityImport, mayFind(use)})
				s.addDiffering(s.left[name])
				delete(s.left, name)
				more = true
			}
		}
		for _, name := range sorted(s.same) {
			if _, found := s.effect.Finds(s.same[name], true); found {
				s.addDiffering(s.same[name])
				delete(s.same, name)
				more = true
			}
		}
	}
}

// spreadBack follows what differing tests use to the tests that leave it. Those do what they
// did if they find what they found, so what they use must in turn be left by others.
func (s *spreading) spreadBack() {
	for more := true; more; {
		more = false
		for _, name := range sorted(s.left) {
			if use, found := s.effect.Feeds(s.left[name], isUnsettled(*s.left[name])); found {
				s.p.test(name, reason{rankState, api.GranularityImport, mayLeave(use)})
				s.effect.Needs(s.left[name], isUnsettled(*s.left[name]))
				delete(s.left, name)
				more = true
			}
		}
		for _, name := range sorted(s.same) {
			if _, found := s.effect.Feeds(s.same[name], true); found {
				s.effect.Needs(s.same[name], true)
				delete(s.same, name)
				more = true
			}
		}
	}
}

// mayFind says what a test may find.
func mayFind(use coverage.Use) string {
	return fmt.Sprintf("%s uses %s, which a selected test may change through %s", use.By, stateOf(use), use.Left)
}

// mayLeave says what a test may leave.
func mayLeave(use coverage.Use) string {
	return fmt.Sprintf("%s may change %s, which a selected test uses through %s", use.Left, stateOf(use), use.By)
}

func stateOf(use coverage.Use) string {
	if use.StateFile == "" {
		return use.State
	}
	return use.State + " (" + use.StateFile + ")"
}

// unitsNow returns the present units of a suite's sources that differ from the
// measurement.
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
