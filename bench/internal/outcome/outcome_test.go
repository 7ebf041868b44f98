package outcome_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proctorhq/proctor/bench/internal/edit"
	"github.com/proctorhq/proctor/bench/internal/outcome"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// module writes a module of some files.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.21\n"
	if err := edit.WriteFiles(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

const tests = `package a

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPasses(t *testing.T) {
	t.Run("part", func(t *testing.T) {})
	if !strings.HasPrefix(filepath.Base(os.Args[0]), "a.test") {
		t.Error(os.Args[0], "is not the name that the go command gives it")
	}
}

func TestFails(t *testing.T) { t.Fail() }

func TestSkips(t *testing.T) { t.Skip() }
`

func TestOutcomesAreThoseOfTheGoCommand(t *testing.T) {
	dir := module(t, map[string]string{
		"a/a_test.go": tests, "b/b_test.go": "package b\n\nvar x int = \"\"\n", "c/c_test.go": "package c\n\nimport _ \"example.com/m/none\"\n",
	})
	got, _, err := outcome.Of(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want := outcome.Suites{
		"example.com/m/a": {Built: true, Tests: map[string]string{"TestPasses": outcome.Passed, "TestFails": outcome.Failed, "TestSkips": outcome.Skipped}},
		"example.com/m/b": {Tests: map[string]string{}},
		"example.com/m/c": {Tests: map[string]string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTestsHiddenByAPanicRunAlone(t *testing.T) {
	dir := module(t, map[string]string{"a/a_test.go": tests})
	base, _, err := outcome.Of(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	testfiles.Write(t, filepath.Join(dir, "a", "0_test.go"), "package a\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) { panic(1) }\n")
	now, _, err := outcome.Of(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(now["example.com/m/a"].Tests) != 1 {
		t.Fatalf("the panic hides nothing: %v", now)
	}
	if err := now.Complete(t.Context(), dir, base); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"TestPasses": outcome.Passed, "TestFails": outcome.Failed, "TestSkips": outcome.Skipped, "TestPanics": outcome.Failed}
	if diff := cmp.Diff(want, now["example.com/m/a"].Tests); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAPackageThatLostAllItsTestsHasNone(t *testing.T) {
	dir := module(t, map[string]string{"a/a.go": "package a\n", "a/a_test.go": tests})
	base, _, err := outcome.Of(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a", "a_test.go")); err != nil {
		t.Fatal(err)
	}
	now, _, err := outcome.Of(t.Context(), dir)
	if err == nil {
		err = now.Complete(t.Context(), dir, base)
	}
	if got := now["example.com/m/a"]; err != nil || len(got.Tests) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestChangedTestsAreThoseThatEndDifferently(t *testing.T) {
	suite := func(built bool, ends ...string) outcome.Suite {
		s := outcome.Suite{Built: built, Tests: map[string]string{}}
		for i, end := range ends {
			s.Tests[string(rune('A'+i))] = end
		}
		return s
	}
	base := outcome.Suites{"a": suite(true, "pass", "pass", "pass"), "b": suite(true, "pass"), "c": suite(true)}
	now := outcome.Suites{"a": suite(true, "pass", "fail", "fail", "pass"), "b": suite(false), "c": suite(true)}
	tests, broken := now.Changed(base, map[outcome.Test]bool{{Suite: "a", Name: "C"}: true})
	if diff := cmp.Diff([]outcome.Test{{Suite: "a", Name: "B"}, {Suite: "a", Name: "D"}}, tests); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b"}, broken); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if _, broken = (outcome.Suites{}).Changed(base, nil); len(broken) != 3 {
		t.Errorf("with nothing built: broken suites %q, want all three", broken)
	}
}
