package coverage_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

// source is the measured file. Its blocks are as the Go command reports them.
const source = `package x

func F(a int) int {
	if a > 1 {
		return 1
	} else {
		a++
	}
	return a
}

func G() { g(); if x { h() } }

var V = 1

// comment
`

func sourceBlocks() []sdk.Block {
	return []sdk.Block{
		{StartLine: 3, StartColumn: 19, EndLine: 4, EndColumn: 11, Statements: 1}, // 0: the condition
		{StartLine: 4, StartColumn: 11, EndLine: 6, EndColumn: 3, Statements: 1},  // 1: then
		{StartLine: 6, StartColumn: 8, EndLine: 8, EndColumn: 3, Statements: 1},   // 2: else
		{StartLine: 9, StartColumn: 2, EndLine: 9, EndColumn: 10, Statements: 1},  // 3: after
		{StartLine: 12, StartColumn: 10, EndLine: 12, EndColumn: 22, Statements: 2},
		{StartLine: 12, StartColumn: 22, EndLine: 12, EndColumn: 29, Statements: 1},
	}
}

// noState declares that units touch no state.
var noState = sdk.UnitState{Defines: []string{"."}}

// outline splits a text as a language would: a function begins with func and ends with
// a brace, a declaration begins with var or package.
func outline(text string) []sdk.SourceUnit {
	units := []sdk.SourceUnit{}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		first, head := i, lines[i]
		switch word, rest, _ := strings.Cut(head, " "); word {
		case "func":
			for i < len(lines) && !strings.HasPrefix(lines[i], "}") && !strings.HasSuffix(lines[i], "}") || i < len(lines) && strings.HasPrefix(lines[i], "\t") {
				i++
			}
			name, _, _ := strings.Cut(rest, "(")
			signature, _, _ := strings.Cut(head, "{")
			body := strings.TrimPrefix(strings.Join(lines[first:min(i+1, len(lines))], "\n"), signature)
			if strings.HasPrefix(name, "Test") {
				units = append(units, sdk.SourceUnit{Name: name, Kind: sdk.UnitTest, StartLine: first + 1, EndLine: i + 1, Digest: body, Test: name})
				continue
			}
			units = append(units,
				sdk.SourceUnit{Name: name, Kind: sdk.UnitName, StartLine: first + 1, EndLine: first + 1, Digest: signature, State: noState},
				sdk.SourceUnit{Name: name, Kind: sdk.UnitBody, StartLine: first + 1, EndLine: i + 1, Digest: body})
		case "var", "package":
			units = append(units, sdk.SourceUnit{Name: rest, Kind: sdk.UnitDeclaration, StartLine: i + 1, EndLine: i + 1, Digest: head, State: noState})
		}
	}
	return units
}

// world is some files and their measurements.
type world struct {
	files  map[string]string
	graph  *coverage.Graph
	suites []*coverage.Suite
}

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// newWorld has suite s with three tests, measured test by test; suite u, which is built
// from x.go but executes nothing of it; and suite v, which has nothing to do with it.
func newWorld() *world {
	w := &world{graph: coverage.NewGraph(), files: map[string]string{
		"x.go": source, "s_test.go": "package x\n\nfunc TestF1(t *T) {\n\tF(2)\n}\n\nfunc TestF2(t *T) {\n\tF(1)\n}\n\nfunc help() {\n\tF(3)\n}\n",
		"u.go": "package u\n", "testdata/a": "1", "go.mod": "module x\n", "embedded": "e",
	}}
	w.graph.Part(sdk.ListedPart{Name: "x", Files: []string{"x.go", "go.mod", "embedded"}, Patterns: []string{"*.go"}})
	w.graph.Part(sdk.ListedPart{Name: "x tests", Files: []string{"s_test.go"}, Needs: []string{"x"}})
	w.graph.Part(sdk.ListedPart{Name: "u", Files: []string{"u.go"}, Needs: []string{"x"}})
	w.graph.Part(sdk.ListedPart{Name: "v", Files: []string{"v.go"}})
	w.list("s", "x tests", "TestF1", "TestF2", "TestG")
	w.list("u", "u", "TestU")
	w.list("v", "v", "TestV")
	w.measure("s", []int{0, 1, 2, 3, 4}, coverage.Test{Name: "TestF1", Blocks: set(0, 1)}, coverage.Test{Name: "TestF2", Blocks: set(0, 2, 3)}, coverage.Test{Name: "TestG", Blocks: set(4), Reads: []string{"testdata/a"}})
	w.measure("u", nil, coverage.Test{Name: "TestU"})
	w.measure("v", nil, coverage.Test{Name: "TestV"})
	return w
}

