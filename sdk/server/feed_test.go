package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

// live announces reports as they arrive.
type live struct {
	plugintest.Events
	failures  chan sdk.Failure
	tests     chan sdk.TestResult
	snapshots chan sdk.Progress
}

func newLive() *live {
	const enough = 1000
	return &live{
		failures: make(chan sdk.Failure, enough), tests: make(chan sdk.TestResult, enough), snapshots: make(chan sdk.Progress, enough),
	}
}

func (l *live) Failure(f sdk.Failure)   { l.failures <- f }
func (l *live) Test(t sdk.TestResult)   { l.tests <- t }
func (l *live) Progress(p sdk.Progress) { l.snapshots <- p }

// waitFor waits for something that must arrive without further input.
func waitFor[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		t.Fatalf("no %s arrived", what)
		panic("unreachable")
	}
}

func openStream(t *testing.T, detector sdk.Detector, opts client.ParseOptions, sink client.EventSink) *client.ParseStream {
	t.Helper()
	stream, err := plugintest.Start(t, detector, fakeDescription).Parse(t.Context(), sdk.RunInfo{}, opts, sink)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Cancel)
	return stream
}

func TestFailuresAndResultsArriveWhileTheCommandRuns(t *testing.T) {
	sink := newLive()
	stream := openStream(t, newParsingFake(func(sink sdk.Sink, _ sdk.Stream, data []byte) {
		if string(data) == "red" {
			sink.Failure(sdk.Failure{Message: "m"})
		}
		sink.Test(sdk.TestResult{TestID: sdk.TestID{Test: string(data)}, Status: sdk.Passed})
	}, nil), client.ParseOptions{}, sink)
	for _, want := range []string{"red", "green", "blue"} {
		if err := stream.Send(sdk.Stdout, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if want == "red" {
			if f := waitFor(t, "failure", sink.failures); f.Message != "m" {
				t.Errorf("got %+v", f)
			}
		}
		if got := waitFor(t, "test", sink.tests); got.Test != want {
			t.Errorf("got %v, want %s", got.TestID, want)
		}
	}
	if err := stream.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
}

// counting also reports what is running.
type counting struct {
	*fakeParser
	asked int
}

func (p *counting) Progress() sdk.Progress {
	p.asked++
	return sdk.Progress{Passed: p.asked, Running: make([]sdk.RunningTest, 100)}
}

func newProgressingFake() fake {
	return fake{parser: func(context.Context, sdk.RunInfo, sdk.Sink) sdk.Parser {
		return &counting{fakeParser: &fakeParser{write: func(sdk.Stream, []byte) {}, closed: func(sdk.Exit) {}}}
	}}
}

func TestSnapshotsArriveWhileTheCommandIsSilent(t *testing.T) {
	sink := newLive()
	stream := openStream(t, newProgressingFake(), client.ParseOptions{ProgressInterval: time.Millisecond}, sink)
	for want := 1; want <= 3; want++ {
		p := waitFor(t, "snapshot", sink.snapshots)
		if p.Passed != want || len(p.Running) != sdk.MaxRunning || p.RunningTotal != 100 {
			t.Errorf("snapshot %d: %d passed, %d of %d running", want, p.Passed, len(p.Running), p.RunningTotal)
		}
	}
	if err := stream.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
}

func TestWithoutAnIntervalNoSnapshotsArrive(t *testing.T) {
	sink := newLive()
	stream := openStream(t, newProgressingFake(), client.ParseOptions{}, sink)
	if err := stream.Close(sdk.Exit{}); err != nil || len(sink.snapshots) > 0 {
		t.Errorf("%d snapshots, %v", len(sink.snapshots), err)
	}
}

func TestAPanickingParserKeepsWhatItReported(t *testing.T) {
	detector := newParsingFake(func(sink sdk.Sink, _ sdk.Stream, data []byte) {
		sink.Test(sdk.TestResult{TestID: sdk.TestID{Test: "seen"}, Status: sdk.Failed})
		if bytes.Contains(data, []byte("boom")) {
			panic(fmt.Errorf("cannot read %q", data))
		}
	}, nil)
	d := plugintest.Start(t, detector, fakeDescription)
	events, err := plugintest.TryParse(t.Context(), d, plugintest.Stdout("x", []byte("boom"), sdk.Exit{}), plugintest.WholeChunks)
	if panicked, ok := errors.AsType[*sdk.PanicError](err); !ok || panicked.Value != `cannot read "boom"` || !strings.Contains(panicked.Stack, "feed_test.go") {
		t.Fatalf("got %#v", err)
	}
	if len(events.Tests) != 1 {
		t.Errorf("what was reported before the panic is lost: %+v", events)
	}
	plugintest.Parse(t, d, plugintest.Stdout("y", []byte("fine"), sdk.Exit{}), plugintest.WholeChunks)
}

func TestAPanicWhileClosingIsAnErrorToo(t *testing.T) {
	stream := openStream(t, newParsingFake(nil, func(sdk.Sink, sdk.Exit) { panic("late") }), client.ParseOptions{}, new(plugintest.Events))
	var panicked *sdk.PanicError
	if err := stream.Close(sdk.Exit{}); !errors.As(err, &panicked) {
		t.Errorf("got %v", err)
	}
}

func TestANilParserIsAnError(t *testing.T) {
	none := fake{parser: func(context.Context, sdk.RunInfo, sdk.Sink) sdk.Parser { return nil }}
	if err := openStream(t, none, client.ParseOptions{}, new(plugintest.Events)).Close(sdk.Exit{}); status.Code(err) != codes.Internal {
		t.Errorf("got %v", err)
	}
}

func TestACancelledParseDoesNotCloseTheParser(t *testing.T) {
	ended, written := make(chan struct{}), make(chan struct{})
	detector := fake{parser: func(ctx context.Context, _ sdk.RunInfo, _ sdk.Sink) sdk.Parser {
		context.AfterFunc(ctx, func() { close(ended) })
		return &fakeParser{
			write:  func(sdk.Stream, []byte) { close(written) },
			closed: func(sdk.Exit) { t.Error("the parser was closed: the missing rest would count as read") },
		}
	}}
	stream := openStream(t, detector, client.ParseOptions{}, new(plugintest.Events))
	if err := stream.Send(sdk.Stdout, []byte("x")); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "output", written)
	stream.Cancel()
	waitFor(t, "end of the parser's context", ended)
}

