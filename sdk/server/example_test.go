package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/plugintest"
	"github.com/proctorhq/proctor/sdk/server"
)

// toy is a plugin for an imaginary runner. `toy run [NAME...]` prints a line
// "pass NAME" or "fail NAME: MESSAGE" for each test.
type toy struct{}

var toyDescription = sdk.Description{
	Name: "toy", Version: "0.1.0", Language: "toy",
	Markers: []string{"toy.txt"}, Tools: []string{"toy"},
}

func (toy) TestCmd(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
	if !req.Selection.IsZero() { // Description.Selectors names none
		return sdk.Plan{}, &sdk.Error{Reason: sdk.InvalidSelection, Message: "toy runs all tests or named ones"}
	}
	argv := append([]string{"toy", "run"}, req.RunnerArgs...)
	return sdk.Plan{Commands: []sdk.Command{{Argv: argv}}}, nil
}

func (toy) RerunCmd(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) {
	argv := append([]string{"toy", "run"}, req.RunnerArgs...)
	for _, id := range req.Targets {
		argv = append(argv, id.Test)
	}
	return sdk.Plan{Commands: []sdk.Command{{Argv: argv, Targets: req.Targets}}}, nil
}

func (toy) ParseTestFailures(_ context.Context, _ sdk.RunInfo, sink sdk.Sink) sdk.Parser {
	p := &toyParser{sink: sink}
	p.lines = sdk.NewLineReader(0, p.line)
	return p
}

type toyParser struct {
	sink  sdk.Sink
	lines *sdk.LineReader
	// green and red report whether a test passed, and failed.
	green, red bool
}

func (p *toyParser) Write(stream sdk.Stream, data []byte) {
	if stream == sdk.Stdout {
		p.lines.Write(data)
	}
}

func (p *toyParser) line(l sdk.Line) {
	word, rest, _ := strings.Cut(string(l.Text), " ")
	name, message, _ := strings.Cut(rest, ": ")
	id := sdk.TestID{Suite: "toy", Test: name}
	switch {
	case !l.Whole() || name == "":
		p.sink.Unread(sdk.Unread{Bytes: int64(len(l.Text)), Damaged: l.Unended, Sample: string(l.Text)})
	case word == "pass":
		p.green = true
		p.sink.Test(sdk.TestResult{TestID: id, Status: sdk.Passed})
	case word == "fail":
		p.red = true
		p.sink.Test(sdk.TestResult{TestID: id, Status: sdk.Failed})
		p.sink.Failure(sdk.Failure{TestID: id, Kind: sdk.KindAssertion, Message: message})
	default:
		p.sink.Unread(sdk.Unread{Bytes: int64(len(l.Text)), Sample: string(l.Text)})
	}
}

func (p *toyParser) Close(exit sdk.Exit) {
	p.lines.Close()
	switch {
	case p.red:
		p.sink.Suite(sdk.SuiteResult{Suite: "toy", Outcome: sdk.SuiteFailed})
	case p.green && exit == (sdk.Exit{}):
		p.sink.Suite(sdk.SuiteResult{Suite: "toy", Outcome: sdk.SuitePassed})
	case p.green: // it may not have run every test
		p.sink.Suite(sdk.SuiteResult{Suite: "toy", Outcome: sdk.SuiteUnfinished})
	}
	if exit.Code != 0 && !p.red { // a red run must have a failure
		p.sink.RunError(fmt.Sprintf("toy ended with code %d and named no failed test", exit.Code))
	}
}

// A plugin's main function just calls Serve. Run by hand, the plugin explains itself;
// started by proctor, it serves until proctor ends.
func Example() {
	main := func() { server.Serve(server.Config{Description: toyDescription, Detector: toy{}}) }
	_ = main

	// What proctor asks it for a run:
	plan, _ := toy{}.TestCmd(context.Background(), sdk.TestRequest{RunnerArgs: []string{"--seed=7"}})
	fmt.Println(plan.Commands[0].Argv)
	// Output: [toy run --seed=7]
}

// The conformance kit is a plugin's first test.
func TestToyPassesTheKit(t *testing.T) {
	plugintest.Run(t, plugintest.Config{
		Description: toyDescription, Detector: toy{},
		Workspace: sdk.Workspace{Root: t.TempDir()},
		Recordings: []plugintest.Recording{
			plugintest.Stdout("red", []byte("pass A\nfail B: 1 is not 2\r\nnoise\npass C\nfail D: \xff\n"), sdk.Exit{Code: 1}),
			plugintest.Stdout("green", []byte("pass A\npass B\n"), sdk.Exit{}),
			plugintest.Stdout("crash", []byte("pass A\npass B"), sdk.Exit{Code: -1, Signal: "SIGSEGV"}),
		},
	})
}
