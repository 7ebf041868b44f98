package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/plugintest/golden"
)

// abandonedCalls is how many calls the host abandons: more than a server has threads, so
// that one that keeps working on them cannot take the next.
const abandonedCalls = 32

// checkCancel abandons many streams in the middle. Whether a plugin noticed shows in what
// it can do afterwards.
func checkCancel(ctx context.Context, s *subject, p *probe) {
	sample := s.sample()
	for range abandonedCalls {
		if err := giveUpStream(ctx, s, sample); err != nil {
			s.reportBroken(ctx, p, "a stream that the host was about to give up", err)
			return
		}
	}
	sample.Name = fmt.Sprintf("%s after %d calls were cancelled", sample.Name, abandonedCalls)
	s.playFor(ctx, p, sample, golden.WholeChunks, patience)
}

// giveUpStream opens a stream, makes sure that it arrived, and cancels it.
func giveUpStream(ctx context.Context, s *subject, r golden.Recording) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stream, err := s.detector.Parse(ctx, r.Run, client.ParseOptions{ProgressInterval: time.Second}, new(golden.Events))
	if err != nil {
		return err
	}
	defer stream.Cancel()
	for _, piece := range r.Pieces {
		if err := stream.Send(piece.Stream, piece.Data); err != nil {
			return err
		}
	}
	// What follows the stream on the connection arrives after it.
	_, err = s.detector.Describe(ctx, "beside a stream")
	return err
}

// sample returns any recording.
func (s *subject) sample() golden.Recording {
	if len(s.Recordings) > 0 {
		return s.Recordings[0]
	}
	return golden.Stdout("a line", []byte("a line\n"), sdk.Exit{})
}

// mixedChunk is small, so that two outputs take many turns.
const mixedChunk = 7

// checkConcurrent parses a recording beside another, taking turns with small chunks.
func checkConcurrent(ctx context.Context, s *subject, p *probe) {
	proved := false
	recordings := append([]golden.Recording{golden.Stdout("other", []byte("other output\n"), sdk.Exit{Code: 2})}, s.Recordings...)
	for i, r := range recordings {
		if r.Size() > smallOutput {
			continue
		}
		other := recordings[(i+1)%len(recordings)]
		alone, ok := s.play(ctx, p, r, golden.WholeChunks)
		if !ok {
			return
		}
		proved = proved || hasResults(alone)
		beside, err := interleaveParses(ctx, s, r, other)
		if err != nil {
			s.reportBroken(ctx, p, fmt.Sprintf("the output %q beside %q", r.Name, other.Name), err)
			return
		}
		if diff := beside.Diff(alone); diff != "" {
			p.fail(fmt.Sprintf("%s beside %s, and alone: %s", r.Name, other.Name, diff), "keep the state of a parse in the call, not in global variables")
		}
	}
	if s.hasRecordings(p) && !proved {
		p.skip(fmt.Sprintf("the plugin reports no test of any recorded output of at most %d KiB: record a small run of its own runner", smallOutput>>10))
	}
}

// interleaveParses parses two outputs in turns and returns the report on the first.
func interleaveParses(ctx context.Context, s *subject, one, two golden.Recording) (*golden.Events, error) {
	ctx, cancel := context.WithTimeout(ctx, s.ParseLimit)
	defer cancel()
	reports := [2]*golden.Events{{}, {}}
	var streams [2]*client.ParseStream
	var left [2][]golden.Piece
	for i, r := range []golden.Recording{one, two} {
		stream, err := s.detector.Parse(ctx, r.Run, client.ParseOptions{}, reports[i])
		if err != nil {
			return nil, err
		}
		defer stream.Cancel()
		streams[i] = stream
		for _, piece := range r.Pieces {
			for _, data := range golden.Chunking(mixedChunk).Cut(piece.Data) {
				left[i] = append(left[i], golden.Piece{Stream: piece.Stream, Data: data})
			}
		}
	}
	for len(left[0])+len(left[1]) > 0 {
		for i := range streams {
			if len(left[i]) == 0 {
				continue
			}
			if err := streams[i].Send(left[i][0].Stream, left[i][0].Data); err != nil {
				return nil, err
			}
			left[i] = left[i][1:]
		}
	}
	return reports[0], errors.Join(streams[0].Close(one.Exit), streams[1].Close(two.Exit))
}

func startMessage() *pb.ParseTestFailuresRequest {
	return &pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Start{Start: &pb.RunStart{}}}
}

func chunkMessage(stream pb.Stream, data []byte) *pb.ParseTestFailuresRequest {
	return &pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Chunk{Chunk: &pb.OutputChunk{Stream: stream, Data: data}}}
}

// checkIncomplete sends streams that violate the order of messages.
func checkIncomplete(ctx context.Context, s *subject, p *probe) {
	start, chunk := startMessage(), chunkMessage(pb.Stream_STREAM_STDOUT, []byte("text\n"))
	for name, messages := range map[string][]*pb.ParseTestFailuresRequest{
		"no message":     nil,
		"no start":       {chunk},
		"no exit":        {start, chunk},
		"only the start": {start},
	} {
		if _, err := s.exchange(ctx, messages); status.Code(err) != codes.InvalidArgument {
			p.fail(fmt.Sprintf("a stream with %s ended with %v instead of InvalidArgument", name, status.Code(err)),
				"reject it: it would pass for a complete report")
		}
	}
}

