package client

import (
	"context"
	"errors"
	"io"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/ballast"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

// ParseStream carries one command's output to the plugin while its own goroutine
// delivers what comes back, so that neither side waits for the other.
//
// Send and Close are called from one goroutine. A stream ends with Close or
// Cancel; a caller that forgets both leaks it until its context ends.
type ParseStream struct {
	out    sender
	cancel context.CancelFunc
	done   chan struct{}
	err    error // how the stream ended; read after done
	closed bool

	ballast ballast.Ballast // of the delivering goroutine
}

// sender is what the two parsing calls send.
type sender interface {
	sendChunk(stream pb.Stream, data []byte) error
	// sendExit says how the command ended and closes the sending side.
	sendExit(e *pb.RunExit) error
}

// startDelivery starts delivering. receive is called until it returns an error.
func startDelivery(out sender, cancel context.CancelFunc, receive func() error) *ParseStream {
	s := &ParseStream{out: out, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		defer cancel()
		for s.err == nil {
			s.err = receive()
			s.ballast.Message()
		}
		s.err = codec.DecodeError(s.err)
	}()
	return s
}

// Send passes output on, in as many messages as needed. It blocks while the plugin is
// busy, and fails as soon as the stream is broken. It does not retain data.
func (s *ParseStream) Send(stream sdk.Stream, data []byte) error {
	if s.closed {
		return errClosed()
	}
	for len(data) > 0 {
		select {
		case <-s.done:
			return s.failure()
		default:
		}
		n := min(len(data), sdk.SendChunk)
		if err := s.out.sendChunk(codec.EncodeStream(stream), data[:n]); err != nil {
			return s.sendError(err)
		}
		data = data[n:]
	}
	return nil
}

// SendFile lets the plugin read a part of a file itself, of at most [sdk.SendFile] bytes, as
// if it had been sent. It requires Identity.Files and a stream of [Detector.Parse], and
// blocks while the plugin is busy.
func (s *ParseStream) SendFile(stream sdk.Stream, path string, offset, size int64) error {
	if s.closed {
		return errClosed()
	}
	out, ok := s.out.(*runSender)
	if !ok {
		return errors.New("only the output of a run is read from files")
	}
	part := &pb.OutputFile{Stream: codec.EncodeStream(stream), Path: path, Offset: offset, Size: size}
	if err := out.sendFile(s.done, part); err != nil {
		return s.sendError(err)
	}
	return nil
}

// Close tells the plugin how the command ended and waits until its whole report was
// delivered. The report is complete only if Close returns nil.
func (s *ParseStream) Close(exit sdk.Exit) error {
	if s.closed {
		return errClosed()
	}
	s.closed = true
	select {
	case <-s.done:
		return s.failure()
	default:
	}
	if err := s.out.sendExit(codec.EncodeExit(exit)); err != nil {
		return s.sendError(err)
	}
	<-s.done
	return s.end()
}

// Cancel gives up: the plugin's context ends. It returns after the last delivery, and
// may be called from any goroutine and more than once.
func (s *ParseStream) Cancel() {
	s.cancel()
	<-s.done
}

// Done is closed after the last delivery.
func (s *ParseStream) Done() <-chan struct{} { return s.done }

// end returns how the stream ended; nil if the plugin ended it properly.
func (s *ParseStream) end() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// failure returns why a stream ended before its exit.
func (s *ParseStream) failure() error {
	if err := s.end(); err != nil {
		return err
	}
	return errEndedEarly()
}

// sendError returns the reason for a failed send. gRPC says only io.EOF if the other side
// ended the stream; the receiving side has the reason.
func (s *ParseStream) sendError(err error) error {
	if !errors.Is(err, io.EOF) {
		s.cancel()
		<-s.done
		return codec.DecodeError(err)
	}
	<-s.done
	return s.failure()
}
