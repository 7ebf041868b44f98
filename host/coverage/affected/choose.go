package affected

import (
	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// Change is a file that differs between the base and now.
type Change struct {
	// Path is relative to the workspace, or absolute if outside of it. The path of a
	// link or nested repository also stands for everything below it.
	Path string
	// Added reports whether it exists only now, Removed whether only in the base. If
	// neither, its content or type differs.
	Added, Removed bool
	// Link reports whether it is a symbolic link, now or in the base. Measurements do
	// not always show that a test resolves one, so a link that no suite is built from
	// selects everything.
	Link bool
}

// Input is everything that the choice rests on.
type Input struct {
	Changes []Change
	// Graph is what suites are built from now. Its errors select everything.
	Graph *coverage.Graph
	// Suites are the measurements in this setting, by name.
	Suites map[string]*coverage.Suite
	// Digest returns a file's present digest, as in [coverage.Suite.Inputs].
	Digest func(path string) string
	// Outline returns the present units of a file; ok is false if it has none.
	Outline func(path string) (units []sdk.SourceUnit, ok bool)
	// Lines returns the hashes of a file's present lines, as in [coverage.Sheet]; it
	// may be nil.
	Lines func(path string) (lines []uint32, ok bool)
	// InBase reports whether a path is a regular file of the base, so that it is among
	// the changes if it differs. Other files, such as those ignored by version control,
	// are compared with the measurement, and an unmeasured suite built from one is
	// selected. If InBase is nil, all files in the workspace count as in the base.
	InBase func(path string) bool
	// Outstanding are tests that have not passed yet, for any reason: they are
	// selected.
	Outstanding []sdk.TestID
}

// Choice is what to run.
type Choice struct {
	// Everything says why all tests of all suites are selected; the choice then holds
	// nothing else. It is empty otherwise.
	Everything string
	// Tests are selected one by one, Suites whole, each with the reason, sorted by
	// suite and test.
	Tests, Suites []api.ChosenTest
	// BuildOnly, LeftOutTests and LeftOutSuites are as in [api.Affected].
	BuildOnly                   []string
	LeftOutTests, LeftOutSuites int
	// Untold is what selected and omitted tests may leave for each other without our
	// knowing.
	Untold []api.Untold
}

// Choose selects tests. It omits a test only if its suite is not built from anything
// that changed and reads nothing that did, or if it was measured alone and executed no
// unit, read no file and starts up with no unit that differs from the measurement.
func Choose(in Input) Choice {
	w, why := newWorkspace(in)
	if why != "" {
		return Choice{Everything: why}
	}
	picks := map[string]*pick{}
	for _, name := range w.suites {
		picks[name] = w.pickSuite(in.Graph.Suites[name])
	}
	pickOpaqueTests(w, picks)
	pickOutstanding(w, picks)
	var untold []api.Untold
	for _, name := range w.suites {
		untold = append(untold, w.spread(name, picks[name])...)
	}
	var c Choice
	for _, name := range w.suites {
		c.addPicked(in.Graph.Suites[name], picks[name])
	}
	c.Untold = untold
	return c
}

// addPicked adds what was picked of a suite.
func (c *Choice) addPicked(node *coverage.Node, p *pick) {
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

// pickOpaqueTests picks the tests that may depend on anything, if anything changed.
func pickOpaqueTests(w *workspace, picks map[string]*pick) {
	anything := len(w.changed) > 0
	for _, p := range picks {
		anything = anything || p.built || p.whole != nil || len(p.tests) > 0
	}
	if !anything {
		return
	}
	for _, name := range w.suites {
		m := w.in.measured(name)
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

// pickOutstanding picks what has not passed yet in existing suites.
func pickOutstanding(w *workspace, picks map[string]*pick) {
	for _, t := range w.in.Outstanding {
		p := picks[t.Suite]
		if p == nil {
			continue
		}
		if t.Test == "" {
			p.all(reason{rankOutstanding, api.GranularitySuite, "it is outstanding"})
		} else {
			// It may be part of a listed test; only the plugin knows.
			p.test(t.Test, reason{rankOutstanding, api.GranularityTest, "it is outstanding"})
		}
		if m := w.in.measured(t.Suite); m != nil {
			p.settle(m)
		}
	}
}
