//go:build unix

package gotest_test

import (
	"bufio"
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/sdk"
)

// At its deadline the host sends SIGQUIT to the process group, and expects the stacks
// of the hanging test and a complete JSON stream.
func TestSignalToARerunPrintsTheStacksOfTheTestsAndEndsTheStream(t *testing.T) {
	requireGo(t)
	const hangs = "package p\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestHangs(t *testing.T) {\n\tfmt.Println(\"waiting now\")\n\tselect {}\n}\n"
	tree := files{"b/b_test.go": threeRealPackages["b/b_test.go"], "go.mod": threeRealPackages["go.mod"]}
	tree["a/a_test.go"] = hangs + "\nfunc TestShared(t *testing.T) {}\n"
	ws := newWorkspace(t, tree)
	// With -p=1 nothing else runs that the signal would hit, such as a linker.
	plan, err := newDetector(t).RerunCmd(t.Context(), sdk.RerunRequest{Workspace: ws, Targets: parseIDs("a:TestHangs b:TestShared"), RunnerArgs: []string{"-p=1"}})
	command := singleCommand(t, plan, err)
	if len(command.Inputs) == 0 {
		t.Fatal("the rerun does not go through the plugin's binary")
	}
	cmd := newProcess(t, ws, command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	ended := map[string]string{}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var event struct{ Action, Package, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		text.WriteString(event.Output)
		if event.Test == "" {
			ended[event.Package] = event.Action
		}
		if event.Output == "waiting now\n" {
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGQUIT); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // It fails, as it should.
	if ended["example.com/m/a"] != "fail" {
		t.Errorf("package a has no end: %v", ended)
	}
	if got := strings.Count(text.String(), "SIGQUIT: quit"); got != 1 || !strings.Contains(text.String(), "TestHangs(") {
		t.Errorf("there must be one dump of stacks, of the hanging test:\n%s", text.String())
	}
}
