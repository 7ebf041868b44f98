package sources

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// measuredWorkspace is a workspace of old files in which a suite is built from a.go and
// its test reads data, and a measurement of it that has begun.
func measuredWorkspace(t *testing.T) (*Measuring, func(name, text string)) {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		testfiles.Write(t, filepath.Join(root, name), text)
	}
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"a.go", "data"} {
		write(name, name)
		if err := os.Chtimes(filepath.Join(root, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	m := NewMeasuring(project.Project{Root: workspace.Root{Path: root}}, nil, time.Now())
	m.Graph = coverage.NewGraph()
	m.Graph.Suite(sdk.ListedSuite{Suite: "s", Needs: []string{"p"}, Tests: []sdk.ListedTest{{Name: "T"}}})
	m.Graph.Part(sdk.ListedPart{Name: "p", Files: []string{"a.go"}})
	if err := m.Look(t.Context(), []string{"s"}, fingerprint.Config{Root: root}); err != nil {
		t.Fatal(err)
	}
	m.Suite(sdk.SuiteCoverage{
		Suite: "s", Granularity: sdk.CoveragePerTest, Files: []sdk.CoveredFile{{File: "a.go"}},
		Tests: []sdk.TestCoverage{{Name: "T", Alone: sdk.Passed, Together: sdk.Passed, Reads: []string{"data"}}},
	})
	return m, write
}

func TestAFileThatChangedWhileTestsReadItIsEqualToNothing(t *testing.T) {
	m, _ := measuredWorkspace(t)
	kept, failed := m.Suites(t.Context())
	if s := kept["s"]; s == nil || s.Inputs["data"] == unsettled || s.Inputs["data"] == "" {
		t.Fatalf("%+v, %v", s, failed)
	}
	m, write := measuredWorkspace(t)
	write("data", "other")
	kept, failed = m.Suites(t.Context())
	if s := kept["s"]; s == nil || s.Inputs["data"] != unsettled {
		t.Errorf("%+v, %v", s, failed)
	}
}

func TestASuiteWhoseSourcesChangedMeanwhileIsNotKept(t *testing.T) {
	m, write := measuredWorkspace(t)
	write("a.go", "other")
	if kept, failed := m.Suites(t.Context()); kept["s"] != nil || failed["s"] == nil {
		t.Errorf("kept: %+v, %v", kept["s"], failed)
	}
	// Also where it is what it was before: the tests may have been built in between.
	m, write = measuredWorkspace(t)
	write("a.go", "other")
	write("a.go", "a.go")
	if kept, failed := m.Suites(t.Context()); kept["s"] != nil || failed["s"] == nil {
		t.Errorf("kept: %+v, %v", kept["s"], failed)
	}
}

// Where a file of the directory, or which files there are, changed, its files are outlined
// again.
func TestAnOutlineIsUsedAgainWhereItsDirectoryIsUnchanged(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"p/a.go", "p/b.go", "q/c.go"}
	for _, name := range files {
		write(name, name)
	}
	graphOf := func(files ...string) *coverage.Graph {
		g := coverage.NewGraph()
		g.Suite(sdk.ListedSuite{Suite: "s", Needs: []string{"part"}})
		g.Part(sdk.ListedPart{Name: "part", Files: files})
		return g
	}
	digests := NewDigests(root)
	known := &coverage.Suite{Suite: "s", Inputs: map[string]string{"q/read": "x"}, Built: map[string]bool{}}
	for _, name := range files {
		known.Inputs[name], known.Built[name] = digests.Of(name), true
		known.Sheets = append(known.Sheets, &coverage.Sheet{Path: name, Digest: digests.Of(name), Units: []sdk.SourceUnit{{Name: name}}})
	}
	m := NewMeasuring(project.Project{Root: workspace.Root{Path: root}}, nil, time.Now())
	m.Known = map[string]*coverage.Suite{"s": known}
	check := func(what string, want ...string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(m.reuseOutlines(NewDigests(root)))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	m.Graph = graphOf(files...)
	check("nothing changed", files...)
	m.Graph = graphOf(append(files, "q/d.go")...)
	check("a new file", "p/a.go", "p/b.go")
	m.Graph = graphOf("p/a.go", "q/c.go")
	check("one file less", "q/c.go")
	m.Graph = graphOf(files...)
	write("p/b.go", "other")
	check("an edit", "q/c.go")
	m.Graph = graphOf(append(files, "go.mod")...)
	check("a file without an outline, which may say what an import means")
	write("go.mod", "x")
	known.Inputs["go.mod"], known.Built["go.mod"] = NewDigests(root).Of("go.mod"), true
	check("it is known", "q/c.go")
	write("go.mod", "y")
	check("it was edited")
	write("go.mod", "x")
	m.Graph.Suite(sdk.ListedSuite{Suite: "tests", Needs: []string{"tests"}})
	m.Graph.Part(sdk.ListedPart{Name: "tests", Files: []string{"q/c_test.go", "q/text.txt", "r/r.go"}})
	check("a test beside it that the suite is not built from, and may have changed")
	delete(known.Built, "go.mod")
	m.Graph = graphOf()
	check("a suite that is gone")
}
