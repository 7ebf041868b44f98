package sdk_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

// rounds is the number of random values sent through the protocol.
const rounds = 200

// gen makes random values of the contract, within the limits.
type gen struct{ *rand.Rand }

func (g gen) text() string {
	const letters = "aB/._ \n\t\x00é日\u2028"
	var b strings.Builder
	for range g.IntN(12) {
		b.WriteRune([]rune(letters)[g.IntN(len([]rune(letters)))])
	}
	return b.String()
}

func (g gen) id() sdk.TestID      { return sdk.TestID{Suite: g.text(), Name: g.text()} }
func (g gen) flag() bool          { return g.IntN(2) == 0 }
func (g gen) number() int         { return g.IntN(math.MaxInt32) }
func (g gen) time() time.Duration { return time.Duration(g.Int64N(math.MaxInt64)) }
func (g gen) millis() time.Duration {
	return time.Duration(g.IntN(1e6)) * time.Millisecond
}
func (g gen) location() sdk.Location {
	return sdk.Location{File: g.text(), Line: g.number(), Column: g.IntN(3)}
}
func (g gen) texts() map[string]string {
	return map[string]string{g.text(): g.text(), g.text(): g.text()}
}

func some[T any](g gen, make func() T) []T {
	var all []T
	for range g.IntN(4) {
		all = append(all, make())
	}
	return all
}

func (g gen) command() sdk.Command {
	return sdk.Command{
		Argv: append(some(g, g.text), "x"), Dir: g.text(), Env: g.texts(), Targets: some(g, g.id), SelectsInsideTests: g.flag(), UnsetEnv: some(g, g.text), Exclusive: g.flag(), Prepares: g.flag(), Covers: g.flag(),
		Inputs: some(g, func() sdk.InputFile { return sdk.InputFile{Name: g.text(), Data: []byte("\xff\x00" + g.text())} }),
	}
}

func (g gen) workspace() sdk.Workspace {
	return sdk.Workspace{Root: g.text(), Tools: g.texts(), Env: g.texts(), Cache: g.text(), Probes: map[string]sdk.ProbeOutput{
		g.text(): {Stdout: []byte("\xff" + g.text()), Stderr: g.text(), ExitCode: g.IntN(300) - 1},
	}}
}

func (g gen) measure() sdk.Measure {
	return sdk.Measure{Name: g.text(), Value: g.text(), Kind: g.text(), Section: g.text(), Runs: int64(g.number()), Seed: g.text()}
}

func (g gen) selection() sdk.Selection {
	return sdk.Selection{Suites: some(g, g.text), PathPattern: g.text(), SuitePattern: g.text(), TestPattern: g.text()}
}

func (g gen) plan() sdk.Plan {
	return sdk.Plan{Commands: some(g, g.command), Warnings: some(g, g.text)}
}

func (g gen) events() *plugintest.Events {
	return &plugintest.Events{
		Tests: some(g, func() sdk.TestResult {
			return sdk.TestResult{ID: g.id(), Status: sdk.Status(1 + g.IntN(int(sdk.Unfinished))), Elapsed: g.time(),
				Location: g.location(), Root: g.text(), Container: g.flag(), Derived: g.flag(),
				Fixture: g.flag(), Attributes: g.texts(), Measures: some(g, g.measure)}
		}),
		Failures: some(g, func() sdk.Failure {
			return sdk.Failure{ID: g.id(), Kind: g.text(), Location: g.location(), TestFrame: g.location(), Message: g.text(),
				Diff:   sdk.Diff{Got: g.text(), Want: g.text(), Text: g.text()},
				Also:   some(g, func() sdk.Also { return sdk.Also{Location: g.location(), Message: g.text()} }),
				Output: g.text(), OutputTruncated: g.flag(),
				Stack:       some(g, func() sdk.Frame { return sdk.Frame{Function: g.text(), Location: g.location()} }),
				DerivedFrom: some(g, g.id), Blocks: some(g, g.text), Repro: g.command(), Attributes: g.texts(),
				Precision: sdk.Precision(g.IntN(4))}
		}),
		Suites: some(g, func() sdk.SuiteResult {
			return sdk.SuiteResult{Suite: g.text(), Outcome: sdk.SuiteOutcome(1 + g.IntN(int(sdk.SuiteUnfinished))), Elapsed: g.time()}
		}),
		Unreads:    some(g, func() sdk.Unread { return sdk.Unread{Bytes: int64(g.number()), Damaged: g.flag(), Sample: g.text()} }),
		Notes:      some(g, g.text),
		RunErrors:  some(g, g.text),
		Refusals:   some(g, func() sdk.Refusal { return sdk.Refusal{Words: g.text(), Suites: some(g, g.text)} }),
		Conditions: g.texts(),
		Out:        []byte(g.text()),
	}
}

