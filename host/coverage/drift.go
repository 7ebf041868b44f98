package coverage

import (
	"slices"

	"github.com/proctorhq/proctor/sdk"
)

// drift is what changed since a suite was measured.
type drift struct {
	// stale reports whether a file that it is built from changed. all reports whether
	// any of its tests may now do something else; otherwise only those may that executed one
	// of the blocks, or are in tests.
	stale, all bool
	blocks     []int
	tests      map[string]bool
	suite      *Suite
}

// drift determines what changed since a suite was measured, once.
func (c *cover) drift(s *Suite) *drift {
	if d := c.drifts[s]; d != nil {
		return d
	}
	d := &drift{suite: s, tests: map[string]bool{}}
	c.drifts[s] = d
	if c.q.Graph != nil && c.q.Graph.Suites[s.Suite] != nil {
		files := c.q.Graph.Files(s.Suite)
		for _, path := range files {
			d.stale = d.stale || !s.Built[path]
		}
		built := 0
		for _, is := range s.Built {
			if is {
				built++
			}
		}
		d.stale = d.stale || len(files) != built
		d.all = d.stale
		for _, test := range c.q.Graph.Suites[s.Suite].Tests {
			d.tests[test] = true
		}
		for i := range s.Tests {
			delete(d.tests, s.Tests[i].Name)
		}
	}
	sheets, base := map[string]int{}, 0
	bases := make([]int, len(s.Sheets))
	for i, sheet := range s.Sheets {
		sheets[sheet.Path], bases[i] = i, base
		base += len(sheet.Blocks)
	}
	for path, digest := range s.Inputs {
		if !s.Built[path] || c.q.Digest(path) == digest {
			continue
		}
		d.stale = true
		if i, ok := sheets[path]; ok {
			d.compare(c, s.Sheets[i], bases[i])
		} else {
			d.all = true
		}
	}
	d.all = d.all || d.stale && looksAtPlaces(s)
	return d
}

// looksAtPlaces reports whether a suite is built with code that inspects its own line
// number.
func looksAtPlaces(s *Suite) bool {
	for _, sheet := range s.Sheets {
		for _, u := range sheet.Units {
			if u.Positions {
				return true
			}
		}
	}
	return false
}

// compare records what the difference of a source file can affect.
func (d *drift) compare(c *cover, sheet *Sheet, base int) {
	now := c.q.Units
	if sheet.Path != c.q.Path {
		now = nil
		if c.q.Outline != nil {
			now, _ = c.q.Outline(sheet.Path)
		}
	}
	if now == nil {
		d.all = true
		return
	}
	for _, u := range now {
		d.all = d.all || u.Positions
	}
	is := Compare(sheet, now, nil)
	d.all = d.all || is.Whole != ""
	for _, unit := range is.Bodies {
		d.recordBody(sheet, base, unit)
	}
	for _, test := range slices.Concat(is.Tests, is.Gone) {
		d.tests[test] = true
	}
}

// recordBody records the blocks of a changed function body. If it has none, or one is not
// attributed to single tests, any test may have executed it.
func (d *drift) recordBody(sheet *Sheet, base int, unit sdk.SourceUnit) {
	found := false
	for i, b := range sheet.Blocks {
		if b.EndLine < unit.StartLine || b.StartLine > unit.EndLine {
			continue
		}
		found = true
		d.blocks = append(d.blocks, base+i)
		d.all = d.all || d.suite.StartUp.Has(base+i) || d.isTogether(base+i)
	}
	d.all = d.all || !found
}

// isTogether reports whether the tests executed a block together, but none of them alone.
func (d *drift) isTogether(block int) bool {
	return d.suite.Whole.Has(block) && !slices.ContainsFunc(d.suite.Tests, func(t Test) bool { return t.Blocks.Has(block) })
}

// readsChanged reports whether a file that a test looked at changed.
func (d *drift) readsChanged(c *cover, t *Test) bool {
	for _, path := range t.Reads {
		if c.q.Digest(path) != d.suite.Inputs[path] {
			return true
		}
	}
	return false
}

// mayDiffer reports whether a test may execute something else than it did.
func (d *drift) mayDiffer(c *cover, t *Test) bool {
	if d.all || d.tests[t.Name] || d.readsChanged(c, t) {
		return true
	}
	if len(d.blocks) > 0 && t.Alone != sdk.Passed && t.Alone != sdk.Skipped {
		return true // it did not finish
	}
	for _, n := range d.blocks {
		if t.Blocks.Has(n) {
			return true
		}
	}
	return false
}
