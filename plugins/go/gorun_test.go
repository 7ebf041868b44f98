package gotest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/internal/testbin"
	"github.com/proctorhq/proctor/internal/testfiles"
	"github.com/proctorhq/proctor/sdk"
)

// ran is what the events of some commands say.
type ran struct {
	// ended is the last result of each test: pass, fail or skip.
	ended map[sdk.TestID]string
	// suites holds the same for packages.
	suites map[string]string
	// text is all output.
	text string
	// failed counts the commands that failed.
	failed int
}

// requireGo skips a test that needs the go command.
func requireGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("this test runs the go command, which is missing:", err)
	}
	if testing.Short() {
		t.Skip("runs go test")
	}
}

// runCommands runs commands as the host does.
func runCommands(t *testing.T, ws sdk.Workspace, commands []sdk.Command) ran {
	t.Helper()
	result := ran{ended: map[sdk.TestID]string{}, suites: map[string]string{}}
	for _, command := range commands {
		result.run(t, newProcess(t, ws, command))
	}
	return result
}

// newProcess returns a process for a command, with a private directory, whose placeholder
// it replaces in arguments and variables, and an environment without our own settings.
func newProcess(t *testing.T, ws sdk.Workspace, command sdk.Command) *exec.Cmd {
	t.Helper()
	scratch := filepath.Join(t.TempDir(), "with space")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, input := range command.Inputs {
		testfiles.WriteAll(t, scratch, files{input.Name: string(input.Data)})
	}
	fill := func(text string) string { return strings.ReplaceAll(text, sdk.Scratch, scratch) }
	program := command.Argv[0]
	if path := ws.Tools[program]; path != "" {
		program = path
	}
	cmd := exec.CommandContext(t.Context(), program)
	for _, arg := range command.Argv[1:] {
		cmd.Args = append(cmd.Args, fill(arg))
	}
	cmd.Dir = filepath.Join(ws.Root, filepath.FromSlash(command.Dir))
	cmd.Env = slices.DeleteFunc(os.Environ(), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains([]string{"GOFLAGS", "GOWORK", "GOROOT", "CGO_ENABLED", "PWD"}, name)
	})
	cmd.Env = append(append(cmd.Env, testbin.GoEnv()...), "PWD="+cmd.Dir, "GOTOOLCHAIN=local", "GOFLAGS="+testbin.GoFlags())
	for name, value := range ws.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	for name, value := range command.Env {
		cmd.Env = append(cmd.Env, name+"="+fill(value))
	}
	return cmd
}

func (r *ran) run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var output, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaints
	if err := cmd.Run(); err != nil {
		r.failed++
	}
	r.text += complaints.String()
	lines := bufio.NewScanner(&output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct{ Action, Package, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			r.text += lines.Text() + "\n"
			continue
		}
		switch event.Action {
		case "output", "build-output":
			r.text += event.Output
		case "pass", "fail", "skip":
			if event.Test == "" {
				r.suites[event.Package] = event.Action
			} else {
				r.ended[sdk.TestID{Suite: event.Package, Test: event.Test}] = event.Action
			}
		}
	}
}

// leaves returns the tests that contain no other.
func (r ran) leaves() []sdk.TestID {
	var leaves []sdk.TestID
	inner := map[sdk.TestID]bool{}
	for id := range r.ended {
		for i, c := range id.Test {
			if c == '/' {
				inner[sdk.TestID{Suite: id.Suite, Test: id.Test[:i]}] = true
			}
		}
	}
	for id := range r.ended {
		if !inner[id] {
			leaves = append(leaves, id)
		}
	}
	return sortIDs(leaves)
}

func sortIDs(ids []sdk.TestID) []sdk.TestID {
	slices.SortFunc(ids, func(a, b sdk.TestID) int {
		return strings.Compare(a.Suite+"\x00"+a.Test, b.Suite+"\x00"+b.Test)
	})
	return ids
}