const (
	// unusedField and unusedValue occur in no message or enumeration.
	unusedField, unusedValue = 1000, 99
)

// checkNewerHost sends fields and values that this version does not have.
func checkNewerHost(ctx context.Context, s *subject, p *probe) {
	const advice = "ignore what you do not know"
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, unusedField, protowire.VarintType), 1)
	start, other := startMessage(), &pb.ParseTestFailuresRequest{}
	start.GetStart().ProtoReflect().SetUnknown(unknown)
	other.ProtoReflect().SetUnknown(unknown)
	if _, err := s.exchange(ctx, []*pb.ParseTestFailuresRequest{
		start, other, chunkMessage(unusedValue, []byte("text\n")),
		{Message: &pb.ParseTestFailuresRequest_Exit{Exit: &pb.RunExit{}}},
	}); err != nil {
		p.fail("a parse with an unknown message, field and stream ended with: "+err.Error(), advice)
	}
	checkUnknownStream(ctx, s, p)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	describe := &pb.DescribeRequest{HostCapabilities: []pb.Capability{unusedValue}}
	describe.ProtoReflect().SetUnknown(unknown)
	if _, err := pb.NewDetectorServiceClient(s.conn).Describe(ctx, describe); err != nil {
		p.fail("Describe with an unknown capability and field ended with: "+err.Error(), advice)
	}
}

// checkUnknownStream sends standard output as a stream that this version does not have.
func checkUnknownStream(ctx context.Context, s *subject, p *probe) {
	proved := false
	for _, r := range s.Recordings {
		messages := slices.Collect(r.Requests())
		known, err := s.exchange(ctx, messages)
		if err != nil {
			s.reportBroken(ctx, p, fmt.Sprintf("the output %q", r.Name), err)
			return
		}
		if formatResults(known) == "" {
			continue
		}
		for _, m := range messages {
			if chunk := m.GetChunk(); chunk.GetStream() == pb.Stream_STREAM_STDOUT {
				chunk.Stream = unusedValue
				proved = true
			}
		}
		unknown, err := s.exchange(ctx, messages)
		if err != nil {
			s.reportBroken(ctx, p, fmt.Sprintf("the output %q of an unknown stream", r.Name), err)
			return
		}
		if a, b := formatResults(known), formatResults(unknown); a != b {
			p.fail(fmt.Sprintf("%s: the plugin reports %s for standard output, but %s for an unknown stream", r.Name, a, b), "treat an unknown Stream as standard output")
		}
	}
	if s.hasRecordings(p) && !proved {
		p.skip("the plugin reports no test of any recorded standard output: record a run of its own runner")
	}
}

// formatResults returns the tests in answers, in order.
func formatResults(answers []*pb.ParseTestFailuresResponse) string {
	var b strings.Builder
	for _, m := range answers {
		for _, t := range m.GetTests() {
			fmt.Fprintf(&b, "[%s %s %v]", t.GetId().GetSuite(), t.GetId().GetName(), t.GetStatus())
		}
	}
	return b.String()
}

const (
	// bigSize is slightly less than the limit of a message, and tooBigSize slightly
	// more.
	bigSize    = sdk.MaxMessage - 64<<10
	tooBigSize = sdk.MaxMessage + 64<<10
)

// checkBigMessage sends messages on both sides of the limit.
func checkBigMessage(ctx context.Context, s *subject, p *probe) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, c := range []struct {
		size int
		want codes.Code
	}{{bigSize, codes.OK}, {tooBigSize, codes.ResourceExhausted}} {
		request := &pb.DescribeRequest{}
		padding := protowire.AppendTag(nil, unusedField, protowire.BytesType)
		request.ProtoReflect().SetUnknown(protowire.AppendBytes(padding, make([]byte, c.size)))
		_, err := pb.NewDetectorServiceClient(s.conn).Describe(ctx, request, grpc.MaxCallSendMsgSize(2*tooBigSize))
		if code := status.Code(err); code != c.want {
			p.fail(fmt.Sprintf("a message of %d bytes ended with %v, want %v", c.size, err, c.want), "limit received messages to 4 MiB, no more and no less")
		}
	}
	if _, err := s.detector.Describe(ctx, "after a big message"); err != nil {
		s.reportBroken(ctx, p, "Describe after a message that was too big", err)
	}
}

// exchange sends messages as they are and returns what came back.
func (s *subject) exchange(ctx context.Context, messages []*pb.ParseTestFailuresRequest) ([]*pb.ParseTestFailuresResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, s.ParseLimit)
	defer cancel()
	rpc, err := pb.NewDetectorServiceClient(s.conn).ParseTestFailures(ctx, grpc.WaitForReady(true))
	if err != nil {
		return nil, err
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for _, m := range messages {
			if err := rpc.Send(m); err != nil {
				break // the answer has the reason
			}
		}
		_ = rpc.CloseSend()
	}()
	defer func() { cancel(); <-sent }()
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
