package coverage_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/linediff"
	"github.com/proctorhq/proctor/internal/property"
	"github.com/proctorhq/proctor/sdk"
)

// drawSet generates a subset of the first n blocks.
func drawSet(t *rapid.T, n int, name string) sdk.BlockSet {
	var s sdk.BlockSet
	for i := range n {
		if rapid.Bool().Draw(t, name) {
			s = s.Add(i)
		}
	}
	return s
}

// Without an edit, an answer about a line says exactly what the blocks say: no test
// more, none fewer, and no line with unexecuted code is called executed.
func TestAnAnswerIsWhatWasMeasured(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		w := newWorld()
		blocks := sourceBlocks()
		var tests []coverage.Test
		for i := range rapid.IntRange(0, 3).Draw(rt, "tests") {
			tests = append(tests, coverage.Test{Name: []string{"TestF1", "TestF2", "TestG"}[i], Blocks: drawSet(rt, len(blocks), "blocks")})
		}
		s := w.measure("s", nil, tests...)
		s.Whole = drawSet(rt, len(blocks), "whole")
		line := rapid.IntRange(1, 16).Draw(rt, "line")
		a := cover(t, w.question("x.go", line))
		listed := map[string]api.CoveringTest{}
		for _, r := range a.Tests {
			listed[r.Test] = r
		}
		code, hit := false, false
		for n, b := range blocks {
			if b.StartLine <= line && line <= b.EndLine {
				code = true
				hit = hit || s.Whole.Has(n)
			}
		}
		for _, test := range tests {
			executes := false
			for n, b := range blocks {
				executes = executes || b.StartLine <= line && line <= b.EndLine && test.Blocks.Has(n)
			}
			if got := listed[test.Name].Granularity == api.GranularityTest; got != executes {
				rt.Fatalf("line %d: %s executes it: %t, listed: %t: %+v", line, test.Name, executes, got, a)
			}
			hit = hit || executes
		}
		unmeasured := len(tests) < 3
		if got := len(a.Uncovered) == 1; got != (code && !hit && !unmeasured) {
			rt.Fatalf("line %d: uncovered %t, code %t, hit %t, unmeasured %t: %+v", line, got, code, hit, unmeasured, a)
		}
		if hit && len(a.Tests) == 0 || a.Granularity == api.GranularityUnknown {
			rt.Fatalf("line %d: %+v", line, a)
		}
	})
}

// After any edit, a test that executed a line and still can is listed for it, or its
// suite is.
func TestNoTestIsLostByAnEdit(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		w := newWorld()
		before := strings.Split(source, "\n")
		lines := append([]string(nil), before...)
		for range rapid.IntRange(1, 4).Draw(rt, "edits") {
			at := rapid.IntRange(0, len(lines)-1).Draw(rt, "at")
			switch rapid.IntRange(0, 2).Draw(rt, "kind") {
			case 0:
				lines = append(lines[:at:at], append([]string{rapid.SampledFrom([]string{"\tx()", "", "// c", "}", "func N() {"}).Draw(rt, "text")}, lines[at:]...)...)
			case 1:
				lines = append(lines[:at:at], lines[at+1:]...)
			case 2:
				lines[at] += " // edited"
			}
			if len(lines) == 0 {
				return
			}
		}
		w.files["x.go"] = strings.Join(lines, "\n")
		was := linediff.Map(coverage.HashLines([]byte(source)), coverage.HashLines([]byte(w.files["x.go"])))
		for n, old := range was {
			a := cover(t, w.question("x.go", n+1))
			if a.Granularity == api.GranularityUnknown {
				rt.Fatalf("line %d: %+v", n+1, a)
			}
			if old == 0 {
				continue
			}
			for _, test := range w.suite("s").Tests {
				for i, b := range sourceBlocks() {
					if b.StartLine <= old && old <= b.EndLine && test.Blocks.Has(i) && !names(a, test.Name) && len(a.Unmapped) == 0 {
						rt.Fatalf("line %d, which was %d and which %s executed: %q\n%s", n+1, old, test.Name, told(a), w.files["x.go"])
					}
				}
			}
		}
	})
}

