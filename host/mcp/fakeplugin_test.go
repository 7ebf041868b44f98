package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/server"
)

// The fake plugins: a link of one of these names to the test binary is one. Each
// detects go.mod and is a language of its own.
const (
	// fakeOther runs the tests of another language: one, which passes. What it
	// executes is in the file fakeCommand of the workspace, a word each line, or is
	// "go version".
	fakeOther = "other"
	// fakeNoTool needs a program that does not exist.
	fakeNoTool = "notool"
	// fakeMute cannot read what its tests print.
	fakeMute = "mute"
	// fakeHostile reports what nobody should: see hostile_test.go.
	fakeHostile = "hostile"
	// fakeHang never says hello to the host.
	fakeHang = "hang"
)

// fakeCommand is the file with the command of fakeOther.
const fakeCommand = "command"

const fakePrefix = "proctor-plugin-"

// servesFakePlugin is the main function of the fake plugins; false for any other
// program name.
func servesFakePlugin(program string) bool {
	name, ok := strings.CutPrefix(program, fakePrefix)
	if !ok {
		return false
	}
	if name == fakeHang {
		time.Sleep(time.Hour)
	}
	d := sdk.Description{Name: name, Version: "1.0.0", Language: name, Markers: []string{"go.mod"}, Tools: []string{"go"}}
	if name == fakeNoTool {
		d.Tools = []string{"no-such-program-for-proctor"}
	}
	server.Serve(server.Config{Description: d, Detector: fakeDetector{name}})
	return true
}

// fakePlugin makes a fake plugin outside of any workspace and returns its path.
func fakePlugin(t testing.TB, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), fakePrefix+name)
	if err := os.Symlink(self, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	return path
}

// fakeDetector executes a command and reports one passed test.
type fakeDetector struct{ name string }

func (d fakeDetector) plan(w sdk.Workspace) sdk.Plan {
	argv := []string{"go", "version"}
	if raw, err := os.ReadFile(filepath.Join(w.Root, fakeCommand)); err == nil {
		argv = strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	}
	return sdk.Plan{Commands: []sdk.Command{{Argv: argv}}}
}

func (d fakeDetector) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	return d.plan(req.Workspace), nil
}

func (d fakeDetector) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	return d.plan(req.Workspace), nil
}

func (d fakeDetector) ParseTestFailures(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	if d.name == fakeMute {
		return muteParser{}
	}
	if d.name == fakeHostile {
		return hostileParser{sink}
	}
	return &fakeParser{sink: sink}
}

type fakeParser struct {
	sink sdk.Sink
	// heard: the command printed something. Nothing passes of silence.
	heard bool
}

func (p *fakeParser) Write(sdk.Stream, []byte) { p.heard = true }

func (p *fakeParser) Close(sdk.Exit) {
	status := sdk.Passed
	if !p.heard {
		status = sdk.Failed
	}
	p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: status})
	p.sink.Suite(sdk.SuiteResult{Suite: "s", Outcome: sdk.SuitePassed})
}

// muteParser reports nothing.
type muteParser struct{}

func (muteParser) Write(sdk.Stream, []byte) {}
func (muteParser) Close(sdk.Exit)           {}

// hostileTests is how many tests hostileParser reports, all failed.
const hostileTests = 12

// hostileParser reports long texts that are not what they seem, wherever there is
// room for a text.
type hostileParser struct{ sink sdk.Sink }

func (hostileParser) Write(sdk.Stream, []byte) {}

func (p hostileParser) Close(sdk.Exit) {
	text := forgery + nasty + forgery
	long := text + strings.Repeat("z", 20<<10) + text
	place := sdk.Location{File: text, Line: 7}
	suite := "s" + text
	for i := range hostileTests {
		id := sdk.TestID{Suite: suite, Test: fmt.Sprintf("%d%s", i, text)}
		p.sink.Test(sdk.TestResult{TestID: id, Status: sdk.Failed, Location: place, Attributes: map[string]string{text: text}})
		f := sdk.Failure{
			TestID: id, Kind: text, Location: place, TestFrame: place, Message: long, Output: long,
			Diff:       sdk.Diff{Got: long, Want: long, Text: long},
			Stack:      []sdk.Frame{{Function: text, Location: place}},
			Blocks:     []string{text, long},
			Attributes: map[string]string{text: long},
		}
		for range 10 {
			f.Also = append(f.Also, sdk.Also{Location: place, Message: long})
		}
		p.sink.Failure(f)
	}
	p.sink.Condition(text, long)
	p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: sdk.SuiteFailed})
	p.sink.RunError(long)
}
