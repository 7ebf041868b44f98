package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

func TestLinesAreFoundAgainAfterAnEdit(t *testing.T) {
	w := newWorld()
	w.edit("x.go", "package x\n", "package x\n\n// one\n// two\n")
	// Comments change no unit, so no test executes anything new.
	a := cover(t, w.question("x.go", 8))
	if told(a) != "s.TestF1 test 8 !" || !a.Stale || a.Advice == (api.Advice{}) || len(a.Unmapped) != 0 {
		t.Errorf("%q, %+v", told(a), a)
	}
	if a = cover(t, w.question("x.go", 3)); told(a) != "" || a.Message != "line 3 of x.go has no code" || a.Stale {
		t.Errorf("a comment that was written since: %q, %+v", told(a), a)
	}
}

func TestANewLineIsCoveredByTheTestsOfItsFunction(t *testing.T) {
	w := newWorld()
	w.edit("x.go", "\treturn a\n", "\ta *= 2\n\treturn a\n")
	a := cover(t, w.question("x.go", 9))
	if told(a) != "s.TestF1 test 9 !; s.TestF2 test 9 !" || !slices.Equal(a.Unmapped, []string{"9"}) || a.Tests[0].Why != "it executed the function around it, before the edit" {
		t.Errorf("%q, %+v", told(a), a)
	}
	// The tests that execute it are known as far as possible.
	w.suite("v").Tests[0].Opaque = "it starts another program"
	if a = cover(t, w.question("x.go", 9)); len(a.Tests) != 2 || len(a.Warnings) != 1 {
		t.Errorf("%q, %+v", told(a), a)
	}
	// Precise results are kept apart.
	a = cover(t, w.question("x.go", 5, 9))
	if told(a) != "s.TestF1 test 5,9 !; s.TestF2 test 9 !" || a.Tests[0].Why != "of 9: it executed the function around it, before the edit" || !slices.Equal(a.Unmapped, []string{"9"}) {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestALineOfARenamedFunctionIsCoveredByTheTestsOfItsNeighbors(t *testing.T) {
	w := newWorld()
	w.edit("x.go", "func F(a int) int {", "func H(a int) int {")
	w.edit("x.go", "\t\ta++\n", "\t\ta++\n\t\ta--\n")
	a := cover(t, w.question("x.go", 8))
	if !strings.HasPrefix(told(a), "s.TestF2 test 8 !") || !slices.Equal(a.Unmapped, []string{"8"}) || a.Tests[0].Why != "it executed the lines beside it, before the edit" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestANewFunctionIsCoveredByTheTestsOfItsChangedCallers(t *testing.T) {
	w := newWorld()
	w.edit("x.go", "// comment\n", "func N() {\n\tn()\n}\n")
	// Nothing else changed, so nothing can call it.
	a := cover(t, w.question("x.go", 17))
	if told(a) != "" || a.Granularity != api.GranularityTest || len(a.Uncovered) != 0 || !slices.Equal(a.Unmapped, []string{"17"}) {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.edit("x.go", "g();", "g(); N();")
	a = cover(t, w.question("x.go", 17))
	if told(a) != "s.TestG import !" {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.edit("x.go", "var V = 1", "var V = N()")
	a = cover(t, w.question("x.go", 17))
	if told(a) != "s import !; u import !" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestABraceOfAnotherFunctionIsNotTaken(t *testing.T) {
	w := newWorld()
	w.edit("x.go", "func G() { g(); if x { h() } }", "func K() int {\n\treturn a\n}\n\nfunc G() { g(); if x { h() } }")
	w.edit("x.go", "\treturn a\n}\n\nfunc K", "}\n\nfunc K")
	// The line was F's and is now K's.
	if a := cover(t, w.question("x.go", 12)); strings.Contains(told(a), "test") || len(a.Unmapped) != 1 {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestASuiteMayExecuteOtherLinesAfterAnEdit(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(w *world)
		// of a line that TestF1 executed, and of one that no test did
		want, nobody string
	}{
		{"of a comment", func(w *world) { w.edit("u.go", "package u\n", "package u\n// c\n") }, "s.TestF1 test 5", ""},
		{"of the body of a function", func(w *world) { w.edit("x.go", "a++", "a--") }, "s.TestF1 test 5 !; s.TestF2 import !", "s.TestF2 import !"},
		{"of a variable", func(w *world) { w.edit("x.go", "V = 1", "V = 2") }, "s.TestF1 test 5 !; s import !; u import !", "s import !; u import !"},
		{"of a signature", func(w *world) { w.edit("x.go", "func G()", "func G(int)") }, "s.TestF1 test 5 !; s import !; u import !", "s import !; u import !"},
		{"of a test", func(w *world) { w.edit("s_test.go", "F(1)", "F(2)") }, "s.TestF1 test 5 !; s.TestF2 import !", "s.TestF2 import !"},
		{"of what is not a source", func(w *world) { w.edit("go.mod", "x", "y") }, "s.TestF1 test 5 !; s import !; u import !", "s import !; u import !"},
		{"of what a test read", func(w *world) { w.edit("testdata/a", "1", "2") }, "s.TestF1 test 5; s.TestG import !", "s.TestG import !"},
		{"of something else", func(w *world) { w.files["v.go"] = "package v\n" }, "s.TestF1 test 5", ""},
	} {
		w := newWorld()
		tc.edit(w)
		a := cover(t, w.question("x.go", 5))
		if told(a) != tc.want {
			t.Errorf("%s: %q, want %q: %+v", tc.name, told(a), tc.want, a)
		}
		w = newWorld()
		w.suite("s").Tests[0].Blocks, w.suite("s").Whole = nil, nil
		tc.edit(w)
		a = cover(t, w.question("x.go", 5))
		if told(a) != tc.nobody || tc.nobody != "" && len(a.Uncovered) != 0 {
			t.Errorf("%s, of a line that no test executed: %q, want %q: %+v", tc.name, told(a), tc.nobody, a)
		}
	}
}

func TestWithoutOutlinesAnyTestOfAStaleSuiteMayExecuteALine(t *testing.T) {
	w := newWorld()
	w.edit("s_test.go", "F(1)", "F(2)")
	w.suite("s").Tests[0].Blocks, w.suite("s").Whole = nil, nil
	q := w.question("x.go", 5)
	q.Outline = nil
	if a := cover(t, q); told(a) != "s import !" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestANewTestIsListedUntilItIsMeasured(t *testing.T) {
	w := newWorld()
	w.list("s", "x tests", "TestNew")
	if a := cover(t, w.question("x.go", 5)); told(a) != "s.TestF1 test 5; s.TestNew import !" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestAFileThatIsGoneWasExecutedByItsTests(t *testing.T) {
	w := newWorld()
	delete(w.files, "x.go")
	a := cover(t, w.question("x.go"))
	if !strings.HasPrefix(told(a), "s.TestG test !; s.TestF1 test !; s.TestF2 test !") || a.Tests[0].Why != "it executed the file, which is gone now" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestWithoutAnOutlineNeighboringLinesCount(t *testing.T) {
	w := newWorld()
	w.edit("x.go", "\t\ta++\n", "\t\ta++\n\t\ta--\n")
	q := w.question("x.go", 8)
	q.Units = nil
	if a := cover(t, q); !strings.HasPrefix(told(a), "s.TestF2 test 8 !") || a.Tests[0].Why != "it executed the lines beside it, before the edit" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestAMeasuredFileWithUnknownLinesIsUsedUntilItChanges(t *testing.T) {
	w := newWorld()
	for _, s := range w.suites {
		for _, sheet := range s.Sheets {
			if sheet.Path == "x.go" {
				*sheet = coverage.Sheet{Path: "x.go", Blocks: sheet.Blocks}
			}
		}
	}
	if a := cover(t, w.question("x.go", 5)); told(a) != "s.TestF1 test 5" {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.edit("x.go", "// comment", "// another")
	if a := cover(t, w.question("x.go", 5)); told(a) != "s import !; u import !" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

// Only TestG is known to execute what is edited.
func TestAnyTestMayDifferIfItIsUnknownWhichExecutedAnEdit(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(s *coverage.Suite)
		want   string
	}{
		{"by a test", func(*coverage.Suite) {}, "s.TestG import !"},
		{"at the start of the suite", func(s *coverage.Suite) { s.StartUp = set(4) }, "s import !"},
		{"by tests together, and none alone", func(s *coverage.Suite) { s.Tests[2].Blocks, s.Whole = nil, set(4) }, "s import !"},
		{"in a function without blocks", func(s *coverage.Suite) { s.Sheets[1].Blocks = s.Sheets[1].Blocks[:4] }, "s import !"},
		{"where something looks at positions of code", func(s *coverage.Suite) { s.Sheets[0].Units[0].Positions = true }, "s import !"},
		{"and by one that did not come to its end", func(s *coverage.Suite) { s.Tests[1].Alone = sdk.Unfinished }, "s.TestG import !; s.TestF2 import !"},
	} {
		w := newWorld()
		s := w.suite("s")
		s.Tests[0].Blocks, s.Whole = nil, nil
		tc.change(s)
		w.edit("x.go", "g();", "g2();")
		if a := cover(t, w.question("x.go", 5)); told(a) != tc.want {
			t.Errorf("%s: %q, want %q: %+v", tc.name, told(a), tc.want, a)
		}
	}
}

func TestAStateIsSaidToHaveMoreUsersThanAreNamed(t *testing.T) {
	a := api.Covering{State: []api.StateUse{{Suite: "s", State: "cache", By: "Put", Tests: []string{"TestA", "TestB"}, Total: 61}}}
	want := "61 other tests of s may find cache changed through Put by tests that execute this: TestA, TestB and 59 more"
	if got := coverage.StateWarnings(a); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
