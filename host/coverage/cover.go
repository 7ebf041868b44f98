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
	// Ranges are the requested lines; empty means the whole file.
	Ranges []Range
	// Exists reports whether the file exists. Lines are the hashes of its present
	// lines, Units its outline; nil if it has none.
	Exists bool
	Lines  []uint32
	Units  []sdk.SourceUnit
	// Digest returns a file's present digest, as in [Suite.Inputs].
	Digest func(path string) string
	// Outline returns the present units of another file; ok is false if it has none. If
	// Outline is nil, a change to a file that a suite is built from may affect any of its
	// tests.
	Outline func(path string) (units []sdk.SourceUnit, ok bool)
	// Suites are the measurements in this setting, for all suites of the language.
	Suites []*Suite
	// Elsewhere reports whether a suite was measured in another setting; nil means no.
	Elsewhere func(suite string) bool
	// Graph is what suites are built from now; nil if unknown.
	Graph *Graph
	// Now is the present time.
	Now time.Time
}

// Cover answers a question about one language. The caller fills in Schema, Workspace,
// File, Lines and the languages of the tests; the list of tests is complete.
//
// A test is listed with [api.GranularityTest] if it executed one of the lines when run
// alone, is declared on one, or read the file. A line belongs to every block that spans
// it: if blocks meet on a line, as on "} else {", tests that execute any of them count. A
// suite is listed with [api.GranularitySuite] if a line was executed by its tests together,
// or before any of them, and no single test is known to. It is listed with
// [api.GranularityImport] if it is built from the file and was not measured.
//
// The lines are those of the present file; [linediff.Map] finds them in the file as measured. For a
// line written since, the tests count that executed the enclosing function or, in a new
// function, the neighboring lines.
//
// A measurement is stale if a file that the suite is built from changed; for a test,
// also if a file that it read did. A test that did not execute the lines may then do so
// if it executed something that changed, or if anything but the bodies of functions
// changed. Such tests, or the whole suite, are listed with [api.GranularityImport]; so are
// new tests. An empty list never means "unknown".
//
// Suites and tests that may depend on more than is known, because they start programs, are
// listed with [api.GranularityImport] if a requested line has code that no test is known to
// execute; otherwise a warning counts them. A line is called uncovered, and the answer is
// as precise as its rows, only if nothing listed may execute it after all. Suites without
// tests execute nothing; tests that run only on request do not count.
func Cover(q Question) api.Covering {
	c := newCover(q)
	for _, s := range c.suites {
		c.listReaders(s)
		switch at, base := sheetAt(s, q.Path); {
		case at != nil && len(at.Blocks) > 0:
			c.listMeasured(s, at, base)
		case at != nil || s.Built[q.Path] || c.builtNow[s.Suite]:
			c.listUnmeasured(s.Suite, s, at)
		}
	}
	for _, name := range c.built {
		if c.known[name] == nil {
			c.listUnmeasured(name, nil, nil)
		}
	}
	c.listDeclarations()
	c.recordDoubts()
	c.listDoubts()
	return c.assemble()
}

// cover is an answer in the making.
type cover struct {
	q Question
	// asked are the requested lines that exist, with what was found about each.
	asked []int
	lines []line
	// gone reports whether the file is gone, so that the lines are the measured ones.
	gone bool
	// suites are the measured ones that still exist, known the same by name; built are those
	// now built from the file, measured or not.
	suites   []*Suite
	known    map[string]*Suite
	built    []string
	builtNow map[string]bool
	// complete reports whether it is known what all suites are built from.
	complete bool

	views  map[string]*view
	drifts map[*Suite]*drift
	rows   []row
	listed map[rowKey]int
	// concerns are the measured suites that the answer relies on, by name.
	concerns map[string]*Suite
	// may reports whether a listed test or suite may execute requested lines without being
	// known to; helps, whether an index would tell more.
	may, helps bool
	doubtful   []doubt
}

// line is what was found about a requested line: it has code, a test executes it, it
// has no code, it was written since something was measured.
type line struct{ code, hit, none, unmapped bool }

// doubt is a test that may execute more than is known, or a suite if test is empty.
type doubt struct{ suite, test, why string }

// isIdle reports whether a suite has no tests, so that nothing executes what it is built
// from.
func isIdle(c *cover, suite string) bool {
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
		// A suite that no longer exists executes nothing.
		if !c.complete || q.Graph.Suites[s.Suite] != nil {
			if !isIdle(c, s.Suite) {
				c.suites = append(c.suites, s)
				c.known[s.Suite] = s
			}
		}
	}
	if q.Graph != nil {
		// A file matched by a pattern would be listed if anything were built from it.
		if c.built = q.Graph.usedBy(q.Path); len(c.built) == 0 {
			c.built = q.Graph.BuiltFrom(q.Path)
		}
		c.built = slices.DeleteFunc(c.built, func(suite string) bool { return isIdle(c, suite) })
	}
	for _, name := range c.built {
		c.builtNow[name] = true
	}
	c.resolveLines()
	return c
}

// resolveLines determines the requested lines.
func (c *cover) resolveLines() {
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

// sheetAt returns the sheet of a file and the number of its first block.
func sheetAt(s *Suite, path string) (sheet *Sheet, base int) {
	for _, sheet := range s.Sheets {
		if sheet.Path == path {
			return sheet, base
		}
		base += len(sheet.Blocks)
	}
	return nil, 0
}

// stillExists reports whether a measured test still belongs to its suite.
func stillExists(c *cover, suite, test string) bool {
	if c.q.Graph == nil {
		return true
	}
	node := c.q.Graph.Suites[suite]
	return node == nil || len(node.Tests) == 0 || c.q.Graph.HasTest(suite, test)
}

// listReaders lists the tests that read the file.
func (c *cover) listReaders(s *Suite) {
	for i := range s.Tests {
		t := &s.Tests[i]
		for _, path := range t.Reads {
			if path == c.q.Path && stillExists(c, s.Suite, t.Name) {
				d := c.drift(s)
				c.list(row{kind: kindReads, suite: s.Suite, test: t.Name, stale: d.stale || d.readsChanged(c, t)}, s, t)
			}
		}
	}
}
