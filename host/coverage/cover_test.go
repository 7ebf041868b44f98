package coverage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

func TestTheTestsThatExecuteALineAreListed(t *testing.T) {
	w := newWorld()
	for _, tc := range []struct {
		name    string
		lines   []int
		want    string
		message string
	}{
		{"of a function", []int{3}, "s.TestF1 test 3; s.TestF2 test 3", "2 tests execute x.go:3"},
		{"on which a condition is", []int{4}, "s.TestF1 test 4; s.TestF2 test 4", "2 tests execute x.go:4"},
		{"of a branch", []int{5}, "s.TestF1 test 5", "1 test executes x.go:5"},
		{"on which two branches meet", []int{6}, "s.TestF1 test 6; s.TestF2 test 6", "2 tests execute x.go:6"},
		{"of another branch", []int{7}, "s.TestF2 test 7", "1 test executes x.go:7"},
		{"with the brace of a branch", []int{8}, "s.TestF2 test 8", "1 test executes x.go:8"},
		{"with several blocks", []int{12}, "s.TestG test 12", "1 test executes x.go:12"},
		{"and others", []int{5, 6, 9, 12}, "s.TestG test 12; s.TestF1 test 5-6; s.TestF2 test 6,9", "3 tests execute x.go:5-6,9,12"},
		{"the file", nil, "s.TestG test 12; s.TestF1 test 3-6; s.TestF2 test 3-4,6-9", "3 tests execute x.go"},
	} {
		a := cover(t, w.question("x.go", tc.lines...))
		if got := told(a); got != tc.want || a.Granularity != api.GranularityTest || a.Stale || a.Message != tc.message || a.Advice != (api.Advice{}) || len(a.Warnings) != 0 {
			t.Errorf("%s:\n%s\n%s\n%+v", tc.name, got, tc.want, a)
		}
		if a.MeasuredAt == nil || !a.MeasuredAt.Equal(start) || a.AgeS != 60 {
			t.Errorf("%s: measured %v, %f s ago", tc.name, a.MeasuredAt, a.AgeS)
		}
	}
}