func TestNeitherSideWaitsForTheOther(t *testing.T) {
	const chunks = 400 // 12 MiB each way, far more than the connection buffers
	detector := newParsingFake(func(sink sdk.Sink, _ sdk.Stream, data []byte) { sink.Output(data) }, nil)
	d := plugintest.Start(t, detector, fakeDescription)
	data := bytes.Repeat([]byte("0123456789abcdef"), chunks*sdk.SendChunk/16)
	events := plugintest.Parse(t, d, plugintest.Stdout("flood", data, sdk.Exit{}), plugintest.WholeChunks)
	if !bytes.Equal(events.Out, data) {
		t.Errorf("%d bytes came back, want %d", len(events.Out), len(data))
	}
}

func TestTheTwoStreamsStayApart(t *testing.T) {
	got := map[sdk.Stream]string{}
	d := plugintest.Start(t, newParsingFake(func(_ sdk.Sink, stream sdk.Stream, data []byte) { got[stream] += string(data) }, nil), fakeDescription)
	r := plugintest.Recording{Pieces: []plugintest.Piece{{Stream: sdk.Stdout, Data: []byte("o")}, {Stream: sdk.Stderr, Data: []byte("e")}, {Stream: sdk.Stdout, Data: []byte("O")}}}
	plugintest.Parse(t, d, r, plugintest.WholeChunks)
	if got[sdk.Stdout] != "oO" || got[sdk.Stderr] != "e" {
		t.Errorf("got %v", got)
	}
}

func TestWithoutAnExitTheParserIsNotClosed(t *testing.T) {
	detector := newParsingFake(nil, func(sdk.Sink, sdk.Exit) { t.Error("the parser was closed: the missing rest would count as read") })
	rpc, err := pb.NewDetectorServiceClient(plugintest.Connect(t, detector, fakeDescription)).ParseTestFailures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rpc.Send(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Start{Start: &pb.RunStart{}}}), rpc.CloseSend()); err != nil {
		t.Fatal(err)
	}
	if _, err := rpc.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Errorf("got %v", err)
	}
}

func TestReportsAfterTheEndAreDiscarded(t *testing.T) {
	sinks := make(chan sdk.Sink, 1)
	stream := openStream(t, newParsingFake(nil, func(sink sdk.Sink, _ sdk.Exit) { sinks <- sink }), client.ParseOptions{}, new(plugintest.Events))
	if err := stream.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
	late := <-sinks
	for range 10 {
		late.Output(make([]byte, 1<<20))
	}
}

