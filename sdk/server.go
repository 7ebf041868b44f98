package sdk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/wire"
)

// NewGRPCServer returns a server of cfg's detector with the protocol's message
// limits. [Serve] is what a plugin calls; this is for tests that want the real
// server without a process, as package plugintest does.
func NewGRPCServer(cfg ServeConfig, opts ...grpc.ServerOption) *grpc.Server {
	s := newGRPCServer(opts)
	pb.RegisterDetectorServiceServer(s, &server{description: cfg.Description, detector: cfg.Detector})
	return s
}

func newGRPCServer(opts []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(opts,
		grpc.MaxRecvMsgSize(MaxMessage),
		grpc.MaxSendMsgSize(MaxMessage),
		grpc.InitialWindowSize(streamWindow),
		grpc.InitialConnWindowSize(streamWindow),
		grpc.ChainUnaryInterceptor(recoverUnary),
		grpc.ChainStreamInterceptor(recoverStream),
	)...)
}

// server answers the protocol's calls with a Detector.
type server struct {
	pb.UnimplementedDetectorServiceServer
	description Description
	detector    Detector
}

func (s *server) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	// Snapshots are taken whenever a parser offers them.
	capabilities := []pb.Capability{pb.Capability_CAPABILITY_PROGRESS}
	if _, ok := s.detector.(Lister); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_LIST)
	}
	if s.description.OutputOf {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_OUTPUT_OF)
	}
	if s.description.Seed {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_SEED)
	}
	if s.description.Locate {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_LOCATE)
	}
	if _, ok := s.detector.(Scaffolder); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_SCAFFOLD)
	}
	if _, ok := s.detector.(CoverageReader); ok && s.description.Cover {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_COVER)
	}
	if _, ok := s.detector.(Indexer); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_INDEX)
	}
	if _, ok := s.detector.(Lister); ok && s.description.Dependencies {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_DEPENDENCIES)
	}
	if _, ok := s.detector.(Outliner); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_OUTLINE)
	}
	return descriptionTo(s.description, capabilities), nil
}

func (s *server) Detect(ctx context.Context, m *pb.DetectRequest) (*pb.DetectResponse, error) {
	ws := workspaceFrom(m.GetWorkspace())
	detector, ok := s.detector.(ProjectDetector)
	if !ok {
		found, err := anyMarker(ws.Root, s.description.Markers)
		return &pb.DetectResponse{Detected: found}, asStatus(err)
	}
	detection, err := detector.Detect(ctx, ws)
	return detectionTo(detection), asStatus(err)
}

// anyMarker reports whether root holds one of the markers.
func anyMarker(root string, markers []string) (bool, error) {
	for _, marker := range markers {
		_, err := os.Stat(filepath.Join(root, marker))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return false, nil
}

func (s *server) TestCmd(ctx context.Context, m *pb.TestCmdRequest) (*pb.TestCmdResponse, error) {
	plan, err := s.detector.TestCmd(ctx, testRequestFrom(m))
	return &pb.TestCmdResponse{
		Commands: commandsTo(plan.Commands), Warnings: warningsTo(plan), NarrowedBy: wire.Names(plan.NarrowedBy),
		Seed: wire.Name(plan.Seed), Outputs: wire.Args(plan.Outputs), Way: wayTo(plan.Way),
	}, asStatus(err)
}

func (s *server) RerunCmd(ctx context.Context, m *pb.RerunCmdRequest) (*pb.RerunCmdResponse, error) {
	plan, err := s.detector.RerunCmd(ctx, rerunRequestFrom(m))
	return &pb.RerunCmdResponse{Commands: commandsTo(plan.Commands), Warnings: warningsTo(plan), Way: wayTo(plan.Way)}, asStatus(err)
}

func (s *server) ListCmd(ctx context.Context, m *pb.ListCmdRequest) (*pb.ListCmdResponse, error) {
	lister, err := s.lister()
	if err != nil {
		return nil, err
	}
	plan, err := lister.ListCmd(ctx, listRequestFrom(m))
	return &pb.ListCmdResponse{Commands: commandsTo(plan.Commands), Warnings: warningsTo(plan)}, asStatus(err)
}

func (s *server) Scaffold(ctx context.Context, m *pb.ScaffoldRequest) (*pb.ScaffoldResponse, error) {
	scaffolder, ok := s.detector.(Scaffolder)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this plugin takes no source sets: its detector implements no sdk.Scaffolder")
	}
	scaffold, err := scaffolder.Scaffold(ctx, scaffoldRequestFrom(m))
	return scaffoldTo(scaffold), asStatus(err)
}

func (s *server) lister() (Lister, error) {
	lister, ok := s.detector.(Lister)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this plugin cannot list tests: its detector implements no sdk.Lister")
	}
	return lister, nil
}
