package affected

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// Change is a file that differs between the base and now.
type Change struct {
	// Path is relative to the workspace; absolute outside of it. That of a link or of a
	// repository within this one stands for all that is below as well.
	Path string
	// Added, Removed: it is there only now, or only was. Neither: its content, or what
	// kind of file it is.
	Added, Removed bool
	// Link reports whether it is a symbolic link, now or in the base. That a test asks
	// where one leads is not always measured, so that one that no suite is built from
	// chooses everything.
	Link bool
}

// Input is what there is to know.
type Input struct {
	Changes []Change
	// Graph is what suites are built from now. One with errors chooses everything.
	Graph *coverage.Graph
	// Suites are what was measured in this setting, by name.
	Suites map[string]*coverage.Suite
	// Digest returns the digest that a file has now, as in [coverage.Suite.Inputs].
	Digest func(path string) string
	// Outline returns the units of a file as it is now; ok is false where it has none.
	Outline func(path string) (units []sdk.SourceUnit, ok bool)
	// Lines returns the hashes of the lines of a file as it is now, as in
	// [coverage.Sheet]; nil knows none.
	Lines func(path string) (lines []uint32, ok bool)
	// InBase reports whether a path is a regular file of the base, so that it is among the
	// changes where it differs. Others, such as files that version control ignores, are
	// compared with what was measured, and a suite that is built from one and was not
	// measured is chosen. Nil takes all in the workspace for such.
	InBase func(path string) bool
	// Outstanding are tests that did not pass yet, for whatever reason: they are chosen.
	Outstanding []api.Test
}

// Choice is what to run.
type Choice struct {
	// Everything says why all tests of all suites are chosen; empty where they are not.
	// There is nothing else in the choice then.
	Everything string
	// Tests are chosen one by one, Suites with all their tests: each with the reason,
	// sorted by suite and test.
	Tests, Suites []api.ChosenTest
	// BuildOnly, LeftOutTests and LeftOutSuites are as in [api.Affected].
	BuildOnly                   []string
	LeftOutTests, LeftOutSuites int
	// Untold is what tests that are chosen and those that are left out may leave for each
	// other, and what is not followed.
	Untold []api.Untold
}

// Choose chooses. A test is left out only where its suite is not built from anything
// that changed and reads nothing that did, or where it was measured alone and executed
// no unit, read no file and starts up with no unit that differs from what was measured.
func Choose(in Input) Choice {
	w, why := newWorkspace(in)
	if why != "" {
		return Choice{Everything: why}
	}
	picks := map[string]*pick{}
	for _, name := range w.suites {
		picks[name] = w.suite(in.Graph.Suites[name])
	}
	w.opaqueTests(picks)
	w.outstanding(picks)
	var untold []api.Untold
	for _, name := range w.suites {
		untold = append(untold, w.spread(name, picks[name])...)
	}
	var c Choice
	for _, name := range w.suites {
		c.add(in.Graph.Suites[name], picks[name])
	}
	c.Untold = untold
	return c
}

// add turns what was picked of a suite into a part of the choice.
func (c *Choice) add(node *coverage.Node, p *pick) {
	switch {
	case p.whole != nil && len(node.Tests) > 0:
		c.Suites = append(c.Suites, p.whole.chosen(node.Suite, ""))
	case len(p.tests) > 0:
		for _, test := range sorted(p.tests) {
			c.Tests = append(c.Tests, p.tests[test].chosen(node.Suite, test))
		}
		for _, test := range node.Tests {
			if _, ok := p.tests[test]; !ok {
				c.LeftOutTests++
			}
		}
	case p.built || p.whole != nil:
		c.BuildOnly = append(c.BuildOnly, node.Suite)
		c.LeftOutTests += len(node.Tests)
	default:
		c.LeftOutSuites++
	}
}

// opaqueTests picks the tests that may depend on anything, where anything changed.
func (w *workspace) opaqueTests(picks map[string]*pick) {
	anything := len(w.changed) > 0
	for _, p := range picks {
		anything = anything || p.built || p.whole != nil || len(p.tests) > 0
	}
	if !anything {
		return
	}
	for _, name := range w.suites {
		m := w.measured(name)
		if m == nil {
			continue
		}
		for _, t := range m.Tests {
			if t.Opaque != "" {
				w.pick(picks[name], name, t.Name, reason{rankOpaque, api.GranularityUnknown, t.Opaque})
			}
		}
		picks[name].settle(m)
	}
}

// outstanding picks what did not pass yet, of suites that exist.
func (w *workspace) outstanding(picks map[string]*pick) {
	for _, t := range w.in.Outstanding {
		p := picks[t.Suite]
		if p == nil {
			continue
		}
		if t.Test == "" {
			p.all(reason{rankOutstanding, api.GranularitySuite, "it is outstanding"})
		} else {
			// It may be a part of a listed test, which only the plugin knows.
			p.test(t.Test, reason{rankOutstanding, api.GranularityTest, "it is outstanding"})
		}
		if m := w.measured(t.Suite); m != nil {
			p.settle(m)
		}
	}
}
