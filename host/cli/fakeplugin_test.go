package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/server"
)

// The fake plugins: a link of one of these names to the test binary is one.
const (
	// fakeNoTool needs a program that does not exist.
	fakeNoTool = "notool"
	// fakeCrash ends in the middle of reading.
	fakeCrash = "crash"
	// fakeMute is no plugin at all.
	fakeMute = "mute"
	// fakeForeign would run the tests of another language, beside those of Go.
	fakeForeign = "foreign"
	// fakeMeasured reports what the file fakeReport of the workspace says, as
	// tests of Solidity that measured gas.
	fakeMeasured = "solidity"
)

// fakeReport is the file with the results of fakeMeasured.
const fakeReport = "report.json"

// fakeResults is what is in it.
type fakeResults struct {
	Conditions map[string]string
	Tests      []sdk.TestResult
	// Failures are the messages of failed tests, by suite and name.
	Failures map[string]string
}

const fakePrefix = "proctor-plugin-"

// servesFakePlugin is the main function of the fake plugins; false for any
// other program name.
func servesFakePlugin(program string) bool {
	name, ok := strings.CutPrefix(program, fakePrefix)
	if !ok {
		return false
	}
	if name == fakeMute {
		fmt.Println("Hello, I only want to chat.")
		return true
	}
	d := sdk.Description{
		Name: name, Version: "1.0.0", Language: name, Markers: []string{"go.mod"}, Tools: []string{"go"},
	}
	if name == fakeNoTool {
		d.Tools = []string{"no-such-program-for-proctor"}
	}
	server.Serve(server.Config{Description: d, Detector: fakeDetector{name}})
	return true
}

// fakePlugin makes a fake plugin available outside of any workspace.
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

// fakeDetector runs "go version" and reports one passed test.
type fakeDetector struct{ name string }

func (d fakeDetector) plan() sdk.Plan {
	return sdk.Plan{Commands: []sdk.Command{{Argv: []string{"go", "version"}}}}
}

func (d fakeDetector) TestCmd(context.Context, sdk.TestRequest) (sdk.Plan, error) {
	return d.plan(), nil
}

func (d fakeDetector) RerunCmd(context.Context, sdk.RerunRequest) (sdk.Plan, error) {
	return d.plan(), nil
}

func (d fakeDetector) ParseTestFailures(_ context.Context, run sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	return fakeParser{d.name, run.Workspace.Root, sink}
}

type fakeParser struct {
	name, root string
	sink       sdk.Sink
}

func (p fakeParser) Write(sdk.Stream, []byte) {
	if p.name == fakeCrash {
		go panic("out of cheese")
		select {}
	}
}

func (p fakeParser) Close(sdk.Exit) {
	if p.name == fakeMeasured {
		p.report()
		return
	}
	p.sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "t"}, Status: sdk.Passed})
	p.sink.Suite(sdk.SuiteResult{Suite: "s", Outcome: sdk.SuitePassed})
}

// report tells what the file of results says.
func (p fakeParser) report() {
	var r fakeResults
	raw, err := os.ReadFile(filepath.Join(p.root, fakeReport))
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		p.sink.RunError(err.Error())
		return
	}
	for name, value := range r.Conditions {
		p.sink.Condition(name, value)
	}
	suites := map[string]sdk.SuiteOutcome{}
	for _, t := range r.Tests {
		p.sink.Test(t)
		suites[t.Suite] = max(suites[t.Suite], sdk.SuitePassed)
		if t.Status == sdk.Failed {
			suites[t.Suite] = sdk.SuiteFailed
			p.sink.Failure(sdk.Failure{TestID: t.TestID, Kind: "assertion", Message: r.Failures[t.Suite+" "+t.Test]})
		}
	}
	for suite, outcome := range suites {
		p.sink.Suite(sdk.SuiteResult{Suite: suite, Outcome: outcome})
	}
}
