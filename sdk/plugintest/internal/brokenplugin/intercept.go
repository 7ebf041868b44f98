package brokenplugin

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// newInterceptors returns the faults below the detector.
func newInterceptors(mode string) []grpc.ServerOption {
	describes := new(atomic.Int32)
	unary := func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
		switch {
		case mode == "small-messages" && proto.Size(req.(proto.Message)) > 1<<20:
			return nil, status.Error(codes.ResourceExhausted, "more than 1 MiB")
		case mode == "strict-describe" && len(req.(proto.Message).ProtoReflect().GetUnknown()) > 0:
			return nil, status.Error(codes.InvalidArgument, "unknown field")
		}
		answer, err := handler(ctx, req)
		if m, ok := answer.(*pb.DescribeResponse); ok {
			switch mode {
			case "never-describes":
				<-ctx.Done()
				// The answer could still arrive in time by the other side's clock.
				return nil, status.FromContextError(ctx.Err()).Err()
			case "changes-its-mind":
				m.Tools = append(m.Tools, fmt.Sprint("tool", describes.Add(1)))
			case "prints-later":
				fmt.Println("somebody asked who I am")
			}
		}
		if mode == "undeclared-call" && strings.HasSuffix(info.FullMethod, "/Scaffold") {
			return &pb.ScaffoldResponse{}, nil
		}
		return answer, err
	}
	slots := make(chan struct{}, 8)
	stream := func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if mode == "ignores-cancel" {
			slots <- struct{}{} // like a server with this many threads
		}
		open.Add(1)
		err := handler(srv, &tamperingStream{ServerStream: s, mode: mode})
		open.Add(-1)
		switch {
		case mode == "accepts-incomplete" && status.Code(err) == codes.InvalidArgument:
			return nil
		case mode == "ignores-cancel" && s.Context().Err() == nil:
			<-slots
		}
		return err
	}
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(unary), grpc.ChainStreamInterceptor(stream)}
}

// tamperingStream is a stream with faults in its messages.
type tamperingStream struct {
	grpc.ServerStream
	mode string
}

func (t *tamperingStream) RecvMsg(m any) error {
	err := t.ServerStream.RecvMsg(m)
	received, ok := m.(*codec.Request)
	if !ok {
		return err
	}
	request := &received.Message
	if t.mode == "drops-unknown-streams" && request.GetChunk().GetStream() > pb.Stream_STREAM_STDERR {
		request.GetChunk().Data = nil
	}
	if err == nil && t.mode == "strict-stream" && (len(request.ProtoReflect().GetUnknown()) > 0 || request.GetChunk().GetStream() > pb.Stream_STREAM_STDERR) {
		return status.Error(codes.InvalidArgument, "unknown message")
	}
	return err
}

// tooLong exceeds the limit of a note.
const tooLong = 70 << 10

func (t *tamperingStream) SendMsg(m any) error {
	report, ok := m.(*codec.Report)
	if !ok || len(report.Rest.GetRunErrors()) == 0 {
		return t.ServerStream.SendMsg(m)
	}
	encoded, err := report.Append(make([]byte, 0, report.Size()))
	if err != nil {
		return err
	}
	changed := new(pb.ParseTestFailuresResponse)
	if err := proto.Unmarshal(encoded, changed); err != nil {
		return err
	}
	switch t.mode {
	case "blocks-unreported":
		changed.Failures = append(changed.Failures, &pb.Failure{Id: &pb.TestId{Suite: suite}, Kind: "build", Blocks: []string{"other"}})
	case "nameless":
		changed.Tests = append(changed.Tests, &pb.TestResult{Id: &pb.TestId{Suite: suite}, Status: pb.Status_STATUS_SKIPPED})
	case "empty-containers":
		changed.Tests = append(changed.Tests, &pb.TestResult{Id: &pb.TestId{Suite: "other", Name: "odd"}, Status: pb.Status_STATUS_PASSED, Container: true})
	case "ended-alone":
		changed.Tests = append(changed.Tests, &pb.TestResult{Id: &pb.TestId{Suite: "other", Name: "odd"}, Status: pb.Status_STATUS_SKIPPED, Ended: true})
	case "endless-suite":
		changed.Tests = append(changed.Tests, &pb.TestResult{Id: &pb.TestId{Suite: "other", Name: "odd"}, Status: pb.Status_STATUS_SKIPPED})
	case "derived-alone":
		changed.Tests = append(changed.Tests, &pb.TestResult{Id: &pb.TestId{Suite: "other", Name: "odd"}, Status: pb.Status_STATUS_FAILED, Derived: true})
	case "long-note":
		changed.Notes = append(changed.Notes, strings.Repeat("x", tooLong))
	case "unknown-status":
		changed.Tests = append(changed.Tests, &pb.TestResult{Id: &pb.TestId{Suite: suite, Name: "odd"}, Status: 42})
	case "file-outside":
		changed.Failures = append(changed.Failures, &pb.Failure{Kind: "odd", Location: &pb.Location{File: "../../etc/passwd", Line: 1}})
	}
	return t.ServerStream.SendMsg(changed)
}
