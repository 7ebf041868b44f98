package server_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
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

// replayEvents reports events.
func replayEvents(e *plugintest.Events, sink sdk.Sink) {
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

func checkSame(t *testing.T, what string, sent, arrived any) {
	t.Helper()
	if reflect.DeepEqual(sent, arrived) {
		return // the much faster check
	}
	if diff := cmp.Diff(sent, arrived, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s changed on the way (-sent +arrived):\n%s", what, diff)
	}
}

func TestCallsArriveAsTheyWereSent(t *testing.T) {
	g := random{rand.New(rand.NewPCG(1, 2)), time.Millisecond}
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
		checkSame(t, what, sent, arrived)
		checkSame(t, "the plan of "+what, plan, back)
	}
	for range rounds {
		plan = randomValue[sdk.Plan](g)
		test := randomValue[sdk.TestRequest](g)
		back, err := d.TestCmd(t.Context(), test)
		check("TestCmd", test, back, err)
		plan.NarrowedBy, plan.Seed, plan.Outputs, plan.Check = nil, "", nil, nil // for TestCmd only
		rerun := randomValue[sdk.RerunRequest](g)
		back, err = d.RerunCmd(t.Context(), rerun)
		check("RerunCmd", rerun, back, err)
		plan.Way = nil // for TestCmd and RerunCmd only
		list := randomValue[sdk.ListRequest](g)
		back, err = d.ListCmd(t.Context(), list)
		check("ListCmd", list, back, err)
	}
}

// fakeEverything has every capability.
type fakeEverything struct {
	fakeMeasurer
	sdk.Scaffolder
	detect func(sdk.Workspace) sdk.Detection
}

func (f fakeEverything) Detect(_ context.Context, ws sdk.Workspace) (sdk.Detection, error) {
	return f.detect(ws), nil
}

func TestADescriptionArrivesAsItWasSent(t *testing.T) {
	g := random{rand.New(rand.NewPCG(11, 12)), time.Millisecond}
	for range rounds / 10 {
		sent := randomValue[sdk.Description](g)
		var asked sdk.Workspace
		detection := randomValue[sdk.Detection](g)
		d := plugintest.Start(t, fakeEverything{detect: func(ws sdk.Workspace) sdk.Detection { asked = ws; return detection }}, sent)
		id, err := d.Describe(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, "the description", sent, id.Description)
		ws := randomValue[sdk.Workspace](g)
		back, err := d.Detect(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, "the workspace", ws, asked)
		checkSame(t, "the detection", detection, back)
	}
}

func TestAScaffoldArrivesAsItWasSent(t *testing.T) {
	g := random{rand.New(rand.NewPCG(5, 6)), time.Millisecond}
	var arrived sdk.ScaffoldRequest
	var scaffold sdk.Scaffold
	d := plugintest.Start(t, fakeScaffolder{scaffold: func(req sdk.ScaffoldRequest) (sdk.Scaffold, error) {
		arrived = req
		return scaffold, nil
	}}, fakeDescription)
	for range rounds {
		scaffold = randomValue[sdk.Scaffold](g)
		req := randomValue[sdk.ScaffoldRequest](g)
		back, err := d.Scaffold(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, "the request", req, arrived)
		checkSame(t, "the scaffold", scaffold, back)
	}
}

func TestAParseArrivesAsItWasSent(t *testing.T) {
	g := random{rand.New(rand.NewPCG(3, 4)), time.Nanosecond}
	var run sdk.RunInfo
	var exit sdk.Exit
	var events *plugintest.Events
	d := plugintest.Start(t, fake{parser: func(_ context.Context, info sdk.RunInfo, sink sdk.Sink) sdk.Parser {
		run = info
		return &fakeParser{write: func(sdk.Stream, []byte) {}, closed: func(e sdk.Exit) { exit = e; replayEvents(events, sink) }}
	}}, fakeDescription)
	for range rounds {
		reported := randomValue[plugintest.Events](g)
		reported.Snapshots = nil // they come only on request
		events = &reported
		r := plugintest.Recording{
			Run:  randomValue[sdk.RunInfo](g),
			Exit: randomValue[sdk.Exit](g),
		}
		r.Exit.Code -= math.MaxInt32 / 2 // it may be negative
		arrived := plugintest.Parse(t, d, r, plugintest.WholeChunks)
		checkSame(t, "the run", r.Run, run)
		checkSame(t, "the exit", r.Exit, exit)
		checkSame(t, "the report", events, arrived)
	}
}

func TestASnapshotArrivesAsItWasSent(t *testing.T) {
	sent := randomValue[sdk.Progress](random{rand.New(rand.NewPCG(13, 14)), time.Nanosecond})
	sink := newLive()
	openStream(t, newParsingFake(nil, nil).showing(sent), client.ParseOptions{ProgressInterval: time.Millisecond}, sink)
	checkSame(t, "the snapshot", sent, waitFor(t, "snapshot", sink.snapshots))
}

func TestASmallListingArrivesAsItWasSent(t *testing.T) {
	g := random{rand.New(rand.NewPCG(15, 16)), time.Nanosecond}
	var sent plugintest.Listing
	d := plugintest.Start(t, fakeLister{list: func(_ context.Context, _ sdk.ListRequest, _ sdk.Command, sink sdk.ListSink) sdk.Parser {
		return &fakeParser{closed: func(sdk.Exit) {
			for _, suite := range sent.Suites {
				sink.Suite(suite)
			}
			for _, part := range sent.Parts {
				sink.Part(part)
			}
			for _, text := range sent.Errors {
				sink.Error(text)
			}
		}}
	}}, fakeDescription)
	for range rounds {
		sent = randomValue[plugintest.Listing](g)
		for i := range sent.Suites {
			sent.Suites[i].Suite += fmt.Sprint(i) // each suite once
		}
		for i := range sent.Parts {
			sent.Parts[i].Name += fmt.Sprint(i)
		}
		checkSame(t, "the listing", &sent, plugintest.ParseList(t, d, sdk.ListRequest{}, plugintest.Recording{}, plugintest.WholeChunks))
	}
}

func TestALongListingArrivesAsItWasSent(t *testing.T) {
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
	checkSame(t, "the request", req, got)
	checkSame(t, "the listing", &plugintest.Listing{
		Suites: []sdk.ListedSuite{{Suite: "none"}, sent}, Parts: []sdk.ListedPart{part, {Name: "empty"}}, Errors: []string{"cut short"},
	}, listing)
}

func TestATinyDeadlineIsNotRoundedToNone(t *testing.T) {
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
	d := plugintest.Start(b, newParsingFake(nil, func(sink sdk.Sink, _ sdk.Exit) {
		id := sdk.TestID{Suite: "example.org/some/module/package", Test: "TestSomething/with/subtests"}
		for range tests {
			sink.Test(sdk.TestResult{TestID: id, Status: sdk.Passed, Elapsed: time.Second})
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
	d := plugintest.Start(b, newParsingFake(nil, nil), fakeDescription)
	data := make([]byte, 64<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		plugintest.Parse(b, d, plugintest.Stdout("", data, sdk.Exit{}), plugintest.WholeChunks)
	}
}
