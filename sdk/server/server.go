package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	protocodec "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/internal/fit"
)

// New returns a server for cfg's detector with the protocol's message limits. Plugins
// call [Serve]; New is for tests that want the real server without a process, like
// package plugintest.
func New(cfg Config, opts ...grpc.ServerOption) *grpc.Server {
	s := newGRPCServer(opts)
	pb.RegisterDetectorServiceServer(s, &service{description: cfg.Description, detector: cfg.Detector})
	return s
}

func newGRPCServer(opts []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(opts,
		grpc.ForceServerCodecV2(streamCodec{encoding.GetCodecV2(protocodec.Name)}),
		grpc.MaxRecvMsgSize(sdk.MaxMessage),
		grpc.MaxSendMsgSize(sdk.MaxMessage),
		grpc.InitialWindowSize(streamWindow),
		grpc.InitialConnWindowSize(streamWindow),
		grpc.ChainUnaryInterceptor(recoverUnary),
		grpc.ChainStreamInterceptor(recoverStream),
	)...)
}

// service answers the protocol's calls with a Detector.
type service struct {
	pb.UnimplementedDetectorServiceServer
	description sdk.Description
	detector    sdk.Detector
}

func (s *service) Describe(context.Context, *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	// Snapshots are taken whenever a parser offers them, and files are read for it.
	capabilities := []pb.Capability{pb.Capability_CAPABILITY_PROGRESS, pb.Capability_CAPABILITY_FILES}
	if _, ok := s.detector.(sdk.Lister); ok {
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
	if _, ok := s.detector.(sdk.Scaffolder); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_SCAFFOLD)
	}
	if _, ok := s.detector.(sdk.CoverageReader); ok && s.description.Cover {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_COVER)
	}
	if _, ok := s.detector.(sdk.Indexer); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_INDEX)
	}
	if _, ok := s.detector.(sdk.Lister); ok && s.description.Dependencies {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_DEPENDENCIES)
	}
	if _, ok := s.detector.(sdk.Outliner); ok {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_OUTLINE)
	}
	if s.description.Cached {
		capabilities = append(capabilities, pb.Capability_CAPABILITY_CACHED)
	}
	m := codec.EncodeDescription(s.description)
	m.SdkVersion, m.Capabilities = sdkVersion(), capabilities
	return m, nil
}

func (s *service) Detect(ctx context.Context, m *pb.DetectRequest) (*pb.DetectResponse, error) {
	ws := codec.DecodeWorkspace(m.GetWorkspace())
	detector, ok := s.detector.(sdk.ProjectDetector)
	if !ok {
		found, err := hasMarker(ws.Root, s.description.Markers)
		return &pb.DetectResponse{Detected: found}, toStatus(err)
	}
	detection, err := detector.Detect(ctx, ws)
	return codec.EncodeDetection(detection), toStatus(err)
}

// hasMarker reports whether root contains one of the markers.
func hasMarker(root string, markers []string) (bool, error) {
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

func (s *service) TestCmd(ctx context.Context, m *pb.TestCmdRequest) (*pb.TestCmdResponse, error) {
	plan, err := s.detector.TestCmd(ctx, codec.DecodeTestRequest(m))
	return codec.EncodeTestPlan(plan), toStatus(err)
}

func (s *service) RerunCmd(ctx context.Context, m *pb.RerunCmdRequest) (*pb.RerunCmdResponse, error) {
	plan, err := s.detector.RerunCmd(ctx, codec.DecodeRerunRequest(m))
	return codec.EncodeRerunPlan(plan), toStatus(err)
}

func (s *service) ListCmd(ctx context.Context, m *pb.ListCmdRequest) (*pb.ListCmdResponse, error) {
	lister, err := s.lister()
	if err != nil {
		return nil, err
	}
	plan, err := lister.ListCmd(ctx, codec.DecodeListRequest(m))
	return codec.EncodeListPlan(plan), toStatus(err)
}

func (s *service) Scaffold(ctx context.Context, m *pb.ScaffoldRequest) (*pb.ScaffoldResponse, error) {
	scaffolder, ok := s.detector.(sdk.Scaffolder)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this plugin accepts no source sets: its detector does not implement sdk.Scaffolder")
	}
	scaffold, err := scaffolder.Scaffold(ctx, codec.DecodeScaffoldRequest(m))
	return codec.EncodeScaffold(scaffold), toStatus(err)
}

func (s *service) lister() (sdk.Lister, error) {
	lister, ok := s.detector.(sdk.Lister)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this plugin cannot list tests: its detector does not implement sdk.Lister")
	}
	return lister, nil
}

func (s *service) IndexCmd(ctx context.Context, m *pb.IndexCmdRequest) (*pb.IndexCmdResponse, error) {
	indexer, ok := s.detector.(sdk.Indexer)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "this plugin cannot measure tests one by one: its detector does not implement sdk.Indexer")
	}
	plan, err := indexer.IndexCmd(ctx, codec.DecodeIndexRequest(m))
	return codec.EncodeIndexPlan(plan), toStatus(err)
}

