package coverage

import (
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// listMeasured lists the tests of a suite that executed requested lines.
func (c *cover) listMeasured(s *Suite, sheet *Sheet, base int) {
	c.concerns[s.Suite] = s
	v, d := c.view(s, sheet), c.drift(s)
	targets := v.findTargets(sheet, base)
	// What no single test, existing or not, executed alone is known only of all
	// together.
	alone, known := sdk.BlockSet{}, slices.Clone(s.StartUp)
	for i := range s.Tests {
		alone = uniteBlocks(alone, s.Tests[i].Blocks)
		if stillExists(c, s.Suite, s.Tests[i].Name) {
			known = uniteBlocks(known, s.Tests[i].Blocks)
		}
	}
	together := subtractBlocks(subtractBlocks(s.Whole, alone), s.StartUp)
	c.noteLines(v, targets, uniteBlocks(known, together))
	if s.Granularity != api.GranularityTest {
		hit := executed(targets, s.Whole)
		if len(hit) > 0 {
			c.listExecuting(row{kind: kindWhole, suite: s.Suite, stale: d.stale}, v, hit, s, nil)
			c.helps = c.helps || indexHelps(s)
		}
		if s.Cut && len(hit) < len(targets) {
			c.listCut(s, d)
		}
		if (d.stale || len(v.lost) > 0) && len(targets)+len(v.lost)+len(v.places) > 0 {
			c.list(row{kind: kindMay, suite: s.Suite, why: "it is built from the file, and changed since its tests were measured together", stale: true}, s, nil)
		}
		return
	}
	for i := range s.Tests {
		t := &s.Tests[i]
		if hit := executed(targets, t.Blocks); len(hit) > 0 && stillExists(c, s.Suite, t.Name) {
			c.listExecuting(row{kind: kindExecutes, suite: s.Suite, test: t.Name, stale: d.stale || d.readsChanged(c, t)}, v, hit, s, t)
		}
	}
	if hit := executed(targets, s.StartUp); len(hit) > 0 {
		c.listExecuting(row{kind: kindStarts, suite: s.Suite, stale: d.stale, why: "it is executed when the suite starts, before any test"}, v, hit, s, nil)
	}
	if hit := executed(targets, together); len(hit) > 0 {
		c.listExecuting(row{kind: kindWhole, suite: s.Suite, stale: d.stale, why: "its tests executed it together, and none of them alone"}, v, hit, s, nil)
	}
	if len(targets)+len(v.lost)+len(v.places) == 0 {
		return // there is nothing to execute
	}
	c.listUnsettled(s, d)
	c.listNew(s, d)
}

// executed returns the targets in a set.
func executed(targets []target, blocks sdk.BlockSet) []target {
	var hit []target
	for _, t := range targets {
		if blocks.Has(t.block) {
			hit = append(hit, t)
		}
	}
	return hit
}

// listExecuting lists a test or suite with the lines of the targets that it executed.
func (c *cover) listExecuting(r row, v *view, hit []target, s *Suite, t *Test) {
	lines, why := v.spanLines(hit)
	if r.lines = lines; why != "" {
		r.why, r.stale = why, true
	}
	if c.gone {
		r.lines = nil
	}
	c.list(r, s, t)
}

// noteLines records for each requested line what a suite knows of it, given the blocks that
// its tests executed.
func (c *cover) noteLines(v *view, targets []target, all sdk.BlockSet) {
	code, hit := make([]bool, len(v.now)), make([]bool, len(v.now))
	for _, t := range targets {
		for i := t.at; i < t.end; i++ {
			code[i] = code[i] || t.code
			hit[i] = hit[i] || all.Has(t.block)
		}
	}
	for i, n := range v.now {
		l := c.lineAt(n)
		l.code, l.hit, l.none = l.code || code[i] || hit[i], l.hit || hit[i], l.none || !code[i] && !hit[i]
	}
	for _, n := range v.empty {
		c.lineAt(n).none = true
	}
	for _, n := range v.lost {
		c.lineAt(n).unmapped = true
	}
	for k, p := range v.places {
		executed := slices.ContainsFunc(targets, func(t target) bool { return slices.Contains(t.places, k) && all.Has(t.block) })
		for _, n := range p.now {
			l := c.lineAt(n)
			l.unmapped, l.hit = true, l.hit || executed
		}
	}
}

// lineAt returns what was found about a requested line.
func (c *cover) lineAt(n int) *line {
	i, _ := slices.BinarySearch(c.asked, n)
	return &c.lines[i]
}

// listUnsettled lists the tests of a suite that may now execute other lines than they did,
// or the suite if it is unknown which.
func (c *cover) listUnsettled(s *Suite, d *drift) {
	if d.all {
		c.list(row{kind: kindMay, suite: s.Suite, why: "it is built from the file, and changed since it was measured", stale: true}, s, nil)
		return
	}
	for i := range s.Tests {
		if t := &s.Tests[i]; d.mayDiffer(c, t) && stillExists(c, s.Suite, t.Name) {
			c.list(row{kind: kindMay, suite: s.Suite, test: t.Name, why: "what it executes or reads changed since it was measured", stale: true}, s, t)
		}
	}
}

// listNew lists the suite's tests that were not measured: new ones, and those that did not
// get their turn.
func (c *cover) listNew(s *Suite, d *drift) {
	if s.Cut {
		c.listCut(s, d)
		return
	}
	for test := range d.tests {
		if testOf(s, test) == nil && stillExists(c, s.Suite, test) {
			c.list(row{kind: kindMay, suite: s.Suite, test: test, why: "it was not measured yet", stale: true}, s, nil)
		}
	}
}

// listCut lists the tests of a suite that did not get their turn before the time ran out, or
// the suite if it is unknown which: nothing shows what they execute.
func (c *cover) listCut(s *Suite, d *drift) {
	c.helps = true
	var node *Node
	if c.q.Graph != nil {
		node = c.q.Graph.Suites[s.Suite]
	}
	if node == nil || len(s.Tests) == 0 {
		c.list(row{kind: kindMay, suite: s.Suite, why: "it is built from the file, and the time ran out before all of its tests were measured", stale: d.stale}, s, nil)
		return
	}
	for _, test := range node.Tests {
		if testOf(s, test) == nil {
			c.list(row{kind: kindMay, suite: s.Suite, test: test, why: "the time ran out before it was measured", stale: d.stale}, s, nil)
		}
	}
}

// listUnmeasured lists a suite that is built from the file but whose executed lines are
// unknown. Its tests declared on requested lines are known.
func (c *cover) listUnmeasured(name string, s *Suite, sheet *Sheet) {
	if s != nil {
		c.concerns[name] = s
	}
	why := "it is built from the file"
	switch {
	case s == nil && c.q.Elsewhere != nil && c.q.Elsewhere(name):
		why += ", and was measured only in another environment or with other tools or arguments"
	case s == nil:
		why += ", and was not measured"
	case sheet == nil:
		why += ", which was not measured with it"
	}
	stale := s != nil && c.drift(s).stale
	c.helps = c.helps || indexHelps(s) && isMeasurable(c)
	if c.q.Units == nil || c.gone {
		c.list(row{kind: kindMay, suite: name, why: why, stale: stale}, s, nil)
		return
	}
	other := false
	for _, n := range c.asked {
		l := c.lineAt(n)
		unit := unitAround(c.q.Units, n)
		switch {
		case unit == nil:
			l.none = true
			continue
		case unit.Kind == sdk.UnitTest && suiteHasTest(c, name, s, unit.Test):
			c.list(row{kind: kindDeclared, suite: name, test: unit.Test, lines: []Range{{n, n}}}, s, testOf(s, unit.Test))
			l.hit = true
		default:
			other = true
		}
		l.code = true
	}
	if other {
		c.list(row{kind: kindMay, suite: name, why: why, stale: stale}, s, nil)
	}
}

// suiteHasTest reports whether a suite has a test, measured or not.
func suiteHasTest(c *cover, name string, s *Suite, test string) bool {
	if c.q.Graph != nil && c.q.Graph.Suites[name] != nil {
		return c.q.Graph.HasTest(name, test)
	}
	return testOf(s, test) != nil
}

func testOf(s *Suite, test string) *Test {
	if s == nil {
		return nil
	}
	for i := range s.Tests {
		if s.Tests[i].Name == test {
			return &s.Tests[i]
		}
	}
	return nil
}

// listDeclarations lists the suites built with declarations on the lines, if there is
// nothing else on them: the initialization of variables is not measured.
func (c *cover) listDeclarations() {
	if len(c.rows) > 0 || len(c.asked) == 0 {
		return
	}
	declared := c.q.Units == nil
	for i, n := range c.asked {
		if l := c.lines[i]; l.code || l.unmapped {
			return
		}
		if u := unitAround(c.q.Units, n); u != nil && u.Kind == sdk.UnitDeclaration {
			declared = true
		}
	}
	if !declared {
		return
	}
	names := slices.Clone(c.built)
	for name := range c.concerns {
		if !c.builtNow[name] {
			names = append(names, name)
		}
	}
	for _, name := range names {
		s := c.known[name]
		c.list(row{kind: kindMay, suite: name, why: "it is built with the declaration there, whose execution is not measured", stale: s != nil && c.drift(s).stale}, s, nil)
	}
}
