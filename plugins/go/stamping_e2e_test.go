package gotest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// The go command stamps some programs with the state of version control, and for that
// starts what the repository's own configuration names. It must not do so for anything
// that tests need.
func TestCommandsThatRunTestsDoNotCallVersionControl(t *testing.T) {
	t.Parallel()
	requireGo(t)
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs git and a shell")
	}
	ws := newWorkspace(t, files{
		"go.mod": "module example.com/m\n", "main.go": "package main\n\nfunc main() {}\n",
		"main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
	})
	ws.Env["GOENV"] = "off"
	witness := filepath.Join(t.TempDir(), "started")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "-q", "-m", "m"},
		{"config", "core.fsmonitor", "touch '" + witness + "'; false"},
	} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = ws.Root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	first, err := newDetector(t).TestCmd(t.Context(), sdk.TestRequest{Workspace: ws})
	command := singleCommand(t, first, err)
	again, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: []sdk.TestID{{Suite: "example.com/m", Test: "TestA"}}})
	if got := runCommands(t, ws, []sdk.Command{command, singleCommand(t, again, err)}); got.failed > 0 || len(got.ended) != 1 {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat(witness); err == nil {
		t.Error("a run of tests started what the repository names")
	}
	runCommands(t, ws, []sdk.Command{{Argv: []string{"go", "list", "-deps", "./..."}, Env: map[string]string{}}, {Argv: []string{"go", "build", "-o", os.DevNull, "."}}})
	if _, err := os.Stat(witness); err != nil {
		t.Errorf("cannot tell whether the program was started: %v", err)
	}
}
