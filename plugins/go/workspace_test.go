package gotest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
	gotest "github.com/proctorhq/proctor/plugins/go"
	"github.com/proctorhq/proctor/sdk"
)

// files is a source tree: slash-separated names and their contents.
type files map[string]string

// newWorkspace writes a source tree and returns its workspace, as the host would.
func newWorkspace(t testing.TB, tree files) sdk.Workspace {
	t.Helper()
	root, err := filepath.EvalSymlinks(testbin.Place(t))
	if err != nil {
		t.Fatal(err)
	}
	testfiles.WriteAll(t, root, tree)
	return sdk.Workspace{Root: root, Tools: map[string]string{}, Env: map[string]string{}}
}

// setToolchain makes a workspace's go command look like that of a version.
func setToolchain(t testing.TB, ws *sdk.Workspace, version string, sources ...string) {
	t.Helper()
	root := t.TempDir()
	testfiles.WriteAll(t, root, files{"VERSION": version + "\n", "bin/go": ""})
	for _, source := range sources {
		testfiles.WriteAll(t, root, files{source: ""})
	}
	ws.Tools["go"] = filepath.Join(root, "bin", "go")
}

// newDetector returns a detector with this test binary as its plugin.
func newDetector(t testing.TB) *gotest.Detector {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return gotest.New(gotest.Config{Version: "test", Executable: executable})
}

// singleCommand returns the only command of a plan.
func singleCommand(t testing.TB, plan sdk.Plan, err error) sdk.Command {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Commands) != 1 {
		t.Fatalf("%d commands, want 1: %+v", len(plan.Commands), plan.Commands)
	}
	return plan.Commands[0]
}