func TestALineThatNothingExecutesIsUncovered(t *testing.T) {
	w := newWorld()
	w.suite("s").Tests[0].Blocks, w.suite("s").Whole = set(0), set(0, 2, 3, 4)
	a := cover(t, w.question("x.go", 5))
	if told(a) != "" || a.Granularity != api.GranularityTest || !slices.Equal(a.Uncovered, []string{"5"}) || len(a.NoCode) != 0 ||
		a.Message != "no test executes x.go:5 (2 suites are built from it, measured test by test)" || a.MeasuredAt == nil {
		t.Errorf("%+v", a)
	}
	a = cover(t, w.question("x.go"))
	if !slices.Equal(a.Uncovered, []string{"5"}) || len(a.NoCode) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestALineWithoutCodeHasNone(t *testing.T) {
	w := newWorld()
	for _, tc := range []struct {
		lines   []int
		want    string
		message string
	}{
		{[]int{16}, "", "line 16 of x.go has no code"},
		{[]int{15, 16}, "", "lines 15-16 of x.go have no code"},
		{[]int{10}, "", "line 10 of x.go has no code"}, // the brace after a return
		// The initialization of variables is not measured.
		{[]int{14, 15}, "s import; u import", "2 suites may execute x.go:14-15, by import only"},
	} {
		a := cover(t, w.question("x.go", tc.lines...))
		if told(a) != tc.want || a.Message != tc.message || len(a.NoCode) != 1 || len(a.Uncovered) != 0 || a.Stale {
			t.Errorf("%v: %q, %+v", tc.lines, told(a), a)
		}
	}
	a := cover(t, w.question("x.go", 9, 10, 11))
	if told(a) != "s.TestF2 test 9" || !slices.Equal(a.NoCode, []string{"10-11"}) {
		t.Errorf("%+v", a)
	}
}

func TestALineExecutedAtStartUpBelongsToNoTest(t *testing.T) {
	w := newWorld()
	s := w.suite("s")
	s.StartUp = set(4)
	s.Tests[2].Blocks = nil
	a := cover(t, w.question("x.go", 12))
	if told(a) != "s package 12" || a.Tests[0].Why != "it is executed when the suite starts, before any test" || a.Granularity != api.GranularitySuite {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestALineThatTestsExecuteOnlyTogetherIsNotLost(t *testing.T) {
	w := newWorld()
	w.suite("s").Tests[2].Blocks = nil
	a := cover(t, w.question("x.go", 12))
	if told(a) != "s package 12" || a.Tests[0].Why != "its tests executed it together, and none of them alone" || len(a.Uncovered) != 0 {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestASuiteThatWasMeasuredAsAWholeIsListedAsOne(t *testing.T) {
	w := newWorld()
	s := w.suite("s")
	s.Granularity, s.Tests = api.GranularitySuite, nil
	a := cover(t, w.question("x.go", 7))
	if told(a) != "s package 7" || a.Message != "1 suite executes x.go:7 as a whole" || a.Advice == (api.Advice{}) {
		t.Errorf("%q, %+v", told(a), a)
	}
	s.Whole = set(4)
	a = cover(t, w.question("x.go", 7))
	if told(a) != "" || a.Granularity != api.GranularitySuite || !slices.Equal(a.Uncovered, []string{"7"}) {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestASuiteThatWasNotMeasuredMayExecuteWhatItIsBuiltFrom(t *testing.T) {
	w := newWorld()
	w.suites = w.suites[:1]
	a := cover(t, w.question("x.go", 5))
	if told(a) != "s.TestF1 test 5; u import" || a.Advice == (api.Advice{}) || a.Message != "1 test executes x.go:5; 1 suite may execute it, by import only" {
		t.Errorf("%q, %+v", told(a), a)
	}
	// It is unknown whether the other executes what they do not.
	w.suites[0].Tests, w.suites[0].Whole = nil, nil
	if a = cover(t, w.question("x.go", 5)); len(a.Uncovered) != 0 || told(a) == "" {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.suites = nil
	if a = cover(t, w.question("x.go", 5)); told(a) != "s import; u import" || a.MeasuredAt != nil {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestASuiteMayExecuteAFileThatWasNotMeasuredWithIt(t *testing.T) {
	w := newWorld()
	u := w.suite("u")
	u.Granularity, u.Tests, u.Sheets = api.GranularitySuite, nil, u.Sheets[:1]
	if u.Sheets[0].Path == "x.go" {
		t.Fatal("the wrong sheet is left")
	}
	if a := cover(t, w.question("x.go", 5)); told(a) != "s.TestF1 test 5; u import" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestNothingIsKnownWithoutMeasurementsAndDependencies(t *testing.T) {
	w := newWorld()
	q := w.question("x.go", 5)
	q.Suites, q.Graph = nil, nil
	if a := cover(t, q); told(a) != "" || a.Granularity != api.GranularityUnknown || a.Advice == (api.Advice{}) || len(a.Warnings) == 0 || a.MeasuredAt != nil {
		t.Errorf("%+v", a)
	}
	// The measurement counts; what lies beyond it is unknown.
	q.Suites = w.suites
	if a := cover(t, q); told(a) != "s.TestF1 test 5" || a.Granularity != api.GranularityTest || len(a.Warnings) != 1 {
		t.Errorf("%+v", a)
	}
	w.suites[0].Tests[0].Blocks, w.suites[0].Whole = nil, nil
	if a := cover(t, q); told(a) != "" || a.Granularity != api.GranularityUnknown || len(a.Uncovered) != 0 {
		t.Errorf("%+v", a)
	}
	w.graph.Error("w does not build")
	if a := cover(t, w.question("x.go", 5)); told(a) != "" || a.Granularity != api.GranularityUnknown || len(a.Uncovered) != 0 {
		t.Errorf("with a graph that is not complete: %+v", a)
	} else if text := fmt.Sprint(a.Warnings); !strings.Contains(text, "some suites") || strings.Contains(text, "w does not build") {
		t.Errorf("the errors of the graph, which are notes themselves, are told again: %s", text)
	}
}

func TestASuiteOrTestThatIsGoneExecutesNothing(t *testing.T) {
	w := newWorld()
	w.suite("u").Tests[0].Blocks = set(1)
	w.measure("s", []int{0, 1}, coverage.Test{Name: "TestOld", Blocks: set(0, 1)}, coverage.Test{Name: "TestF1", Blocks: set(0, 1)})
	w.graph = coverage.NewGraph()
	w.graph.Part(sdk.ListedPart{Name: "x", Files: []string{"x.go", "go.mod", "embedded", "s_test.go"}})
	w.list("s", "x", "TestF1")
	if a := cover(t, w.question("x.go", 5)); told(a) != "s.TestF1 test 5" || a.Stale {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestLinesAfterTheLastDoNotExist(t *testing.T) {
	w := newWorld()
	if a := cover(t, w.question("x.go", 17, 40)); a.Granularity != api.GranularityUnknown || a.Message != "x.go has 16 lines" {
		t.Errorf("%+v", a)
	}
}

func TestTheOldestMeasurementGivesTheAge(t *testing.T) {
	w := newWorld()
	w.suite("u").MeasuredAt = start.Add(-time.Hour)
	w.suite("v").MeasuredAt = start.Add(-24 * time.Hour)
	if a := cover(t, w.question("x.go", 5)); a.AgeS != 3660 {
		t.Errorf("%f s", a.AgeS)
	}
}

func TestABlockThatEndsWhereALineBeginsIsNotOnIt(t *testing.T) {
	w := newWorld()
	sheet := w.suite("s").Sheets[1]
	sheet.Blocks[1].EndLine, sheet.Blocks[1].EndColumn = 6, 1
	if a := cover(t, w.question("x.go", 6)); told(a) != "s.TestF2 test 6" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestWhatOnlyARemovedTestExecutedIsUncovered(t *testing.T) {
	w := newWorld()
	w.graph = coverage.NewGraph()
	w.graph.Part(sdk.ListedPart{Name: "x", Files: []string{"x.go", "go.mod", "embedded", "s_test.go"}})
	w.list("s", "x", "TestF1", "TestF2")
	if a := cover(t, w.question("x.go", 12)); told(a) != "" || !slices.Equal(a.Uncovered, []string{"12"}) {
		t.Errorf("%q, %+v", told(a), a)
	}
}
