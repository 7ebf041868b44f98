package sdk

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// sinkTo returns a sink and what it sent. Messages are copied as gRPC encodes
// them: at once.
func sinkTo() (*eventSink, *[]*pb.ParseTestFailuresResponse) {
	var sent []*pb.ParseTestFailuresResponse
	return &eventSink{send: func(m *pb.ParseTestFailuresResponse) error {
		sent = append(sent, proto.CloneOf(m))
		return nil
	}}, &sent
}

func TestOnlyBadNewsCannotWait(t *testing.T) {
	for _, test := range []struct {
		name   string
		report func(Sink)
		urgent bool
	}{
		{"a test", func(s Sink) { s.Test(TestResult{Status: Failed}) }, false},
		{"a suite", func(s Sink) { s.Suite(SuiteResult{}) }, false},
		{"output", func(s Sink) { s.Output([]byte("x")) }, false},
		{"a failure", func(s Sink) { s.Failure(Failure{}) }, true},
		{"a run error", func(s Sink) { s.RunError("x") }, true},
		{"a failure that fills a message", func(s Sink) { s.Test(TestResult{}); s.Failure(Failure{Output: string(make([]byte, batchSize))}) }, true},
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

func TestNothingOfAMessageStaysInTheNext(t *testing.T) {
	sink, sent := sinkTo()
	full := TestResult{ID: TestID{"s", "n"}, Status: Passed, Elapsed: 1, Root: "r", Container: true, Derived: true, Location: Location{File: "f", Line: 1}}
	sink.Test(full)
	sink.Failure(Failure{Message: "m"})
	sink.Suite(SuiteResult{Suite: "s"})
	sink.Unread(Unread{Bytes: 1})
	sink.Note("n")
	sink.RunError("e")
	sink.Output([]byte("o"))
	if err := sink.progress(Progress{Passed: 1}); err != nil {
		t.Fatal(err)
	}
	sink.Test(TestResult{ID: TestID{Name: "bare"}, Status: Skipped})
	if err := sink.flush(); err != nil {
		t.Fatal(err)
	}
	want := &pb.ParseTestFailuresResponse{Tests: []*pb.TestResult{{Id: &pb.TestId{Name: "bare"}, Status: pb.Status_STATUS_SKIPPED}}}
	if len(*sent) != 2 || !proto.Equal((*sent)[1], want) {
		t.Errorf("got %v", *sent)
	}
}

func TestAShutSinkSendsNothing(t *testing.T) {
	sink, sent := sinkTo()
	sink.Test(TestResult{})
	sink.shut()
	sink.Failure(Failure{})
	if err := sink.flush(); err != nil || len(*sent) > 0 || sink.waiting() {
		t.Errorf("%v, %d messages, waiting %v", err, len(*sent), sink.waiting())
	}
}

func TestAResultCostsNoMemory(t *testing.T) {
	sink := &eventSink{send: func(*pb.ParseTestFailuresResponse) error { return nil }}
	result := TestResult{ID: TestID{Suite: "example.org/suite", Name: "TestName"}, Status: Passed, Location: Location{File: "f"}}
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