// sentMessages runs a parser over raw gRPC and returns the messages it sent.
func sentMessages(t *testing.T, detector sdk.Detector) []*pb.ParseTestFailuresResponse {
	t.Helper()
	rpc, err := pb.NewDetectorServiceClient(plugintest.Connect(t, detector, fakeDescription)).ParseTestFailures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*pb.ParseTestFailuresRequest{
		{Message: &pb.ParseTestFailuresRequest_Start{Start: &pb.RunStart{}}},
		{Message: &pb.ParseTestFailuresRequest_Exit{Exit: &pb.RunExit{}}},
	} {
		if err := rpc.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	var all []*pb.ParseTestFailuresResponse
	for {
		m, err := rpc.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
}

func TestEventsShareMessagesOfBoundedSize(t *testing.T) {
	const tests = 20_000
	sent := sentMessages(t, newParsingFake(nil, func(sink sdk.Sink, _ sdk.Exit) {
		for i := range tests {
			sink.Test(sdk.TestResult{TestID: sdk.TestID{Suite: "example.org/a/package", Test: fmt.Sprint("TestOfSomething", i)}, Status: sdk.Passed})
			if i%100 == 0 {
				sink.Suite(sdk.SuiteResult{Suite: fmt.Sprint("example.org/package", i), Outcome: sdk.SuitePassed})
				sink.Unread(sdk.Unread{Bytes: 1, Sample: "text"})
			}
		}
		sink.Output(make([]byte, 200_000))
	}))
	got, out := 0, 0
	for _, m := range sent {
		for _, test := range m.GetTests() {
			if want := fmt.Sprint("TestOfSomething", got); test.GetId().GetName() != want {
				t.Fatalf("test %d is %s", got, test.GetId().GetName())
			}
			got++
		}
		out += len(m.GetOutput())
		if n := proto.Size(m); n > sdk.SendChunk {
			t.Errorf("a message of %d bytes", n)
		}
	}
	if got != tests || out != 200_000 {
		t.Errorf("%d tests and %d bytes of output arrived", got, out)
	}
	if len(sent) > tests/100 {
		t.Errorf("%d messages for %d tests", len(sent), tests)
	}
}

func TestNothingIsTooLargeToReport(t *testing.T) {
	huge := strings.Repeat("x\xff", 5<<20)
	sent := sentMessages(t, newParsingFake(nil, func(sink sdk.Sink, _ sdk.Exit) {
		id := sdk.TestID{Suite: huge, Test: huge}
		sink.Test(sdk.TestResult{TestID: id, Root: huge, Status: sdk.Failed, Location: sdk.Location{File: huge}})
		sink.Failure(sdk.Failure{TestID: id, Message: huge, Output: huge, Blocks: []string{huge}, Kind: huge,
			Diff: sdk.Diff{Got: huge, Want: huge, Text: huge}, Also: make([]sdk.Also, 1<<20)})
		sink.Suite(sdk.SuiteResult{Suite: huge})
		sink.Unread(sdk.Unread{Sample: huge})
		sink.Note(huge)
		sink.RunError(huge)
	}))
	var all pb.ParseTestFailuresResponse
	for _, m := range sent {
		if n := proto.Size(m); n > sdk.MaxMessage {
			t.Errorf("a message of %d bytes", n)
		}
		proto.Merge(&all, m)
	}
	if len(all.Tests) != 1 || len(all.Failures) != 1 || len(all.Suites) != 1 || len(all.Unread) != 1 || len(all.Notes) != 2 || len(all.RunErrors) != 1 {
		t.Fatalf("%d tests, %d failures, %d suites, %d unread, %d notes, %d run errors",
			len(all.Tests), len(all.Failures), len(all.Suites), len(all.Unread), len(all.Notes), len(all.RunErrors))
	}
	if !strings.HasSuffix(all.RunErrors[0], sdk.TruncationMark) || !strings.Contains(strings.Join(all.Notes, "\n"), "left out") {
		t.Error("a truncated text is not marked")
	}
	if all.Tests[0].GetId().GetName() != all.Failures[0].GetId().GetName() {
		t.Error("the test and its failure no longer have the same name")
	}
}
