package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/codec"
	"github.com/proctorhq/proctor/sdk/plugintest"
)

type serverStream = grpc.BidiStreamingServer[pb.ParseTestFailuresRequest, pb.ParseTestFailuresResponse]

func openStream(t *testing.T, ctx context.Context, parse func(serverStream) error, sink client.EventSink) *client.ParseStream {
	t.Helper()
	stream, err := connect(t, peer{parse: parse}).Parse(ctx, sdk.RunInfo{}, client.ParseOptions{}, sink)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Cancel)
	return stream
}

// receiveAll receives to the end and passes the bytes of the chunks to chunk.
func receiveAll(rpc serverStream, chunk func([]byte)) error {
	for {
		m, err := rpc.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if c := m.GetChunk(); c != nil {
			chunk(c.GetData())
		}
	}
}

func TestOutputIsSentInBoundedChunks(t *testing.T) {
	var got []byte
	stream := openStream(t, t.Context(), func(rpc serverStream) error {
		return receiveAll(rpc, func(data []byte) {
			if len(data) > sdk.SendChunk {
				t.Errorf("a chunk of %d bytes", len(data))
			}
			got = append(got, data...)
		})
	}, new(plugintest.Events))
	sent := bytes.Repeat([]byte("0123456789"), 20_000)
	if err := stream.Send(sdk.Stdout, sent); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(sdk.Exit{}); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d of %d bytes arrived, %v", len(got), len(sent), err)
	}
	if err := stream.Send(sdk.Stdout, sent); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("sending after the end: %v", err)
	}
	if err := stream.Close(sdk.Exit{}); status.Code(err) != codes.FailedPrecondition {
		t.Errorf("closing twice: %v", err)
	}
}

// sendUntilFailure sends until the stream is broken.
func sendUntilFailure(stream *client.ParseStream) error {
	for {
		if err := stream.Send(sdk.Stderr, make([]byte, sdk.SendChunk)); err != nil {
			return err
		}
	}
}

func TestSendingToABrokenStreamFailsWithTheReason(t *testing.T) {
	for _, test := range []struct {
		name  string
		parse func(serverStream) error
		check func(error) bool
	}{
		{"the plugin refused", func(serverStream) error {
			return codec.EncodeError(&sdk.Error{Reason: sdk.WorkspaceNotSupported, Message: "no"}).Err()
		}, func(err error) bool {
			var refusal *sdk.Error
			return errors.As(err, &refusal) && refusal.Reason == sdk.WorkspaceNotSupported
		}},
		{"the plugin ended too early", func(serverStream) error { return nil }, func(err error) bool {
			return status.Code(err) == codes.Internal && strings.Contains(err.Error(), "before")
		}},
		{"the plugin sent too much", func(rpc serverStream) error {
			return rpc.Send(&pb.ParseTestFailuresResponse{Output: make([]byte, sdk.MaxMessage+1)})
		}, func(err error) bool { return status.Code(err) == codes.ResourceExhausted }},
	} {
		t.Run(test.name, func(t *testing.T) {
			stream := openStream(t, t.Context(), func(rpc serverStream) error {
				if _, err := rpc.Recv(); err != nil { // the stream is open
					return err
				}
				return test.parse(rpc)
			}, new(plugintest.Events))
			if err := sendUntilFailure(stream); !test.check(err) {
				t.Errorf("Send: %v", err)
			}
			if err := stream.Close(sdk.Exit{}); !test.check(err) {
				t.Errorf("Close: %v", err)
			}
		})
		// A plugin that does not wait for the first message may end before that was sent.
		// Then opening the stream returns the reason; otherwise sending does.
		t.Run(test.name+" at once", func(t *testing.T) {
			stream, err := connect(t, peer{parse: test.parse}).Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, new(plugintest.Events))
			if err == nil {
				t.Cleanup(stream.Cancel)
				err = sendUntilFailure(stream)
			}
			if !test.check(err) {
				t.Error(err)
			}
		})
	}
}

func TestABlockedSendEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stream := openStream(t, ctx, func(rpc serverStream) error {
		if _, err := rpc.Recv(); err != nil { // the stream is open
			return err
		}
		cancel() // the plugin reads nothing more
		<-rpc.Context().Done()
		return rpc.Context().Err()
	}, new(plugintest.Events))
	if err := sendUntilFailure(stream); status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
	<-stream.Done()
}

func TestUnknownStatusesAreDamage(t *testing.T) {
	events := new(plugintest.Events)
	stream := openStream(t, t.Context(), func(rpc serverStream) error {
		err := rpc.Send(&pb.ParseTestFailuresResponse{
			Tests: []*pb.TestResult{
				{Id: &pb.TestId{Suite: "s", Name: "known"}, Status: pb.Status_STATUS_PASSED, ElapsedNanos: -1, Location: &pb.Location{Line: -1}},
				{Id: &pb.TestId{Suite: "s", Name: "strange"}, Status: 99},
				{Status: pb.Status_STATUS_UNSPECIFIED},
			},
			Suites: []*pb.SuiteResult{{Suite: "s", Outcome: 99}},
			Unread: []*pb.Unread{{Bytes: -1}},
		})
		return errors.Join(err, receiveAll(rpc, func([]byte) {}))
	}, events)
	if err := stream.Close(sdk.Exit{}); err != nil {
		t.Fatal(err)
	}
	if len(events.Tests) != 1 || events.Tests[0].Elapsed != 0 || events.Tests[0].Location.Line != 0 || len(events.Suites) != 0 {
		t.Errorf("got %+v", events)
	}
	damaged := 0
	for _, u := range events.Unreads {
		if u.Damaged {
			damaged++
		}
	}
	if damaged != 3 || !strings.Contains(events.Unreads[0].Sample, "strange") || events.Unreads[3].Bytes != 0 {
		t.Errorf("got %+v", events.Unreads)
	}
}

func TestAnUnreachablePluginIsUnavailable(t *testing.T) {
	conn, err := grpc.NewClient("unix:"+t.TempDir()+"/none", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	stream, err := client.New(conn).Parse(t.Context(), sdk.RunInfo{}, client.ParseOptions{}, new(plugintest.Events))
	if err == nil {
		err = stream.Close(sdk.Exit{})
	}
	if status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
}