// names reports whether an answer has a test, or its whole suite.
func names(a api.Covering, test string) bool {
	for _, r := range a.Tests {
		if r.Suite == "s" && (r.Test == test || r.Test == "") {
			return true
		}
	}
	return false
}

// Plugins and files may say anything within the bounds.
func TestEveryQuestionHasAnAnswerWhateverWasMeasured(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		small, any := rapid.IntRange(0, 8), rapid.SampledFrom([]int{-1 << 31, -1, 0, 1, 2, 5, 1<<31 - 1})
		path := rapid.SampledFrom([]string{"a", "b", "", "/c", "d/e"})
		status := rapid.SampledFrom([]sdk.Status{"", sdk.Passed, sdk.Failed, "x"})
		units := func() []sdk.SourceUnit {
			var all []sdk.SourceUnit
			for range small.Draw(rt, "units") {
				all = append(all, sdk.SourceUnit{
					Name: path.Draw(rt, "unit"), Kind: sdk.UnitKind(small.Draw(rt, "kind")), StartLine: any.Draw(rt, "start"), EndLine: any.Draw(rt, "end"),
					Digest: path.Draw(rt, "digest"), Test: path.Draw(rt, "test"),
				})
			}
			return all
		}
		lines := rapid.SliceOfN(rapid.Uint32Range(0, 3), 0, 8)
		g := coverage.NewGraph()
		q := coverage.Question{
			Path: path.Draw(rt, "path"), Exists: rapid.Bool().Draw(rt, "exists"), Lines: lines.Draw(rt, "lines"), Units: units(),
			Digest: func(p string) string { return p[:min(len(p), 1)] }, Now: start,
		}
		for range small.Draw(rt, "ranges") {
			q.Ranges = append(q.Ranges, coverage.Range{First: any.Draw(rt, "first"), Last: any.Draw(rt, "last")})
		}
		for range small.Draw(rt, "suites") {
			s := &coverage.Suite{
				Suite: path.Draw(rt, "suite"), Granularity: rapid.SampledFrom([]api.Granularity{api.GranularityTest, api.GranularitySuite}).Draw(rt, "granularity"),
				Inputs: map[string]string{path.Draw(rt, "input"): path.Draw(rt, "was")}, Built: map[string]bool{path.Draw(rt, "built"): true},
			}
			blocks := 0
			for range small.Draw(rt, "sheets") {
				sheet := &coverage.Sheet{Path: path.Draw(rt, "sheet"), Digest: path.Draw(rt, "of"), Lines: lines.Draw(rt, "then"), Units: units()}
				for range small.Draw(rt, "blocks") {
					first := rapid.IntRange(1, 1<<31-1).Draw(rt, "block")
					sheet.Blocks = append(sheet.Blocks, sdk.Block{StartLine: first, EndLine: rapid.IntRange(first, 1<<31-1).Draw(rt, "block's end"), EndColumn: 1})
				}
				blocks += len(sheet.Blocks)
				s.Sheets = append(s.Sheets, sheet)
			}
			s.Whole, s.StartUp = drawSet(rt, blocks, "whole"), drawSet(rt, blocks, "start-up")
			for i := range small.Draw(rt, "tests") {
				s.Tests = append(s.Tests, coverage.Test{Name: fmt.Sprint("Test", i), Blocks: drawSet(rt, blocks, "test"), Reads: []string{path.Draw(rt, "read")}, Alone: status.Draw(rt, "alone")})
			}
			if err := s.Check(); err != nil {
				rt.Fatal(err)
			}
			q.Suites = append(q.Suites, s)
			g.Suite(sdk.ListedSuite{Suite: s.Suite, Needs: []string{path.Draw(rt, "need")}, Tests: []sdk.ListedTest{{Name: "Test1"}}})
			g.Part(sdk.ListedPart{Name: path.Draw(rt, "part"), Files: []string{path.Draw(rt, "file")}})
		}
		if rapid.Bool().Draw(rt, "a graph") {
			q.Graph = g
		}
		cover(t, q)
	})
}