// replay reports events.
func replay(e *plugintest.Events, sink sdk.Sink) {
	for _, t := range e.Tests {
		sink.Test(t)
	}
	for _, f := range e.Failures {
		sink.Failure(f)
	}
	for _, s := range e.Suites {
		sink.Suite(s)
	}
	for _, u := range e.Unreads {
		sink.Unread(u)
	}
	for _, text := range e.Notes {
		sink.Note(text)
	}
	for _, text := range e.RunErrors {
		sink.RunError(text)
	}
	for _, r := range e.Refusals {
		sdk.Refuse(sink, r)
	}
	for name, value := range e.Conditions {
		sink.Condition(name, value)
	}
	sink.Output(e.Out)
}

func same(t *testing.T, what string, sent, arrived any) {
	t.Helper()
	if reflect.DeepEqual(sent, arrived) {
		return // which is told much faster
	}
	if diff := cmp.Diff(sent, arrived, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s changed on the way (-sent +arrived):\n%s", what, diff)
	}
}

func TestCallsArriveAsTheyWereSent(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(1, 2))}
	var arrived any
	var plan sdk.Plan
	listing := func(_ context.Context, req sdk.ListRequest) (sdk.Plan, error) { arrived = req; return plan, nil }
	d := plugintest.Start(t, fakeLister{listCmd: listing, fake: fake{
		testCmd:  func(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) { arrived = req; return plan, nil },
		rerunCmd: func(_ context.Context, req sdk.RerunRequest) (sdk.Plan, error) { arrived = req; return plan, nil },
	}}, fakeDescription)
	check := func(what string, sent any, back sdk.Plan, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		same(t, what, sent, arrived)
		same(t, "the plan of "+what, plan, back)
	}
	for range rounds {
		plan = g.plan()
		test := sdk.TestRequest{Workspace: g.workspace(), Selection: g.selection(), RunnerArgs: some(g, g.text), Deadline: g.millis(), Seed: g.text(), Cover: g.flag()}
		back, err := d.TestCmd(t.Context(), test)
		check("TestCmd", test, back, err)
		rerun := sdk.RerunRequest{Workspace: g.workspace(), Targets: some(g, g.id), Widen: g.flag(), RunnerArgs: some(g, g.text), Deadline: g.millis(),
			Seed: g.text(), Locate: g.flag(), AlsoBuild: some(g, g.text)}
		back, err = d.RerunCmd(t.Context(), rerun)
		check("RerunCmd", rerun, back, err)
		list := sdk.ListRequest{Workspace: g.workspace(), Selection: g.selection(), RunnerArgs: some(g, g.text), Selected: g.flag(), Dependencies: g.flag()}
		back, err = d.ListCmd(t.Context(), list)
		check("ListCmd", list, back, err)
	}
}

func TestAScaffoldArrivesAsItWasSent(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(5, 6))}
	var arrived sdk.ScaffoldRequest
	var scaffold sdk.Scaffold
	d := plugintest.Start(t, fakeScaffolder{scaffold: func(req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
		arrived = req
		return scaffold, nil
	}}, fakeDescription)
	file := func() sdk.SourceFile { return sdk.SourceFile{Path: g.text(), Content: []byte("\xff" + g.text())} }
	for range rounds {
		scaffold = sdk.Scaffold{
			Files: some(g, file), Links: some(g, func() sdk.Link { return sdk.Link{Path: g.text(), Target: g.text()} }),
			Env: g.texts(), Readable: some(g, g.text), Warnings: some(g, g.text),
		}
		req := sdk.ScaffoldRequest{Workspace: g.workspace(), Sources: some(g, file)}
		back, err := d.Scaffold(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the request", req, arrived)
		same(t, "the scaffold", scaffold, back)
	}
}

