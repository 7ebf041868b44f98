package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/sdk"
)

func TestALineThatATestMayExecuteIsNotUncoveredNextToCoveredOnes(t *testing.T) {
	for name, change := range map[string]func(w *world){
		"a test that may depend on anything": func(w *world) { w.suite("s").Tests[2].Opaque = "it panicked" },
		"a test that was skipped":            func(w *world) { w.suite("s").Tests[2].Alone = sdk.Skipped },
	} {
		w := newWorld()
		s := w.suite("s")
		s.Tests[0].Blocks, s.Tests[2].Blocks, s.Whole = nil, nil, nil
		change(w)
		for _, lines := range [][]int{{5, 7}, {4, 5, 6, 7, 8}, nil} {
			a := cover(t, w.question("x.go", lines...))
			if !strings.HasPrefix(told(a), "s.TestF2 test ") || !strings.HasSuffix(told(a), "; s.TestG import") || len(a.Uncovered) != 0 || a.Granularity != api.GranularityImport || a.Advice != (api.Advice{}) {
				t.Errorf("%s, %v: %q, %+v", name, lines, told(a), a)
			}
		}
	}
}

// The only test executes another line, and its row shows that.
func TestATestThatExecutesOneLineMayExecuteAnother(t *testing.T) {
	w := newWorld()
	s := w.suite("s")
	s.Tests[0].Blocks, s.Tests[2].Blocks, s.Whole = nil, nil, nil
	s.Tests[1].Opaque = "it panicked"
	a := cover(t, w.question("x.go", 5, 7))
	if told(a) != "s.TestF2 test 7" || len(a.Uncovered) != 0 || a.Granularity != api.GranularityImport || a.Message != "1 test executes x.go:5,7; 1 of them may execute more of it than is known" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestATestThatIsListedForSomeLinesOnlyIsInDoubtForTheOthers(t *testing.T) {
	w := newWorld()
	w.suite("s").Tests[1].Opaque = "it panicked"
	for _, tc := range []struct {
		lines    []int
		warnings int
	}{{[]int{7}, 0}, {[]int{5, 7}, 1}, {[]int{5}, 1}} {
		a := cover(t, w.question("x.go", tc.lines...))
		if len(a.Warnings) != tc.warnings || a.Granularity != api.GranularityTest {
			t.Errorf("%v: %q, %+v", tc.lines, told(a), a)
		}
	}
}

func TestATestOfAListedSuiteIsNotInDoubtAsWell(t *testing.T) {
	w := newWorld()
	w.suite("s").Tests[1].Opaque = "it panicked"
	if a := cover(t, w.question("go.mod")); told(a) != "s import; u import" || len(a.Warnings) != 0 {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestASuiteThatStartsProgramsMayExecuteALineThatNobodyIsKnownToExecute(t *testing.T) {
	w := newWorld()
	w.suite("v").Tests[0].Opaque = "it starts another program: tool"
	a := cover(t, w.question("x.go", 5))
	if told(a) != "s.TestF1 test 5" || !slices.Equal(a.Warnings, api.Notes(api.NoteCoverage, "1 suite may execute more than was measured, as v: TestV: it starts another program: tool")) {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.suite("s").Tests[0].Blocks, w.suite("s").Whole = nil, nil
	a = cover(t, w.question("x.go", 5))
	if told(a) != "v import" || len(a.Uncovered) != 0 || a.Message != "1 suite may execute x.go:5, because not everything it does is known" || a.Tests[0].Why != "TestV: it starts another program: tool" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestASuiteWithoutTestsExecutesNothing(t *testing.T) {
	for name, suite := range map[string]sdk.ListedSuite{
		"without any test":        {},
		"that may do anything":    {Opaque: "it calls C"},
		"with tests when asked":   {Tests: []sdk.ListedTest{{Name: "Benchmark", OnRequest: true}}},
		"that needs another part": {Needs: []string{"u"}},
	} {
		w := newWorld()
		suite.Suite, suite.Needs = "main", append(suite.Needs, "x")
		w.graph.Suite(suite)
		a := cover(t, w.question("x.go", 5))
		if told(a) != "s.TestF1 test 5" || a.Granularity != api.GranularityTest || a.Advice != (api.Advice{}) || len(a.Warnings) != 0 {
			t.Errorf("%s: %q, %+v", name, told(a), a)
		}
		w.graph.Part(sdk.ListedPart{Name: "x", Files: []string{"main.go"}})
		w.files["v.go"] = ""
		w.suites = slices.DeleteFunc(w.suites, func(s *coverage.Suite) bool { return s.Suite != "v" })
		w.graph.Suites["s"].Tests, w.graph.Suites["u"].Tests = nil, nil
		a = cover(t, w.question("x.go", 5))
		if told(a) != "" || a.Granularity != api.GranularityTest || a.Message != "no suite is built from x.go, and no test was seen to read it" {
			t.Errorf("%s, and none of the others: %q, %+v", name, told(a), a)
		}
	}
}

func TestASealedSuiteKeepsNoDataFileUnknown(t *testing.T) {
	for _, tc := range []struct {
		suite sdk.ListedSuite
		want  api.Granularity
	}{
		{sdk.ListedSuite{Sealed: true}, api.GranularityTest},
		{sdk.ListedSuite{}, api.GranularityUnknown},
		{sdk.ListedSuite{Sealed: true, Opaque: "it calls C"}, api.GranularityUnknown},
	} {
		w := newWorld()
		w.files["README"], w.files["v.go"] = "text\n", ""
		w.suites = w.suites[1:]
		tc.suite.Suite = "s"
		w.graph.Suite(tc.suite)
		if a := cover(t, w.question("README")); told(a) != "" || a.Granularity != tc.want {
			t.Errorf("%+v: %q, %+v", tc.suite, told(a), a)
		}
		if a := cover(t, w.question("testdata/a")); told(a) != "" || a.Granularity != tc.want {
			t.Errorf("%+v: %q, %+v", tc.suite, told(a), a)
		}
	}
}

func TestAFileOutsideTheWorkspaceIsUnknown(t *testing.T) {
	for _, path := range []string{"/etc/hosts", "../other/a.txt"} {
		w := newWorld()
		w.files[path], w.files["v.go"] = "text\n", ""
		if a := cover(t, w.question(path)); told(a) != "" || a.Granularity != api.GranularityUnknown || !strings.HasPrefix(a.Message, "unknown: ") {
			t.Errorf("%s: %+v", path, a)
		}
		w.graph.Part(sdk.ListedPart{Name: "x", Files: []string{path}})
		if a := cover(t, w.question(path)); told(a) != "s import; u import" && told(a) != "s import !; u import !" {
			t.Errorf("%s, from which suites are built: %q", path, told(a))
		}
	}
}

func TestAnIndexIsAdvisedWhereItWouldHelp(t *testing.T) {
	const index, again = api.AdviseIndex, api.AdviseIndexAgain
	none := func(w *world) { w.suites = nil }
	for _, tc := range []struct {
		name   string
		path   string
		lines  []int
		change func(w *world)
		want   api.Operation
	}{
		{"everything is measured", "x.go", []int{5}, func(*world) {}, ""},
		{"a package clause", "x.go", []int{1}, func(*world) {}, ""},
		{"what no source is", "go.mod", nil, func(*world) {}, ""},
		{"what tests share", "s_test.go", []int{12}, func(*world) {}, ""},
		{"nothing is measured", "x.go", []int{5}, none, index},
		{"a declaration, and nothing is measured", "x.go", []int{14}, none, ""},
		{"a blank line, and nothing is measured", "x.go", []int{15}, none, index}, // it is unknown
		{"one suite is not measured", "x.go", []int{5}, func(w *world) { w.suites = w.suites[:1] }, index},
		{"something changed", "x.go", []int{5}, func(w *world) { w.edit("u.go", "u", "w") }, again},
		{"one was measured in a run", "x.go", []int{5}, func(w *world) { w.suite("s").Granularity = api.GranularitySuite }, index},
		{"one cannot be measured test by test", "x.go", []int{5}, func(w *world) {
			w.suite("s").Granularity, w.suite("s").Why = api.GranularitySuite, "its tests cannot run alone"
		}, ""},
		{"the time was over", "x.go", []int{5}, func(w *world) {
			s := w.suite("s")
			s.Granularity, s.Why, s.Cut = api.GranularitySuite, "the time was over", true
		}, index},
	} {
		w := newWorld()
		tc.change(w)
		if a := cover(t, w.question(tc.path, tc.lines...)); a.Advice.Operation != tc.want {
			t.Errorf("%s: %q, want %q: %+v", tc.name, a.Advice, tc.want, a)
		}
	}
}
