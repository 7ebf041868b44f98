package coverage

import (
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/sdk"
)

// Question asks which tests execute lines of a file.
type Question struct {
	// Path is relative to the workspace.
	Path string
	// Ranges are the asked lines; none is the whole file.
	Ranges []Range
	// Exists reports whether the file is there. Lines are the hashes of its lines now,
	// Units its outline; nil where it has none.
	Exists bool
	Lines  []uint32
	Units  []sdk.SourceUnit
	// Digest returns the digest that a file has now, as in [Suite.Inputs].
	Digest func(path string) string
	// Outline returns the units of another file now; ok is false where it has none. nil
	// is that nobody knows: every test of a suite may do something else then, once a
	// file changed that it is built from.
	Outline func(path string) (units []sdk.SourceUnit, ok bool)
	// Suites are what was measured in this setting, of all suites of the language.
	Suites []*Suite
	// Elsewhere reports whether a suite was measured in another setting; nil is no.
	Elsewhere func(suite string) bool
	// Graph is what suites are built from now; nil is not known.
	Graph *Graph
	// Now is the time.
	Now time.Time
}

// Cover answers a question about one language. Schema, Workspace, File, Lines and the
// languages of the tests are for the caller to fill in, and the list of tests is
// whole.
//
// A test is listed with [api.GranularityTest] where it executed one of the lines
// when it ran alone, where it is declared on one, and where it read the file. A line is
// one of those that a block spans: of a line on which blocks meet, as "} else {", those
// that execute any of them. A suite is listed with [api.GranularitySuite] where its
// tests together executed a line, or where it does before any test, and it is not known
// which test did. It is listed with [api.GranularityImport] where it is built from
// the file and was not measured.
//
// The lines are those of now, and found in the file as it was measured by [Map]. Of a
// line that was written since, the tests count that executed the function around it,
// and where there was none, the lines beside it in the new one.
//
// What was measured is stale where a file changed that the suite is built from, and for
// a test also where one changed that it read. A test that did not execute the lines may
// do so then, if it executed something that changed, or if anything else changed than
// the bodies of functions. Those tests of a suite, or all of it, are listed with
// [api.GranularityImport]; so are tests that are new. An empty list never means that
// nobody knows.
//
// Suites and tests that may depend on more than is known, as they start programs, are
// listed with [api.GranularityImport] where an asked line has code that nobody is
// known to execute; where there is no such line, a warning counts them. A line is called
// uncovered, and the answer as exact as its rows, only where nothing that is listed may
// execute it all the same. Suites without tests execute nothing; tests that run only
// when they are asked for are none here.
func Cover(q Question) api.Covering {
	c := newCover(q)
	for _, s := range c.suites {
		c.reads(s)
		switch at, base := sheetAt(s, q.Path); {
		case at != nil && len(at.Blocks) > 0:
			c.measured(s, at, base)
		case at != nil || s.Built[q.Path] || c.builtNow[s.Suite]:
			c.unmeasured(s.Suite, s, at)
		}
	}
	for _, name := range c.built {
		if c.known[name] == nil {
			c.unmeasured(name, nil, nil)
		}
	}
	c.withoutCode()
	c.doubts()
	c.inDoubt()
	return c.answer()
}

// cover is an answer that is being made.
type cover struct {
	q Question
	// asked are the asked lines that there are, and what was found of each.
	asked []int
	lines []line
	// gone reports whether there is nothing of the file now, so that lines are as they
	// were.
	gone bool
	// suites are the measured ones that exist, known the same by name, and built those
	// that are built from the file now, measured or not.
	suites   []*Suite
	known    map[string]*Suite
	built    []string
	builtNow map[string]bool
	// complete reports whether it is known of all suites what they are built from.
	complete bool

	views  map[string]*view
	drifts map[*Suite]*drift
	rows   []row
	listed map[rowKey]int
	// concerns are the measured suites that the answer rests on, by name.
	concerns map[string]*Suite
	// may: a listed test or suite may execute asked lines of which that is not known.
	// helps: an index would tell more.
	may, helps bool
	doubtful   []doubt
}

// line is what was found of an asked line: that there is code, that a test executes
// it, that there is none; and that it was written since something was measured.
type line struct{ code, hit, none, unmapped bool }

// doubt is a test that may execute more than is known; a suite where test is empty.
type doubt struct{ suite, test, why string }

// idle reports whether a suite has no test, so that nothing executes what it is built
// from.
func (c *cover) idle(suite string) bool {
	if !c.complete {
		return false
	}
	node := c.q.Graph.Suites[suite]
	return node != nil && len(node.Tests) == 0
}

func newCover(q Question) *cover {
	c := &cover{
		q: q, gone: !q.Exists || len(q.Lines) == 0, complete: q.Graph != nil && len(q.Graph.Errors()) == 0,
		known: map[string]*Suite{}, builtNow: map[string]bool{}, views: map[string]*view{}, drifts: map[*Suite]*drift{},
		listed: map[rowKey]int{}, concerns: map[string]*Suite{},
	}
	for _, s := range q.Suites {
		// What does not exist any more executes nothing.
		if !c.complete || q.Graph.Suites[s.Suite] != nil {
			if !c.idle(s.Suite) {
				c.suites = append(c.suites, s)
				c.known[s.Suite] = s
			}
		}
	}
	if q.Graph != nil {
		// What a pattern finds would be listed if anything were built from it.
		if c.built = q.Graph.UsedBy(q.Path); len(c.built) == 0 {
			c.built = q.Graph.BuiltFrom(q.Path)
		}
		c.built = slices.DeleteFunc(c.built, c.idle)
	}
	for _, name := range c.built {
		c.builtNow[name] = true
	}
	c.ask()
	return c
}

// ask finds out which lines are asked for.
func (c *cover) ask() {
	if c.gone {
		return
	}
	wanted := make([]bool, len(c.q.Lines)+1)
	for _, r := range c.q.Ranges {
		for n := max(r.First, 1); n <= min(r.Last, len(c.q.Lines)); n++ {
			wanted[n] = true
		}
	}
	for n := 1; n <= len(c.q.Lines); n++ {
		if wanted[n] || len(c.q.Ranges) == 0 {
			c.asked = append(c.asked, n)
		}
	}
	c.lines = make([]line, len(c.asked))
}

// sheetAt is the sheet of a file, and the number of its first block.
func sheetAt(s *Suite, path string) (sheet *Sheet, base int) {
	for _, sheet := range s.Sheets {
		if sheet.Path == path {
			return sheet, base
		}
		base += len(sheet.Blocks)
	}
	return nil, 0
}

// exists reports whether a measured test is still one of its suite.
func (c *cover) exists(suite, test string) bool {
	if c.q.Graph == nil {
		return true
	}
	node := c.q.Graph.Suites[suite]
	return node == nil || len(node.Tests) == 0 || c.q.Graph.HasTest(suite, test)
}

// reads lists the tests that read the file.
func (c *cover) reads(s *Suite) {
	for i := range s.Tests {
		t := &s.Tests[i]
		for _, path := range t.Reads {
			if path == c.q.Path && c.exists(s.Suite, t.Name) {
				d := c.drift(s)
				c.list(row{kind: kindReads, suite: s.Suite, test: t.Name, why: WhyRead, stale: d.stale || d.readsChanged(c, t)}, s, t)
			}
		}
	}
}
