package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/internal/property"
	"github.com/proctorhq/proctor/sdk"
)

// truth maps tests to the blocks of x.go that they execute now.
type truth map[sdk.TestID]sdk.BlockSet

// drawTruth generates a workspace whose suites are measured by test, as a whole or not
// at all, some changed since, some depending on anything; and what their tests really
// do.
func drawTruth(rt *rapid.T) (*world, truth) {
	w, really := newWorld(), truth{}
	w.files["v.go"] = "package v\n"
	blocks := len(sourceBlocks())
	edit := rapid.SampledFrom([]string{"", "go.mod", "testdata/a", "x.go"}).Draw(rt, "edit")
	w.suites = nil
	for _, name := range w.graph.SuiteNames() {
		how := rapid.SampledFrom([]string{"unmeasured", "whole", "test", "test", "test"}).Draw(rt, "how "+name)
		built := name != "v"
		opaque := rapid.IntRange(0, 4).Draw(rt, "opaque "+name) == 0
		var tests []coverage.Test
		var whole sdk.BlockSet
		for _, test := range w.graph.Suites[name].Tests {
			t := coverage.Test{Name: test}
			if rapid.IntRange(0, 3).Draw(rt, "opaque "+test) == 0 {
				t.Opaque = "it starts another program"
			}
			if built {
				t.Blocks = drawSet(rt, blocks, "blocks of "+test)
			}
			if rapid.Bool().Draw(rt, "reads "+test) {
				t.Reads = []string{"testdata/a"}
			}
			skipped := rapid.IntRange(0, 5).Draw(rt, "skipped "+test) == 0
			if skipped {
				t.Blocks = nil
			}
			// It was not measured, which would go unnoticed in a suite measured as a whole.
			isNew := rapid.IntRange(0, 6).Draw(rt, "new "+test) == 0
			// There are signs of what a suite not built from the file does.
			may := opaque || t.Opaque != "" && how == "test" && !isNew || built && (skipped || isNew && how == "test")
			switch edit {
			case "go.mod":
				may = may || built
			case "testdata/a":
				may = may || built && len(t.Reads) > 0
			case "x.go":
				may = may || built && (t.Blocks.Has(4) || t.Blocks.Has(5))
			}
			now := slices.Clone(t.Blocks)
			if may || how == "unmeasured" && built {
				for i := range blocks {
					if rapid.Bool().Draw(rt, "now") {
						now = now.Add(i)
					}
				}
			}
			really[sdk.TestID{Suite: name, Test: test}] = now
			if isNew {
				continue
			}
			for i := range blocks {
				if t.Blocks.Has(i) {
					whole = whole.Add(i)
				}
			}
			tests = append(tests, t)
		}
		if how == "unmeasured" {
			if opaque {
				w.graph.Suite(sdk.ListedSuite{Suite: name, Opaque: "it calls C"})
			}
			continue
		}
		s := w.measure(name, nil, tests...)
		s.Whole = whole
		for i := range s.Tests {
			if len(s.Tests[i].Blocks) == 0 && built {
				s.Tests[i].Alone = sdk.Skipped
			}
		}
		if opaque {
			s.Opaque = "it calls C"
		}
		if how == "whole" {
			s.Granularity = api.GranularitySuite
			for key := range really {
				if key.Suite == name && !opaque && edit != "go.mod" {
					really[key] = whole
				}
			}
			s.Tests = nil
		}
	}
	switch edit {
	case "x.go":
		w.edit("x.go", "g();", "g2();")
	case "":
	default:
		w.edit(edit, w.files[edit], "another")
	}
	return w, really
}

// executes returns those of the lines that a set of blocks spans.
func executes(blocks sdk.BlockSet, lines []int) []int {
	var found []int
	for _, n := range lines {
		for i, b := range sourceBlocks() {
			if b.StartLine <= n && n <= b.EndLine && blocks.Has(i) {
				found = append(found, n)
				break
			}
		}
	}
	return found
}

// linesOf parses the lines of an answer.
func linesOf(texts []string) []int {
	var all []int
	for _, text := range texts {
		first, last, isRange := strings.Cut(text, "-")
		if !isRange {
			last = first
		}
		for n := atoi(first); n <= atoi(last); n++ {
			all = append(all, n)
		}
	}
	return all
}

func atoi(text string) int {
	n := 0
	for _, c := range text {
		n = 10*n + int(c-'0')
	}
	return n
}

