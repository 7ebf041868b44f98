package sources

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/coverage"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/workspace"
	"github.com/proctorhq/proctor/sdk"
)

// measuredWorkspace is a workspace of old files in which a suite is built from a.go and
// its test reads data, and a measurement of it that has begun.
func measuredWorkspace(t *testing.T) (*Measuring, func(name, text string)) {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