func (s *service) ParseCoverage(m *pb.ParseCoverageRequest, rpc grpc.ServerStreamingServer[pb.ParseCoverageResponse]) error {
	reader, ok := s.detector.(sdk.CoverageReader)
	if !ok {
		return status.Error(codes.Unimplemented, "this plugin cannot read coverage: its detector does not implement sdk.CoverageReader")
	}
	sink := newCoverageSink(rpc.Send)
	// A reader may have left a goroutine behind.
	defer sink.shut()
	if err := reader.ParseCoverage(rpc.Context(), codec.DecodeCoverageRequest(m), sink); err != nil {
		return toStatus(err)
	}
	return sink.flush()
}

func (s *service) Outline(m *pb.OutlineRequest, rpc grpc.ServerStreamingServer[pb.OutlineResponse]) error {
	outliner, ok := s.detector.(sdk.Outliner)
	if !ok {
		return status.Error(codes.Unimplemented, "this plugin cannot split source files: its detector does not implement sdk.Outliner")
	}
	sink := newOutlineSink(rpc.Send)
	defer sink.shut()
	req := sdk.OutlineRequest{Workspace: codec.DecodeWorkspace(m.GetWorkspace()), Files: m.GetFiles()}
	if err := outliner.Outline(rpc.Context(), req, sink); err != nil {
		return toStatus(err)
	}
	return sink.flush()
}

func (s *service) ParseTestFailures(rpc grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]) error {
	start, err := firstStart(rpc.Recv, (*pb.ParseTestFailuresRequest).GetStart, runInput)
	if err != nil {
		return err
	}
	sink := newEventSink(func(r *codec.Report) error { return rpc.SendMsg(r) })
	run, interval := codec.DecodeRun(start)
	parser := s.detector.ParseTestFailures(rpc.Context(), run, sink)
	if parser == nil {
		return status.Error(codes.Internal, "the detector's ParseTestFailures returned no parser")
	}
	// A message that was read is received into again.
	read := make(chan *codec.Request, readAhead)
	f := &feed{
		parser: parser,
		out:    sink,
		receive: func() input {
			var r *codec.Request
			select {
			case r = <-read:
			default:
				r = new(codec.Request)
			}
			err := rpc.RecvMsg(r)
			in := runInput(&r.Message, err)
			in.release = func() {
				select {
				case read <- r:
				default:
				}
			}
			return in
		},
		fileRead: sink.sendFileRead,
		interval: interval,
	}
	if p, ok := parser.(sdk.ProgressParser); ok && f.interval > 0 {
		f.snapshot = func() error { return sink.sendProgress(p.Progress()) }
	}
	return f.run(rpc.Context())
}

func (s *service) ParseList(rpc grpc.BidiStreamingServer[pb.ParseListRequest, pb.ParseListResponse]) error {
	lister, err := s.lister()
	if err != nil {
		return err
	}
	start, err := firstStart(rpc.Recv, (*pb.ParseListRequest).GetStart, listInput)
	if err != nil {
		return err
	}
	sink := newListSink(rpc.Send)
	parser := lister.ParseList(rpc.Context(), codec.DecodeListRequest(start), codec.DecodeCommand(start.GetCommand()), sink)
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
	return input{chunk: m.GetChunk(), file: m.GetFile(), exit: m.GetExit(), err: err}
}

func listInput(m *pb.ParseListRequest, err error) input {
	if m.GetStart() != nil {
		err = errSecondStart()
	}
	return input{chunk: m.GetChunk(), exit: m.GetExit(), err: err}
}

func errSecondStart() error {
	return status.Error(codes.InvalidArgument, "received a second start message: a stream has exactly one")
}

// firstStart receives the start message. Only messages of an unknown kind may precede
// it.
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
		if in := as(m, nil); in.chunk != nil || in.file != nil || in.exit != nil {
			return nil, status.Error(codes.InvalidArgument, "the first message of a stream must be its start")
		}
	}
}

// gRPC handlers do not recover: without these two a panic in one call would end
// the process, and with it every other stream of the plugin.

func recoverUnary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = newPanicError(r)
		}
	}()
	return handler(ctx, req)
}

func recoverStream(srv any, ss grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = newPanicError(r)
		}
	}()
	return handler(srv, ss)
}

// newPanicError describes a recovered panic.
func newPanicError(recovered any) error {
	return codec.EncodePanic(&sdk.PanicError{Value: fmt.Sprint(recovered), Stack: string(debug.Stack())}).Err()
}

// toStatus converts any error of a detector to one that gRPC can carry.
func toStatus(err error) error {
	var refusal *sdk.Error
	var panicked *sdk.PanicError
	var carrier interface{ GRPCStatus() *status.Status }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refusal):
		return codec.EncodeError(refusal).Err()
	case errors.As(err, &panicked):
		return codec.EncodePanic(panicked).Err()
	case errors.As(err, &carrier):
		return carrier.GRPCStatus().Err()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return status.FromContextError(err).Err()
	}
	return status.Error(codes.Unknown, fit.Text(err.Error(), maxErrorText))
}

// maxErrorText bounds an error's text: the HTTP/2 trailers that carry it should not
// carry more.
const maxErrorText = 16 << 10

// streamWindow is how much output may be in flight. It is fixed: to find the best
// window, grpc-go sends a ping with every message, which in a slow stream costs more
// than the message.
const streamWindow = 256 << 10
