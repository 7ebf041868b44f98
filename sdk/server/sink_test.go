package server

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// sinkTo returns a sink and the messages that it sends, encoded immediately, as gRPC
// does.
func sinkTo() (*eventSink, *[]*pb.ParseTestFailuresResponse) {
	var sent []*pb.ParseTestFailuresResponse
	return newEventSink(func(r *codec.Report) error {
		encoded := make([]byte, 0, r.Size())
		encoded, err := r.Append(encoded)
		if err != nil {
			return err
		}
		m := new(pb.ParseTestFailuresResponse)
		sent = append(sent, m)
		return proto.Unmarshal(encoded, m)
	}), &sent
}

func TestOnlyFailuresAndRunErrorsAreUrgent(t *testing.T) {
	for _, test := range []struct {
		name   string
		report func(sdk.Sink)
		urgent bool
	}{
		{"a test", func(s sdk.Sink) { s.Test(sdk.TestResult{Status: sdk.Failed}) }, false},
		{"a suite", func(s sdk.Sink) { s.Suite(sdk.SuiteResult{}) }, false},
		{"output", func(s sdk.Sink) { s.Output([]byte("x")) }, false},
		{"a failure", func(s sdk.Sink) { s.Failure(sdk.Failure{}) }, true},
		{"a run error", func(s sdk.Sink) { s.RunError("x") }, true},
		{"a failure that fills a message", func(s sdk.Sink) {
			s.Test(sdk.TestResult{})
			s.Failure(sdk.Failure{Output: string(make([]byte, batchSize))})
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			sink, _ := sinkTo()
			test.report(sink)
			if sink.urgent() != test.urgent || !sink.waiting() {
				t.Errorf("urgent %v, waiting %v", sink.urgent(), sink.waiting())
			}
			if err := sink.flush(); err != nil || sink.urgent() || sink.waiting() {
				t.Errorf("after a flush: %v, urgent %v, waiting %v", err, sink.urgent(), sink.waiting())
			}
		})
	}
}

func TestAMessageIsIndependentOfThePreviousOne(t *testing.T) {
	sink, sent := sinkTo()
	full := sdk.TestResult{TestID: sdk.TestID{Suite: "s", Test: "n"}, Status: sdk.Passed, Elapsed: 1, Root: "r", Container: true, Derived: true, Location: sdk.Location{File: "f", Line: 1}}
	sink.Test(full)
	sink.Failure(sdk.Failure{Message: "m"})
	sink.Suite(sdk.SuiteResult{Suite: "s"})
	sink.Unread(sdk.Unread{Bytes: 1})
	sink.Note("n")
	sink.RunError("e")
	sink.Output([]byte("o"))
	if err := sink.sendProgress(sdk.Progress{Passed: 1}); err != nil {
		t.Fatal(err)
	}
	sink.Test(sdk.TestResult{TestID: sdk.TestID{Test: "bare"}, Status: sdk.Skipped})
	if err := sink.flush(); err != nil {
		t.Fatal(err)
	}
	want := &pb.ParseTestFailuresResponse{Tests: []*pb.TestResult{{Id: &pb.TestId{Name: "bare"}, Status: pb.Status_STATUS_SKIPPED}}}
	if len(*sent) != 2 || !proto.Equal((*sent)[1], want) {
		t.Errorf("got %v", *sent)
	}
}

func TestAClosedSinkSendsNothing(t *testing.T) {
	sink, sent := sinkTo()
	sink.Test(sdk.TestResult{})
	sink.shut()
	sink.Failure(sdk.Failure{})
	if err := sink.flush(); err != nil || len(*sent) > 0 || sink.waiting() {
		t.Errorf("%v, %d messages, waiting %v", err, len(*sent), sink.waiting())
	}
}

func TestResultsAreSentWithoutAllocations(t *testing.T) {
	sink := newEventSink(func(*codec.Report) error { return nil })
	result := sdk.TestResult{TestID: sdk.TestID{Suite: "example.org/suite", Test: "TestName"}, Status: sdk.Passed, Location: sdk.Location{File: "f"}}
	fill := func() {
		for range 10_000 {
			sink.Test(result)
		}
	}
	fill()
	if n := testing.AllocsPerRun(5, fill); n > 0 {
		t.Errorf("%v allocations for 10000 results", n)
	}
}
