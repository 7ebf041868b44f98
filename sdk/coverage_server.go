package sdk

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

func (s *server) IndexCmd(ctx context.Context, m *pb.IndexCmdRequest) (*pb.IndexCmdResponse, error) {
	indexer, ok := s.detector.(Indexer)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this plugin measures no tests one by one: its detector implements no sdk.Indexer")
	}
	plan, err := indexer.IndexCmd(ctx, indexRequestFrom(m))
	return &pb.IndexCmdResponse{Commands: commandsTo(plan.Commands), Warnings: warningsTo(plan)}, asStatus(err)
}

func (s *server) ParseCoverage(m *pb.ParseCoverageRequest, rpc grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
	reader, ok := s.detector.(CoverageReader)
	if !ok {
		return status.Error(codes.Unimplemented, "this plugin reads no coverage: its detector implements no sdk.CoverageReader")
	}
	sink := &coverageSink{send: rpc.Send}
	// A reader may have left a goroutine behind.
	defer sink.shut()
	if err := reader.ParseCoverage(rpc.Context(), coverageRequestFrom(m), sink); err != nil {
		return asStatus(err)
	}
	return sink.failure()
}

func (s *server) Outline(m *pb.OutlineRequest, rpc grpc.ServerStreamingServer[pb.OutlineResponse]) error {
	outliner, ok := s.detector.(Outliner)
	if !ok {
		return status.Error(codes.Unimplemented, "this plugin divides no source files: its detector implements no sdk.Outliner")
	}
	sink := &outlineSink{send: rpc.Send}
	defer sink.shut()
	req := OutlineRequest{Workspace: workspaceFrom(m.GetWorkspace()), Files: m.GetFiles()}
	if err := outliner.Outline(rpc.Context(), req, sink); err != nil {
		return asStatus(err)
	}
	return sink.finish()
}
