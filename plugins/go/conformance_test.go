package gotest_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

func TestDetectorConformsToTheProtocol(t *testing.T) {
	requireGo(t)
	ws := newWorkspace(t, files{
		"go.mod":    "module example.com/m\n\ngo 1.20\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestRoot(t *testing.T) {}\n",
		"a/a_test.go": `package a

import "testing"

func TestPass(t *testing.T) {}
func TestFail(t *testing.T) { t.Error("got 1, want 2") }
func TestParent(t *testing.T) {
	t.Run("good", func(t *testing.T) {})
	t.Run("bad|one", func(t *testing.T) { t.Error("no") })
}
`,
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestBuild(t *testing.T) { x }\n",
		"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestPass(t *testing.T) {}\nfunc TestPanic(t *testing.T) { panic(\"gone\") }\n",
	})
	d := newDetector(t)
	run, err := d.TestCmd(t.Context(), sdk.TestRequest{Workspace: ws})
	runCommand := singleCommand(t, run, err)
	list, err := d.ListCmd(t.Context(), sdk.ListRequest{Workspace: ws})
	listCommand := singleCommand(t, list, err)
	plugintest.Run(t, plugintest.Config{
		Description: d.Description(),
		Detector:    d,
		Workspace:   ws,
		Recordings:  []plugintest.Recording{recordingOf(t, ws, runCommand)},
		Listings:    []plugintest.Recording{recordingOf(t, ws, listCommand)},
		Cases:       plugintest.ReadCases(t, filepath.Join("..", "..", "host", "cli", "testdata", "plugin-check", "go")),
		Complete:    true,
	})
}

// recordingOf runs a command and keeps what it prints.
func recordingOf(t *testing.T, ws sdk.Workspace, command sdk.Command) plugintest.Recording {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := newProcess(t, ws, command)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if _, ended := err.(*exec.ExitError); !ended {
			t.Fatal(err)
		}
	}
	return plugintest.Recording{
		Name:   command.Argv[1],
		Run:    sdk.RunInfo{Workspace: ws, Command: command},
		Pieces: []plugintest.Piece{{Stream: sdk.Stdout, Data: stdout.Bytes()}, {Stream: sdk.Stderr, Data: stderr.Bytes()}},
		Exit:   sdk.Exit{Code: cmd.ProcessState.ExitCode()},
	}
}