// A test that executes a line is listed, or its suite is, or the answer claims no
// knowledge. For lines that other tests execute, a warning may say that there are more.
// None of the lines is called uncovered.
func TestNoTestThatExecutesALineIsExcluded(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		w, really := drawTruth(rt)
		lines := rapid.SliceOfNDistinct(rapid.IntRange(1, 16), 1, 4, rapid.ID[int]).Draw(rt, "lines")
		q := w.question("x.go", lines...)
		if rapid.IntRange(0, 3).Draw(rt, "whole file") == 0 {
			q.Ranges, lines = nil, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
		}
		a := cover(t, q)
		for test, blocks := range really {
			executed := executes(blocks, lines)
			if len(executed) == 0 || a.Granularity == api.GranularityUnknown {
				continue
			}
			for _, n := range executed {
				if slices.Contains(linesOf(a.Uncovered), n) || slices.Contains(linesOf(a.NoCode), n) {
					rt.Fatalf("%v executes line %d: %+v", test, n, a)
				}
			}
			named, exactly := false, []int(nil)
			for _, r := range a.Tests {
				if r.Suite == test.Suite && (r.Test == test.Test || r.Test == "") {
					named = true
					if r.Granularity == api.GranularityImport {
						exactly = executed
					}
					exactly = append(exactly, linesOf(r.Lines)...)
				}
			}
			if !named && len(a.Warnings) == 0 {
				rt.Fatalf("%v executes %v: %q, %+v", test, executed, told(a), a)
			}
			for _, n := range executed {
				if !slices.Contains(exactly, n) && len(a.Warnings) == 0 && !a.Stale && a.Granularity != api.GranularityImport {
					rt.Fatalf("%v executes line %d too: %q, %+v", test, n, told(a), a)
				}
			}
		}
	})
}

// An answer about several lines combines the answers about each.
func TestAnAnswerAboutLinesCombinesThoseAboutEachLine(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		w, _ := drawTruth(rt)
		lines := rapid.SliceOfNDistinct(rapid.SampledFrom([]int{3, 4, 5, 6, 7, 8, 9, 12}), 1, 4, rapid.ID[int]).Draw(rt, "lines")
		all := cover(t, w.question("x.go", lines...))
		var uncovered []int
		for _, n := range lines {
			one := cover(t, w.question("x.go", n))
			for _, r := range one.Tests {
				if !slices.ContainsFunc(all.Tests, func(other api.CoveringTest) bool { return other.Suite == r.Suite && other.Test == r.Test }) {
					rt.Fatalf("%s.%s of line %d is not among those of %v: %q", r.Suite, r.Test, n, lines, told(all))
				}
			}
			hit := slices.ContainsFunc(one.Tests, func(r api.CoveringTest) bool { return r.Granularity != api.GranularityImport })
			if one.Granularity == api.GranularityImport && !hit && all.Granularity != api.GranularityImport {
				rt.Fatalf("line %d is known by import, %v by %s: %q", n, lines, all.Granularity, told(all))
			}
			uncovered = append(uncovered, linesOf(one.Uncovered)...)
		}
		for _, n := range linesOf(all.Uncovered) {
			if !slices.Contains(uncovered, n) {
				rt.Fatalf("line %d is uncovered among %v only", n, lines)
			}
		}
	})
}

// What tests executed before the time ran out is known. What the others execute is not,
// whatever was measured of all together.
func TestTestsThatDidNotGetTheirTurnMayExecuteAnything(t *testing.T) {
	w := newWorld()
	s := w.suite("s")
	s.Cut, s.Why, s.Tests, s.Whole = true, "the time budget was exhausted after 1 of 3 tests", s.Tests[:1], set(0, 1)
	for line, want := range map[int]string{
		5:  "s.TestF1 test 5; s.TestF2 import; s.TestG import",
		12: "s.TestF2 import; s.TestG import",
	} {
		if a := cover(t, w.question("x.go", line)); told(a) != want || strings.Contains(a.Message, "no test executes") {
			t.Errorf("line %d: %q, want %q; %s", line, told(a), want, a.Message)
		}
	}
	s.Granularity, s.Tests = api.GranularitySuite, nil
	for line, want := range map[int]string{5: "s package 5", 12: "s import"} {
		if a := cover(t, w.question("x.go", line)); told(a) != want || strings.Contains(a.Message, "no test executes") {
			t.Errorf("line %d of all together: %q, want %q; %s", line, told(a), want, a.Message)
		}
	}
}
