package coverage

import (
	"cmp"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// recordDoubts records what may execute more than is known: suites that may depend on
// anything; tests of suites built from the file; and other suites as a whole, which can
// execute it in a program that they start.
func (c *cover) recordDoubts() {
	names := map[string]bool{}
	for name := range c.known {
		names[name] = true
	}
	if c.q.Graph != nil {
		for name, node := range c.q.Graph.Suites {
			if node.Opaque != "" && !isIdle(c, name) {
				names[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s := c.known[name]
		if why := findOpaque(c, name); why != "" {
			c.doubtful = append(c.doubtful, doubt{suite: name, why: why})
			continue
		}
		if s.Partial != "" && c.concerns[name] != nil {
			c.doubtful = append(c.doubtful, doubt{suite: name, why: s.Partial})
			continue
		}
		for i := range s.Tests {
			t := &s.Tests[i]
			switch {
			case !stillExists(c, name, t.Name):
				continue
			case c.concerns[name] != nil && (t.Opaque != "" || t.Partial != "" || t.Alone == sdk.Skipped || t.Together == sdk.Skipped):
				c.doubtful = append(c.doubtful, doubt{name, t.Name, cmp.Or(t.Opaque, t.Partial, "it was skipped when it was measured")})
				continue
			case t.Opaque == "":
				continue
			}
			c.doubtful = append(c.doubtful, doubt{suite: name, why: t.Name + ": " + t.Opaque})
			break
		}
	}
}

// findOpaque says why a whole suite may depend on more than is known.
func findOpaque(c *cover, name string) string {
	why := ""
	if c.q.Graph != nil && c.q.Graph.Suites[name] != nil {
		why = c.q.Graph.Suites[name].Opaque
	}
	if s := c.known[name]; s != nil {
		why = cmp.Or(why, s.Opaque)
	}
	return why
}

// listDoubts lists what may execute more than is known, if there is code that no test is
// known to execute. Rows for other lines do not cover that.
func (c *cover) listDoubts() {
	if len(c.concerns) == 0 && len(c.rows) == 0 {
		return // nothing is known about the file
	}
	if c.hasUncoveredCode() {
		for _, d := range c.doubtful {
			s := c.known[d.suite]
			c.list(row{kind: kindMay, suite: d.suite, test: d.test, why: d.why, doubted: true}, s, testOf(s, d.test))
		}
		c.doubtful = nil
		return
	}
	c.doubtful = slices.DeleteFunc(c.doubtful, func(d doubt) bool {
		whole, listed := c.listed[rowKey{suite: d.suite}]
		if listed && c.rows[whole].more {
			return true // any of its tests may
		}
		i, listed := c.listed[rowKey{d.suite, d.test}]
		return listed && (c.rows[i].kind == kindMay || fillsLines(c, c.rows[i].lines))
	})
}

// fillsLines reports whether lines are all lines with code.
func fillsLines(c *cover, lines []Range) bool {
	at := 0
	for i, n := range c.asked {
		for at < len(lines) && lines[at].Last < n {
			at++
		}
		if l := c.lines[i]; (l.code || l.unmapped) && (at == len(lines) || n < lines[at].First) {
			return false
		}
	}
	return true
}

// hasUncoveredCode reports whether there is, or may be, code that no test is known to execute.
func (c *cover) hasUncoveredCode() bool {
	if c.gone {
		return len(c.rows) == 0
	}
	return slices.ContainsFunc(c.lines, func(l line) bool { return (l.code || l.unmapped) && !l.hit })
}

// hasNoCode reports whether the lines hold nothing that can be executed.
func hasNoCode(c *cover) bool {
	for _, l := range c.lines {
		if !l.none || l.code || l.unmapped {
			return false
		}
	}
	return len(c.lines) > 0
}

// indexHelps reports whether an index may measure a suite more precisely. A run's
// measurement does not say why it is not.
func indexHelps(s *Suite) bool {
	return s == nil || s.Cut || s.Granularity != api.GranularityTest && s.Why == ""
}

// isMeasurable reports whether an index may find out which tests execute the lines: one of
// them is in the body of a function, or there are no outlines to tell.
func isMeasurable(c *cover) bool {
	for _, s := range c.suites {
		at, _ := sheetAt(s, c.q.Path)
		if at != nil && len(at.Blocks) == 0 && !indexHelps(s) && !c.drift(s).stale {
			return false // it was measured, and has nothing to execute
		}
	}
	if c.q.Units == nil {
		return !isOutlined(c)
	}
	if c.gone {
		return true
	}
	return slices.ContainsFunc(c.asked, func(n int) bool {
		unit := unitAround(c.q.Units, n)
		return unit != nil && unit.Kind == sdk.UnitBody
	})
}

// isOutlined reports whether the language has outlines.
func isOutlined(c *cover) bool {
	for _, s := range c.suites {
		for _, sheet := range s.Sheets {
			if len(sheet.Units) > 0 {
				return true
			}
		}
	}
	return false
}
