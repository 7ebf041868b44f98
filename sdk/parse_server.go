package sdk

import (
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

func (s *server) ParseTestFailures(rpc grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error {
	start, err := firstStart(rpc.Recv, (*pb.ParseTestFailuresRequest).GetStart, runInput)
	if err != nil {
		return err
	}
	sink := &eventSink{send: rpc.Send}
	parser := s.detector.ParseTestFailures(rpc.Context(), runInfoFrom(start), sink)
	if parser == nil {
		return status.Error(codes.Internal, "the detector's ParseTestFailures returned no parser")
	}
	f := &feed{
		parser: parser,
		out:    sink,
		receive: func() input {
			m, err := rpc.Recv()
			return runInput(m, err)
		},
		interval: time.Duration(max(start.GetProgressIntervalMillis(), 0)) * time.Millisecond,
	}
	if p, ok := parser.(ProgressParser); ok && f.interval > 0 {
		f.snapshot = func() error { return sink.progress(p.Progress()) }
	}
	return f.run(rpc.Context())
}

func (s *server) ParseList(rpc grpc.BidiStreamingServer[pb.ParseListRequest, pb.ParseListResponse]) error {
	lister, err := s.lister()
	if err != nil {
		return err
	}
	start, err := firstStart(rpc.Recv, (*pb.ParseListRequest).GetStart, listInput)
	if err != nil {
		return err
	}
	sink := &listSink{send: rpc.Send}
	req, cmd := listStartFrom(start)
	parser := lister.ParseList(rpc.Context(), req, cmd, sink)
	if parser == nil {
		return status.Error(codes.Internal, "the detector's ParseList returned no parser")
	}
	f := &feed{
		parser: parser,
		out:    sink,
		receive: func() input {
			m, err := rpc.Recv()
			return listInput(m, err)
		},
	}
	return f.run(rpc.Context())
}

func runInput(m *pb.ParseTestFailuresRequest, err error) input {
	if m.GetStart() != nil {
		err = errSecondStart()
	}
	return input{chunk: m.GetChunk(), exit: m.GetExit(), err: err}
}

func listInput(m *pb.ParseListRequest, err error) input {
	if m.GetStart() != nil {
		err = errSecondStart()
	}
	return input{chunk: m.GetChunk(), exit: m.GetExit(), err: err}
}

func errSecondStart() error {
	return status.Error(codes.InvalidArgument, "a stream has one start message, and a second one came")
}

// firstStart receives the start message, before which only messages of a kind
// unknown here may come.
func firstStart[M, S any](receive func() (*M, error), start func(*M) *S, as func(*M, error) input) (*S, error) {
	for {
		m, err := receive()
		if errors.Is(err, io.EOF) {
			return nil, status.Error(codes.InvalidArgument, "the stream ended without a start message")
		}
		if err != nil {
			return nil, err
		}
		if s := start(m); s != nil {
			return s, nil
		}
		if in := as(m, nil); in.chunk != nil || in.exit != nil {
			return nil, status.Error(codes.InvalidArgument, "the first message of a stream must be its start")
		}
	}
}
