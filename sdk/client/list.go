package client

import (
	"context"

	"google.golang.org/grpc"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// ParseList opens a stream for the output of one command of ListCmd. It requires
// Identity.List. A suite may arrive in several calls of ListSink.Suite, and a part in
// several of ListSink.Part: they add up.
func (d *Detector) ParseList(ctx context.Context, req sdk.ListRequest, cmd sdk.Command, sink sdk.ListSink) (*ParseStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	rpc, err := d.rpc.ParseList(ctx)
	if err != nil {
		cancel()
		return nil, codec.DecodeError(err)
	}
	s := startDelivery(listSender{rpc}, cancel, func() error {
		m, err := rpc.Recv()
		if err != nil {
			return err
		}
		for _, suite := range m.GetSuites() {
			sink.Suite(codec.DecodeListedSuite(suite))
		}
		for _, part := range m.GetParts() {
			sink.Part(codec.DecodeListedPart(part))
		}
		for _, text := range m.GetErrors() {
			sink.Error(text)
		}
		return nil
	})
	start := &pb.ParseListRequest_Start{Start: codec.EncodeListStart(req, cmd)}
	if err := rpc.Send(&pb.ParseListRequest{Message: start}); err != nil {
		return nil, s.sendError(err)
	}
	return s, nil
}

type listSender struct {
	rpc grpc.BidiStreamingClient[pb.ParseListRequest, pb.ParseListResponse]
}

func (s listSender) sendChunk(stream pb.Stream, data []byte) error {
	return s.rpc.Send(&pb.ParseListRequest{Message: &pb.ParseListRequest_Chunk{Chunk: &pb.OutputChunk{Stream: stream, Data: data}}})
}

func (s listSender) sendExit(e *pb.RunExit) error {
	if err := s.rpc.Send(&pb.ParseListRequest{Message: &pb.ParseListRequest_Exit{Exit: e}}); err != nil {
		return err
	}
	return s.rpc.CloseSend()
}
