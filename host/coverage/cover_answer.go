package coverage

import (
	"fmt"
	"path"
	"strings"

	"github.com/proctorhq/proctor/host/api"
)

// assemble assembles the answer.
func (c *cover) assemble() api.Covering {
	a := api.Covering{Tests: c.listTests(), Total: len(c.rows)}
	for _, r := range c.rows {
		a.Stale = a.Stale || r.stale
	}
	for _, r := range c.rows {
		if r.measured != nil {
			c.concerns[r.suite] = r.measured
		}
	}
	for _, s := range c.concerns {
		if len(c.rows) == 0 && !hasNoCode(c) {
			a.Stale = a.Stale || c.drift(s).stale
		}
		if at := s.MeasuredAt; a.MeasuredAt == nil || at.Before(*a.MeasuredAt) {
			a.MeasuredAt, a.AgeS = &at, max(c.q.Now.Sub(at).Seconds(), 0)
		}
	}
	a.Granularity = granularityOf(c)
	if len(c.q.Ranges) > 0 {
		a.NoCode = texts(c.linesWhere(func(l line) bool { return l.none && !l.code && !l.hit && !l.unmapped }))
	}
	a.Unmapped = texts(c.linesWhere(func(l line) bool { return l.unmapped }))
	if !c.may && c.complete {
		a.Uncovered = texts(c.linesWhere(func(l line) bool { return l.code && !l.hit && !l.unmapped }))
	}
	a.Message, a.Advice.Operation = phraseAnswer(c, a)
	a.State, a.Untold = c.collectState()
	a.Warnings = api.Notes(api.NoteCoverage, append(warningsOf(c), StateWarnings(a)...)...)
	return a
}

// granularityOf returns the coarsest one that the answer relies on.
func granularityOf(c *cover) api.Granularity {
	if n := len(c.rows); n > 0 {
		if c.may && c.hasUncoveredCode() {
			return api.GranularityImport // its row is more precise, but about other lines
		}
		return c.rows[n-1].kind.granularity() // they are sorted
	}
	if isBeyond(c) || isOutside(c) || !c.complete && !hasNoCode(c) {
		return api.GranularityUnknown
	}
	if len(c.concerns) == 0 {
		if why, _ := explainUnknownReads(c); why != "" {
			return api.GranularityUnknown
		}
	}
	for _, s := range c.concerns {
		if s.Granularity != api.GranularityTest {
			return api.GranularitySuite
		}
	}
	return api.GranularityTest
}

// isOutside reports whether the file is outside the workspace and no suite is built from
// it: which tests read such files is not measured.
func isOutside(c *cover) bool {
	return len(c.rows)+len(c.concerns) == 0 && (path.IsAbs(c.q.Path) || strings.HasPrefix(c.q.Path, "../"))
}

// isBeyond reports whether the requested lines follow the last line.
func isBeyond(c *cover) bool { return !c.gone && len(c.asked) == 0 }

// explainUnknownReads says why it is not known of every test which files it reads, and what
// to do about it; empty if it is known.
func explainUnknownReads(c *cover) (why string, more api.Operation) {
	if !c.complete {
		return "not all suites are listed", moreIndex
	}
	for _, name := range c.q.Graph.SuiteNames() {
		s, node := c.known[name], c.q.Graph.Suites[name]
		switch {
		case len(node.Tests) == 0, node.Sealed && findOpaque(c, name) == "":
			continue
		case s == nil || s.Granularity != api.GranularityTest:
			return name + " was not measured test by test", moreIndex
		case findOpaque(c, name) != "":
			return name + ": " + findOpaque(c, name), moreRun
		case c.drift(s).stale:
			return name + " changed since it was measured", moreAgain
		}
		for i := range s.Tests {
			t := &s.Tests[i]
			if t.Opaque != "" {
				return fmt.Sprintf("%s of %s: %s", t.Name, name, t.Opaque), moreRun
			}
			if c.drift(s).readsChanged(c, t) {
				return fmt.Sprintf("what %s of %s read changed since it was measured", t.Name, name), moreAgain
			}
		}
		if test, ok := findUnmeasured(s, node); ok {
			return fmt.Sprintf("%s of %s was not measured", test, name), moreAgain
		}
	}
	return "", ""
}

// findUnmeasured finds a test of a suite that was not measured.
func findUnmeasured(s *Suite, node *Node) (test string, ok bool) {
	measured := map[string]bool{}
	for i := range s.Tests {
		measured[s.Tests[i].Name] = true
	}
	for _, test := range node.Tests {
		if !measured[test] {
			return test, true
		}
	}
	return "", false
}

// warningsOf returns what the answer does not cover.
func warningsOf(c *cover) []string {
	var all []string
	switch {
	case c.q.Graph == nil:
		all = append(all, "what the suites are built from is unknown, so any test that was not measured may execute it as well")
	case !c.complete:
		all = append(all, "what some suites are built from is unknown") // the errors of the graph say why
	}
	if n := len(c.doubtful); n > 0 && len(c.rows) > 0 {
		d := c.doubtful[0]
		name, what := d.suite, api.Plural(n, "suite")
		if d.test != "" {
			name = d.test + " of " + d.suite
		}
		if tests := countDoubtfulTests(c); tests == n {
			what = api.Plural(n, "test")
		} else if tests > 0 {
			what = api.Plural(tests, "test") + " and " + api.Plural(n-tests, "suite")
		}
		all = append(all, fmt.Sprintf("%s may execute more than was measured, as %s: %s", what, name, d.why))
	}
	if n := countReaders(c); n > 0 {
		all = append(all, api.Plural(n, "suite")+" may read it, because what their tests read was not measured")
	}
	return all
}

// countReaders counts the suites whose tests may read a file that nothing is built from.
func countReaders(c *cover) int {
	if c.q.Graph == nil || len(c.built) > 0 || len(c.rows) == 0 {
		return 0
	}
	for _, r := range c.rows {
		if r.kind != kindReads {
			return 0
		}
	}
	n := 0
	for name, node := range c.q.Graph.Suites {
		if len(node.Tests) == 0 || node.Sealed && findOpaque(c, name) == "" {
			continue
		}
		s := c.known[name]
		whole := s != nil && s.Granularity == api.GranularityTest
		if whole {
			_, lacks := findUnmeasured(s, node)
			whole = !lacks
		}
		if !whole {
			n++
		}
	}
	return n
}

// countDoubtfulTests counts the doubts about single tests.
func countDoubtfulTests(c *cover) int {
	n := 0
	for _, d := range c.doubtful {
		if d.test != "" {
			n++
		}
	}
	return n
}