func (w *world) list(suite, need string, tests ...string) {
	s := sdk.ListedSuite{Suite: suite, Needs: []string{need}}
	for _, name := range tests {
		s.Tests = append(s.Tests, sdk.ListedTest{Name: name})
	}
	w.graph.Suite(s)
}

// measure measures a suite test by test with the present files.
func (w *world) measure(suite string, whole []int, tests ...coverage.Test) *coverage.Suite {
	s := &coverage.Suite{
		Suite: suite, Granularity: api.GranularityTest, MeasuredAt: start, Inputs: map[string]string{}, Built: map[string]bool{},
		Whole: set(whole...), Tests: tests, Patterns: w.graph.Patterns(suite),
	}
	for i := range s.Tests {
		s.Tests[i].Alone, s.Tests[i].Together = sdk.Passed, sdk.Passed
		for _, path := range s.Tests[i].Reads {
			s.Inputs[path] = w.files[path]
		}
	}
	for _, path := range w.graph.Files(suite) {
		s.Inputs[path], s.Built[path] = w.files[path], true
		if text := w.files[path]; strings.HasSuffix(path, ".go") {
			sheet := &coverage.Sheet{Path: path, Digest: text, Lines: coverage.HashLines([]byte(text)), Units: outline(text)}
			if path == "x.go" {
				sheet.Blocks = sourceBlocks()
			}
			s.Sheets = append(s.Sheets, sheet)
		}
	}
	w.suites = append(slices.DeleteFunc(w.suites, func(old *coverage.Suite) bool { return old.Suite == suite }), s)
	return s
}

func (w *world) suite(name string) *coverage.Suite {
	for _, s := range w.suites {
		if s.Suite == name {
			return s
		}
	}
	return nil
}

// edit replaces a text in a file.
func (w *world) edit(path, old, text string) {
	if !strings.Contains(w.files[path], old) {
		panic(path + " does not contain " + old)
	}
	w.files = maps.Clone(w.files)
	w.files[path] = strings.Replace(w.files[path], old, text, 1)
}

// question asks about lines of a file, or all of it.
func (w *world) question(path string, lines ...int) coverage.Question {
	text, ok := w.files[path]
	q := coverage.Question{
		Path: path, Exists: ok, Lines: coverage.HashLines([]byte(text)), Suites: w.suites, Graph: w.graph, Now: start.Add(time.Minute),
		Digest: func(path string) string { return w.files[path] },
		Outline: func(path string) ([]sdk.SourceUnit, bool) {
			text, ok := w.files[path]
			return outline(text), ok
		},
	}
	if ok && strings.HasSuffix(path, ".go") {
		q.Units = outline(text)
	}
	for _, n := range lines {
		q.Ranges = append(q.Ranges, coverage.Range{First: n, Last: n})
	}
	return q
}

// told formats the rows of an answer in order, as "s.TestF1 test 3-5 !", with an
// exclamation mark for stale ones.
func told(a api.Covering) string {
	var rows []string
	for _, t := range a.Tests {
		row := t.Suite
		if t.Test != "" {
			row += "." + t.Test
		}
		row += " " + string(t.Granularity)
		if len(t.Lines) > 0 {
			row += " " + strings.Join(t.Lines, ",")
		}
		if t.Stale {
			row += " !"
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "; ")
}

// cover asks, and checks what must hold of every answer.
func cover(t testing.TB, q coverage.Question) api.Covering {
	t.Helper()
	a := coverage.Cover(q)
	if a.Tests == nil || a.Total != len(a.Tests) || a.Message == "" {
		t.Errorf("%+v", a)
	}
	for _, r := range a.Tests {
		if r.Stale && !a.Stale || r.Granularity != api.GranularityTest && r.Why == "" && r.Granularity != api.GranularitySuite {
			t.Errorf("%+v in %+v", r, a)
		}
	}
	if len(a.Tests) > 0 && a.Granularity != a.Tests[len(a.Tests)-1].Granularity && a.Granularity != api.GranularityImport {
		t.Errorf("the answer's granularity is %s, and the least exact row's %s", a.Granularity, a.Tests[len(a.Tests)-1].Granularity)
	}
	if a.Granularity == api.GranularityUnknown && a.Advice == (api.Advice{}) && !strings.Contains(a.Message, " has ") {
		t.Errorf("nothing says what to do: %+v", a)
	}
	return a
}
