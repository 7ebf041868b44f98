package plugintest

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
)

// promptly is how soon a plugin notices that the host gave up. It is for a busy
// machine; a plugin needs milliseconds.
const promptly = 5 * time.Second

func (s *suite) cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := s.detector.Parse(ctx, sdk.RunInfo{}, client.ParseOptions{ProgressInterval: time.Second}, new(Events))
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range s.sample().Pieces {
		if err := stream.Send(piece.Stream, piece.Data); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	select {
	case <-stream.Done():
	case <-time.After(promptly):
		t.Fatalf("the stream is still open %v after the host gave up", promptly)
	}
	Parse(t, s.detector, s.sample(), WholeChunks) // and the plugin goes on working
}

// sample is a recording to use where any will do.
func (s *suite) sample() Recording {
	if len(s.Recordings) > 0 {
		return s.Recordings[0]
	}
	return Stdout("a line", []byte("a line\n"), sdk.Exit{})
}

// concurrent parses several recordings at once, in turns of small chunks.
func (s *suite) concurrent(t *testing.T) {
	recordings := append([]Recording{s.sample(), Stdout("other", []byte("other output\n"), sdk.Exit{Code: 2})}, s.Recordings...)
	var group sync.WaitGroup
	for _, r := range recordings {
		alone := Parse(t, s.detector, r, WholeChunks)
		group.Go(func() {
			together, err := TryParse(t.Context(), s.detector, r, RandomChunks)
			if err != nil {
				t.Errorf("%s beside others: %v", r.Name, err)
			} else if diff := together.Diff(alone); diff != "" {
				t.Errorf("%s beside others and alone:\n%s", r.Name, diff)
			}
		})
	}
	group.Wait()
}

// incomplete sends streams that break the order of messages.
func (s *suite) incomplete(t *testing.T) {
	start := &pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Start{Start: &pb.RunStart{}}}
	chunk := &pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Chunk{
		Chunk: &pb.OutputChunk{Stream: pb.Stream_STREAM_STDOUT, Data: []byte("text\n")}}}
	for name, messages := range map[string][]*pb.ParseTestFailuresRequest{
		"no message":     nil,
		"no start":       {chunk},
		"no exit":        {start, chunk},
		"only the start": {start},
	} {
		if _, err := s.exchange(t, messages); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%s: the stream ended with %v, want InvalidArgument: it would pass for a complete report", name, err)
		}
	}
}

// newerHost sends fields and values that this version does not have.
func (s *suite) newerHost(t *testing.T) {
	const unusedField, unusedValue = 1000, 99
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, unusedField, protowire.VarintType), 1)
	start := &pb.RunStart{}
	start.ProtoReflect().SetUnknown(unknown)
	other := &pb.ParseTestFailuresRequest{}
	other.ProtoReflect().SetUnknown(unknown)
	_, err := s.exchange(t, []*pb.ParseTestFailuresRequest{
		{Message: &pb.ParseTestFailuresRequest_Start{Start: start}},
		other,
		{Message: &pb.ParseTestFailuresRequest_Chunk{Chunk: &pb.OutputChunk{Stream: unusedValue, Data: []byte("text\n")}}},
		{Message: &pb.ParseTestFailuresRequest_Exit{Exit: &pb.RunExit{}}},
	})
	if err != nil {
		t.Errorf("a parse with unknown additions: %v", err)
	}
	describe := &pb.DescribeRequest{HostCapabilities: []pb.Capability{unusedValue}}
	describe.ProtoReflect().SetUnknown(unknown)
	if _, err := pb.NewDetectorServiceClient(s.conn).Describe(t.Context(), describe); err != nil {
		t.Errorf("Describe with unknown additions: %v", err)
	}
}

// exchange sends messages as they are and returns what came back.
func (s *suite) exchange(t *testing.T, messages []*pb.ParseTestFailuresRequest) ([]*pb.ParseTestFailuresResponse, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	rpc, err := pb.NewDetectorServiceClient(s.conn).ParseTestFailures(ctx, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if err := rpc.Send(m); err != nil {
			break // the answer tells why
		}
	}
	_ = rpc.CloseSend()
	var answers []*pb.ParseTestFailuresResponse
	for {
		m, err := rpc.Recv()
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err != nil {
			return answers, err
		}
		answers = append(answers, m)
	}
}
