package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage"
)

func TestATestIsListedForTheLinesOnWhichItIsDeclared(t *testing.T) {
	w := newWorld()
	a := cover(t, w.question("s_test.go", 3, 4, 8))
	if told(a) != "s.TestF1 test 3-4; s.TestF2 test 8" || a.Tests[0].Why != "it is declared there" || a.Message != "2 tests are declared at s_test.go:3-4,8" || a.Tests[0].Blocks != 2 {
		t.Errorf("%q, %+v", told(a), a)
	}
	if a = cover(t, w.question("s_test.go", 12)); told(a) != "s import" {
		t.Errorf("what tests share: %q, %+v", told(a), a)
	}
	if a = cover(t, w.question("s_test.go", 2)); told(a) != "" || !slices.Equal(a.NoCode, []string{"2"}) || a.Granularity != api.GranularityTest {
		t.Errorf("between tests: %q, %+v", told(a), a)
	}
	w.suites = nil
	if a = cover(t, w.question("s_test.go", 3)); told(a) != "s.TestF1 test 3" {
		t.Errorf("without a measurement: %q, %+v", told(a), a)
	}
}

func TestATestThatIsNotListedIsNotDeclared(t *testing.T) {
	w := newWorld()
	w.edit("s_test.go", "func TestF1", "func TestTagged")
	if a := cover(t, w.question("s_test.go", 4)); told(a) != "s import !" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func TestATestThatReadAFileIsListed(t *testing.T) {
	w := newWorld()
	a := cover(t, w.question("testdata/a"))
	if told(a) != "s.TestG test" || a.Tests[0].Why != "it read the file" || a.Message != "1 test reads testdata/a" || len(a.Warnings) != 0 {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.suites = w.suites[:2]
	if a = cover(t, w.question("testdata/a")); told(a) != "s.TestG test" || len(a.Warnings) != 1 {
		t.Errorf("without all measured: %+v", a)
	}
	u := w.measure("u", nil)
	u.Cut, u.Why = true, "the time budget was exhausted after 0 of 1 tests"
	if a = cover(t, w.question("testdata/a")); told(a) != "s.TestG test" || len(a.Warnings) != 1 || !strings.HasPrefix(a.Warnings[0].Text, "2 suites may read it") {
		t.Errorf("%q, %+v", told(a), a)
	}
	w.edit("testdata/a", "1", "2")
	if a = cover(t, w.question("testdata/a")); told(a) != "s.TestG test !" {
		t.Errorf("after an edit: %+v", a)
	}
}

func TestASuiteMayExecuteWhatItIsBuiltFrom(t *testing.T) {
	w := newWorld()
	for _, path := range []string{"go.mod", "embedded"} {
		if a := cover(t, w.question(path)); told(a) != "s import; u import" {
			t.Errorf("%s: %q, %+v", path, told(a), a)
		}
	}
	w.files["new.go"] = "package x\n\nvar n int\n"
	if a := cover(t, w.question("new.go")); told(a) != "s import; u import" {
		t.Errorf("a file that was added: %q, %+v", told(a), a)
	}
}

func TestAnUnlistedFileIsUnknownUnlessEverythingIsKnown(t *testing.T) {
	readme := func(change func(w *world)) api.Covering {
		w := newWorld()
		w.files["README"], w.files["v.go"] = "text\n", ""
		change(w)
		return cover(t, w.question("README"))
	}
	a := readme(func(*world) {})
	if told(a) != "" || a.Granularity != api.GranularityTest || a.Message != "no suite is built from README, and no test was seen to read it" {
		t.Errorf("%+v", a)
	}
	for name, change := range map[string]func(w *world){
		"a suite was not measured":            func(w *world) { w.suites = w.suites[1:] },
		"one was measured as a whole":         func(w *world) { w.suites[1].Granularity = api.GranularitySuite },
		"one depends on more":                 func(w *world) { w.suites[1].Opaque = "it uses C" },
		"a test starts another":               func(w *world) { w.suites[1].Tests[0].Opaque = "it starts another program: go" },
		"one changed since":                   func(w *world) { w.edit("u.go", "u", "w") },
		"a test reads something else":         func(w *world) { w.edit("testdata/a", "1", "2") },
		"not all suites are listed":           func(w *world) { w.graph.Error("w does not build") },
		"a test was not measured yet":         func(w *world) { w.list("u", "u", "TestNew") },
		"what they are built from is unknown": func(w *world) { w.graph = nil },
	} {
		if a := readme(change); told(a) != "" || a.Granularity != api.GranularityUnknown || !strings.HasPrefix(a.Message, "unknown: ") {
			t.Errorf("%s: %q, %+v", name, told(a), a)
		}
	}
}

func TestATestThatMayExecuteMoreKeepsALineFromBeingUnexecuted(t *testing.T) {
	w := newWorld()
	s := w.suite("s")
	s.Tests[0].Opaque = "it starts another program: go"
	a := cover(t, w.question("x.go", 7))
	if told(a) != "s.TestF2 test 7" || len(a.Warnings) != 1 {
		t.Errorf("%q, %+v", told(a), a)
	}
	s.Tests[1].Blocks, s.Whole = nil, nil
	a = cover(t, w.question("x.go", 7))
	if told(a) != "s.TestF1 import" || len(a.Uncovered) != 0 || a.Tests[0].Why != "it starts another program: go" {
		t.Errorf("%q, %+v", told(a), a)
	}
}

func BenchmarkCoverOfAWholeFile(b *testing.B) {
	w := newWorld()
	var tests []coverage.Test
	for range 2000 {
		tests = append(tests, coverage.Test{Name: "TestF1", Blocks: set(0, 1)})
	}
	w.measure("s", nil, tests...)
	for b.Loop() {
		coverage.Cover(w.question("x.go"))
	}
}

func TestASuiteThatWasMeasuredInAnotherSettingIsNotCalledUnmeasured(t *testing.T) {
	w := newWorld()
	w.suites = nil
	q := w.question("x.go", 3)
	q.Elsewhere = func(suite string) bool { return suite == "s" }
	why := map[string]string{}
	for _, row := range cover(t, q).Tests {
		why[row.Suite] = row.Why
	}
	if !strings.Contains(why["s"], "another environment") || !strings.Contains(why["u"], "was not measured") {
		t.Errorf("%q", why)
	}
}
