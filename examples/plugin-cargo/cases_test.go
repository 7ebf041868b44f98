package cargotest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

var update = flag.Bool("update", false, "rewrite the .want files; review what changed")

// newKitchen returns a project in which everything goes wrong. testdata/record.sh
// recorded what cargo says about it.
func newKitchen(t *testing.T) sdk.Workspace {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("testdata", "kitchen"))
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Workspace{
		Root: root, Tools: map[string]string{"cargo": "/usr/bin/cargo"},
		Probes: map[string]sdk.ProbeOutput{probeMetadata: {Stdout: readRecorded(t, "metadata.stdout", root)}},
	}
}

// readRecorded returns a recorded file, in which /project is the kitchen.
func readRecorded(t *testing.T, name, root string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	inJSON, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(`"/project`), inJSON[:len(inJSON)-1])
	return bytes.ReplaceAll(data, []byte("/project"), []byte(filepath.ToSlash(root)))
}

// readRecordings returns all recorded outputs, each with the command that printed it.
func readRecordings(t *testing.T) []plugintest.Recording {
	t.Helper()
	ws := newKitchen(t)
	plan, err := New().TestCmd(context.Background(), sdk.TestRequest{Workspace: ws})
	if err != nil {
		t.Fatal(err)
	}
	bySuite := map[string]sdk.Command{}
	for _, c := range plan.Commands[1:] {
		bySuite[c.Targets[0].Suite] = c
	}
	exact, err := New().RerunCmd(context.Background(), sdk.RerunRequest{
		Workspace: ws, Targets: []sdk.TestID{{Suite: "kitchen lib kitchen", Test: "tests::differs"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]sdk.Command{
		"prepare": plan.Commands[0], "build-error": plan.Commands[0], "build-script": plan.Commands[0], "manifest": plan.Commands[0],
		"plain": {}, "lib-exact": exact.Commands[0],
	}
	for _, name := range []string{"lib", "lib-backtrace", "lib-nocapture", "lib-show-output"} {
		commands[name] = bySuite["kitchen lib kitchen"]
	}
	for _, name := range []string{"doc", "doc-2024"} {
		commands[name] = bySuite["kitchen doc kitchen"]
	}
	for _, name := range []string{"custom", "exits", "overflow", "segv", "atexit", "hangs"} {
		commands[name] = bySuite["kitchen test "+name]
	}
	var list []plugintest.Recording
	for name, command := range commands {
		code, err := strconv.Atoi(strings.TrimSpace(string(readRecorded(t, name+".exit", ws.Root))))
		if err != nil {
			t.Fatal(err)
		}
		exit := sdk.Exit{Code: code}
		if name == "hangs" {
			exit = sdk.Exit{Code: -1, TimedOut: true}
		}
		list = append(list, plugintest.Recording{
			Name: name, Run: sdk.RunInfo{Workspace: ws, Command: command}, Exit: exit,
			Pieces: []plugintest.Piece{
				{Stream: sdk.Stderr, Data: readRecorded(t, name+".stderr", ws.Root)},
				{Stream: sdk.Stdout, Data: readRecorded(t, name+".stdout", ws.Root)},
			},
		})
	}
	slices.SortFunc(list, func(a, b plugintest.Recording) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func TestRecordedOutputsAreReadAsExpected(t *testing.T) {
	d := plugintest.Start(t, New(), Description())
	for _, r := range readRecordings(t) {
		t.Run(r.Name, func(t *testing.T) {
			got := formatEvents(plugintest.Parse(t, d, r, plugintest.WholeChunks))
			got = strings.ReplaceAll(got, r.Run.Workspace.Root, "/project")
			path := filepath.Join("testdata", "cases", r.Name+".want")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// formatEvents formats events as text, in an order that does not depend on how they were
// batched.
func formatEvents(e *plugintest.Events) string {
	var b strings.Builder
	for _, s := range e.Suites {
		fmt.Fprintf(&b, "suite %s: %d\n", s.Suite, s.Outcome)
	}
	for _, r := range e.Tests {
		fmt.Fprintf(&b, "%s %s | %s %s\n", r.Status, r.Suite, r.Test, formatPlace(r.Location))
	}
	precisions := []sdk.Precision{"", sdk.PrecisionDeclaration, sdk.PrecisionExact, sdk.PrecisionDeclarationOnly}
	for _, f := range e.Failures {
		fmt.Fprintf(&b, "\nFAILURE %s | %s [%s] %s precision %d\n%s\n", f.Suite, f.Test, f.Kind, formatPlace(f.Location), slices.Index(precisions, f.Precision), f.Message)
		if !f.Diff.IsZero() {
			fmt.Fprintf(&b, "got %s, want %s%s\n", f.Diff.Got, f.Diff.Want, f.Diff.Text)
		}
		for _, a := range f.Also {
			fmt.Fprintf(&b, "also %s %s\n", formatPlace(a.Location), a.Message)
		}
		for _, s := range f.Stack {
			fmt.Fprintf(&b, "at %s %s\n", formatPlace(s.Location), s.Function)
		}
		if len(f.Blocks) > 0 {
			fmt.Fprintf(&b, "blocks %s\n", strings.Join(f.Blocks, ", "))
		}
	}
	for _, u := range e.Unreads {
		fmt.Fprintf(&b, "\nunread %d damaged=%v %q\n", u.Bytes, u.Damaged, u.Sample)
	}
	for _, text := range e.RunErrors {
		fmt.Fprintf(&b, "\nrun error: %s\n", text)
	}
	return b.String()
}

func formatPlace(l sdk.Location) string {
	if l.File == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}
