package client

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"

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

// BatchSink is an EventSink that is told where a message with several results begins and
// ends.
type BatchSink interface {
	EventSink
	BeginBatch()
	EndBatch()
}

// ParseOptions are a host's wishes about a parse.
type ParseOptions struct {
	// ProgressInterval is how often snapshots are wanted; 0 means never.
	ProgressInterval time.Duration
}

// Parse opens a stream for the output of one command.
func (d *Detector) Parse(ctx context.Context, run sdk.RunInfo, opts ParseOptions, sink EventSink) (*ParseStream, error) {
	ctx, cancel := context.WithCancel(ctx)
	rpc, err := d.rpc.ParseTestFailures(ctx, grpc.ForceCodecV2(batchCodec{encoding.GetCodecV2(proto.Name)}))
	if err != nil {
		cancel()
		return nil, codec.DecodeError(err)
	}
	var batch codec.Batch
	out := &runSender{rpc: rpc, progressed: make(chan struct{}, 1)}
	s := startDelivery(out, cancel, func() error {
		err := rpc.RecvMsg(&batch)
		if err == nil {
			deliverBatch(&batch, sink)
			out.noteRead(batch.Rest.GetFileBytesRead())
		}
		return err
	})
	start := &pb.ParseTestFailuresRequest_Start{Start: codec.EncodeRun(run, opts.ProgressInterval)}
	if err := rpc.Send(&pb.ParseTestFailuresRequest{Message: start}); err != nil {
		return nil, s.sendError(err)
	}
	return s, nil
}

// batchCodec is gRPC's codec, which also decodes a [codec.Batch].
type batchCodec struct{ encoding.CodecV2 }

func (c batchCodec) Unmarshal(data mem.BufferSlice, v any) error {
	batch, ok := v.(*codec.Batch)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	buffer := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer buffer.Free()
	return batch.Unmarshal(buffer.ReadOnlyData())
}

// deliverBatch passes on one batch. An unknown status or outcome is neither a pass nor a
// failure, so it is reported as damage: a plugin must not send one unless the host
// declared that it knows it.
func deliverBatch(b *codec.Batch, sink EventSink) {
	if s, ok := sink.(BatchSink); ok && len(b.Tests) > 1 {
		s.BeginBatch()
		defer s.EndBatch()
	}
	for i, t := range b.Tests {
		if t.Status == "" {
			sink.Unread(unknownValue("status", b.Unknown[i], t.Suite+" "+t.Test))
			continue
		}
		sink.Test(t)
	}
	m := &b.Rest
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

	// fileSent and fileRead count the bytes of files; progressed has an element after
	// fileRead grew.
	fileSent   int64
	fileRead   atomic.Int64
	progressed chan struct{}
}

func (s *runSender) sendChunk(stream pb.Stream, data []byte) error {
	s.content.Stream, s.content.Data = stream, data
	s.piece.Chunk = &s.content
	s.message.Message = &s.piece
	err := s.rpc.Send(&s.message)
	s.content.Data = nil
	return err
}

// fileWindow is how much of a file the plugin may be asked to read ahead: enough that it
// never waits for the host.
const fileWindow = 4 * sdk.SendFile

// sendFile waits until the plugin has read most of what it was asked for before.
func (s *runSender) sendFile(done <-chan struct{}, f *pb.OutputFile) error {
	s.fileSent += f.GetSize()
	for s.fileSent-s.fileRead.Load() > fileWindow {
		select {
		case <-done:
			return io.EOF
		case <-s.progressed:
		}
	}
	return s.rpc.Send(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_File{File: f}})
}

// noteRead notes how much of the files the plugin says that it has read.
func (s *runSender) noteRead(total int64) {
	if total <= s.fileRead.Load() {
		return
	}
	s.fileRead.Store(total)
	select {
	case s.progressed <- struct{}{}:
	default:
	}
}

func (s *runSender) sendExit(e *pb.RunExit) error {
	if err := s.rpc.Send(&pb.ParseTestFailuresRequest{Message: &pb.ParseTestFailuresRequest_Exit{Exit: e}}); err != nil {
		return err
	}
	return s.rpc.CloseSend()
}
