package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

func TestGroupsOutsideOfARepositoryNameFilesByTheirPlaceInTheWorkspace(t *testing.T) {
	t.Parallel()
	module := t.TempDir()
	var out bytes.Buffer
	v := New(Config{Out: &out, Asked: &out, Size: func() (int, int) { return 80, 24 }, Style: render.Style{}, Format: "github"})
	defer v.Close()
	v.Listen(&api.RunStarted{Run: api.Run{Language: "go", Workspace: module}})
	v.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m", Test: "TestA"}, Output: filepath.Join(module, "a_test.go") + ":5: no\n"}}})
	v.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m", Outcome: sdk.SuiteFailed}})
	if got := out.String(); !strings.HasSuffix(got, "\na_test.go:5: no\n::endgroup::\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestGroupsNameFilesByTheirPlaceInTheRepository(t *testing.T) {
	t.Parallel()
	repository := t.TempDir()
	module := filepath.Join(repository, "mod")
	for _, dir := range []string{filepath.Join(repository, ".git"), module} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file, other := filepath.Join("mod", "a_test.go"), filepath.Join("lib", "b.go")
	at := func(path string) string { return filepath.Join(repository, path) }
	var out bytes.Buffer
	v := New(Config{Out: &out, Asked: &out, Size: func() (int, int) { return 80, 24 }, Style: render.Style{}, Format: "github"})
	defer v.Close()
	v.Listen(&api.RunStarted{Run: api.Run{Language: "go", Workspace: module}})
	v.Listen(&api.FailureFound{Failure: api.Failure{Failure: sdk.Failure{TestID: sdk.TestID{Suite: "m", Test: "TestA"}, Output: "    " + at(file) + ":5: no\nopen \"" + at(other) + "\": see /elsewhere" + at(file) + "\n\t" + at(file) + ":6 +0x25\n"}}})
	v.Listen(&api.SuiteEnded{SuiteResult: sdk.SuiteResult{Suite: "m", Outcome: sdk.SuiteFailed}})
	want := "    " + file + ":5: no\nopen \"" + other + "\": see /elsewhere" + at(file) + "\n\t" + file + ":6 +0x25\n::endgroup::\n"
	if got := out.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