func TestAParseArrivesAsItWasSent(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(3, 4))}
	var run sdk.RunInfo
	var exit sdk.Exit
	var events *plugintest.Events
	d := plugintest.Start(t, fake{parser: func(_ context.Context, info sdk.RunInfo, sink sdk.Sink) sdk.Parser {
		run = info
		return &fakeParser{write: func(sdk.Stream, []byte) {}, closed: func(e sdk.Exit) { exit = e; replay(events, sink) }}
	}}, fakeDescription)
	for range rounds {
		events = g.events()
		r := plugintest.Recording{
			Run:  sdk.RunInfo{Workspace: g.workspace(), Command: g.command(), OutputOf: g.id(), Locate: g.flag()},
			Exit: sdk.Exit{Code: g.number() - math.MaxInt32/2, Signal: g.text(), TimedOut: g.flag(), Cancelled: g.flag(), Unknown: g.flag()},
		}
		arrived := plugintest.Parse(t, d, r, plugintest.WholeChunks)
		same(t, "the run", r.Run, run)
		same(t, "the exit", r.Exit, exit)
		same(t, "the report", events, arrived)
	}
}

func TestAListingArrivesAsItWasSent(t *testing.T) {
	const tests = 5000 // more than one message
	sent := sdk.ListedSuite{Suite: "many", Opaque: "it reads the network", Sealed: true}
	part := sdk.ListedPart{Name: "part"}
	for i := range tests {
		sent.Needs = append(sent.Needs, fmt.Sprint("need ", i))
		part.Files, part.Patterns = append(part.Files, fmt.Sprint("some/file", i)), append(part.Patterns, fmt.Sprint("some/dir", i, "/*.go"))
		part.Needs = append(part.Needs, fmt.Sprint("part ", i))
		sent.Tests = append(sent.Tests, sdk.ListedTest{Name: fmt.Sprint("Test", i), Location: sdk.Location{File: "a_test.go", Line: i}})
	}
	var got sdk.ListRequest
	d := plugintest.Start(t, fakeLister{list: func(_ context.Context, req sdk.ListRequest, _ sdk.Command, sink sdk.ListSink) sdk.Parser {
		got = req
		return &fakeParser{write: func(_ sdk.Stream, data []byte) { sink.Error(string(data)) }, closed: func(sdk.Exit) {
			sink.Suite(sdk.ListedSuite{Suite: "none"})
			sink.Suite(sent)
			sink.Part(part)
			sink.Part(sdk.ListedPart{Name: "empty"})
		}}
	}}, fakeDescription)
	req := sdk.ListRequest{Workspace: sdk.Workspace{Root: "/w"}, RunnerArgs: []string{"-tags=x"}, Selection: sdk.Selection{Suites: []string{"./..."}}, Selected: true,
		Dependencies: true}
	listing := plugintest.ParseList(t, d, req, plugintest.Stdout("list", []byte("cut short"), sdk.Exit{}), plugintest.WholeChunks)
	same(t, "the request", req, got)
	same(t, "the listing", &plugintest.Listing{
		Suites: []sdk.ListedSuite{{Suite: "none"}, sent}, Parts: []sdk.ListedPart{part, {Name: "empty"}}, Errors: []string{"cut short"},
	}, listing)
}

func TestADeadlineNeverBecomesNone(t *testing.T) {
	var got time.Duration
	d := plugintest.Start(t, fake{testCmd: func(_ context.Context, req sdk.TestRequest) (sdk.Plan, error) {
		got = req.Deadline
		return sdk.Plan{}, nil
	}}, fakeDescription)
	if _, err := d.TestCmd(t.Context(), sdk.TestRequest{Deadline: time.Nanosecond}); err != nil || got != time.Millisecond {
		t.Errorf("a nanosecond arrived as %v, %v", got, err)
	}
}

var _ client.EventSink = (*plugintest.Events)(nil)

func BenchmarkReport(b *testing.B) {
	const tests = 215_000 // a run of a million go test events
	d := plugintest.Start(b, parsing(nil, func(sink sdk.Sink, _ sdk.Exit) {
		id := sdk.TestID{Suite: "example.org/some/module/package", Name: "TestSomething/with/subtests"}
		for range tests {
			sink.Test(sdk.TestResult{ID: id, Status: sdk.Passed, Elapsed: time.Second})
		}
	}), fakeDescription)
	b.ReportAllocs()
	for b.Loop() {
		events := plugintest.Parse(b, d, plugintest.Recording{}, plugintest.WholeChunks)
		if len(events.Tests) != tests {
			b.Fatalf("%d tests arrived", len(events.Tests))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tests, "ns/test")
}

func BenchmarkSend(b *testing.B) {
	d := plugintest.Start(b, parsing(nil, nil), fakeDescription)
	data := make([]byte, 64<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		plugintest.Parse(b, d, plugintest.Stdout("", data, sdk.Exit{}), plugintest.WholeChunks)
	}
}
