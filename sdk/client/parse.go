package client

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// EventSink receives what a plugin reports about a run. It is called from one
// goroutine, in order of arrival. The plugin has to wait while a call runs.
type EventSink interface {
	sdk.Sink
	// Progress replaces the snapshot for a live display.
	Progress(sdk.Progress)
}

// ParseOptions are a host's wishes about a parse.
type ParseOptions struct {
	// ProgressInterval is how often snapshots are wanted; 0 means never.
	ProgressInterval time.Duration
}

// Parse opens a stream for the output of one command.
func (d *Detector) Parse(ctx context.Context, run sdk.RunInfo, opts ParseOptions, sink EventSink) (*ParseStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	rpc, err := d.rpc.ParseTestFailures(ctx)
	if err != nil {
		cancel()
		return nil, restoreError(err)
	}
	s := startDelivery(&runSender{rpc: rpc}, cancel, func() error {
		m, err := rpc.Recv()
		if err == nil {
			deliverBatch(m, sink)
		}
		return err
	})
	start := &pb.ParseTestFailuresRequest_Start{Start: codec.EncodeRun(run, opts.ProgressInterval)}
	if err := rpc.Send(&pb.ParseTestFailuresRequest{Message: start}); err != nil {
		return nil, s.sendError(err)
	}
	return s, nil
}

// deliverBatch passes on one batch. An unknown status or outcome is neither a pass nor a
// failure, so it is reported as damage: a plugin must not send one unless the host
// declared that it knows it.
func deliverBatch(m *pb.ParseTestFailuresResponse, sink EventSink) {
	for _, t := range m.GetTests() {
		result := codec.DecodeTest(t)
		if result.Status == "" {
			sink.Unread(unknownValue("status", int32(t.GetStatus()), result.Suite+" "+result.Test))
			continue
		}
		sink.Test(result)
	}
	for _, f := range m.GetFailures() {
		sink.Failure(codec.DecodeFailure(f))
	}
	for _, s := range m.GetSuites() {
		result := codec.DecodeSuite(s)
		if result.Outcome == 0 {
			sink.Unread(unknownValue("outcome", int32(s.GetOutcome()), result.Suite))
			continue
		}
		sink.Suite(result)
	}
	for _, u := range m.GetUnread() {
		sink.Unread(codec.DecodeUnread(u))
	}
	for _, text := range m.GetNotes() {
		sink.Note(text)
	}
	for _, text := range m.GetRunErrors() {
		sink.RunError(text)
	}
	for _, r := range m.GetRefusals() {
		sdk.Refuse(sink, codec.DecodeRefusal(r))
	}
	for name, value := range m.GetConditions() {
		sink.Condition(name, value)
	}
	if data := m.GetOutput(); len(data) > 0 {
		sink.Output(data)
	}
	if p := m.GetProgress(); p != nil {
		sink.Progress(codec.DecodeProgress(p))
	}
}

func unknownValue(what string, value int32, of string) sdk.Unread {
	return sdk.Unread{Damaged: true, Sample: fmt.Sprintf("the plugin sent the unknown %s %d for %s", what, value, of)}
}

// runSender reuses one message: gRPC has encoded it when Send returns.
type runSender struct {
	rpc     grpc.BidiStreamingClient[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]
	message pb.ParseTestFailuresRequest
	piece   pb.ParseTestFailuresRequest_Chunk
	content pb.OutputChunk
}

func (s *runSender) sendChunk(stream pb.Stream, data []byte) error {
	s.content.Stream, s.content.Data = stream, data
	s.piece.Chunk = &s.content
	s.message.Message = &s.piece
	err := s.rpc.Send(&s.message)
	s.content.Data = nil
	return err
}

func (s *runSender) sendExit(e *pb.RunExit) error {
	if err := s.rpc.Send(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Exit{Exit: e}}); err != nil {
		return err
	}
	return s.rpc.CloseSend()
}
