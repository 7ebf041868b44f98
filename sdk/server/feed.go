package server

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/proctorhq/proctor/sdk"
	pb "github.com/proctorhq/proctor/sdk/detectorpb"
	"github.com/proctorhq/proctor/sdk/internal/ballast"
	"github.com/proctorhq/proctor/sdk/internal/codec"
)

const (
	// flushAfter is how long a finished test may wait for others to share a message:
	// long enough to fill one in a fast run, too short to notice. The first waits only
	// flushFirst, and each message twice as long as the one before: the user of a short run
	// waits for whatever is left for its end.
	flushFirst = 10 * time.Millisecond
	flushAfter = 50 * time.Millisecond
	// minProgressInterval keeps a plugin from spending all its time on snapshots if a
	// host requests them too often.
	minProgressInterval = 20 * time.Millisecond
	// readAhead is how many messages are received while the parser works, so that its
	// short pauses do not hold up the command.
	readAhead = 8
)

// input is one message from the host to a parser: a chunk, a part of a file, or an exit.
type input struct {
	chunk *pb.OutputChunk
	file  *pb.OutputFile
	exit  *pb.RunExit
	err   error
	// release is called when the parser has read the chunk; nil if nobody waits for that.
	release func()
}

// outbox holds what a parser has reported until it is sent.
type outbox interface {
	// urgent reports whether something must be sent at once.
	urgent() bool
	// waiting reports whether anything is waiting to be sent.
	waiting() bool
	// flush sends what is waiting. After an error it sends nothing more.
	flush() error
	// shut discards later reports: the stream is over.
	shut()
}

// feed is one parse: it passes the host's messages to a parser and sends what the
// parser reports.
type feed struct {
	parser sdk.Parser
	out    outbox
	// receive returns the host's next message. It runs in a goroutine of its own, so
	// that a busy parser does not keep the host from sending.
	receive func() input
	// snapshot sends a progress snapshot; nil if nobody wants any.
	snapshot func() error
	interval time.Duration
	// fileRead says how many bytes of files were read.
	fileRead func(total int64) error
	files    fileReader
	ballast  ballast.Ballast
}

// run feeds the parser until the command's exit. Only run calls the parser.
func (f *feed) run(ctx context.Context) (err error) {
	defer f.out.shut()
	defer f.files.close()
	defer func() {
		if r := recover(); r != nil {
			panicked := newPanicError(r)
			_ = f.out.flush() // what was found before is still true
			err = panicked
		}
	}()
	inputs := f.inputs(ctx)
	wait := flushFirst
	flush := time.NewTimer(wait)
	defer flush.Stop()
	armed := true
	var ticks <-chan time.Time
	if f.snapshot != nil {
		ticker := time.NewTicker(max(f.interval, minProgressInterval))
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		case <-flush.C:
			armed = false
			if f.out.waiting() {
				wait = min(2*wait, flushAfter)
			}
			err = f.out.flush()
		case <-ticks:
			err = f.snapshot()
		case in := <-inputs:
			if in.err != nil || in.exit != nil {
				return f.end(in)
			}
			if in.file != nil {
				err = f.readFile(ctx, in.file)
				break
			}
			err = f.write(codec.DecodeStream(in.chunk.GetStream()), in.chunk.GetData())
			if in.release != nil {
				in.release()
			}
		}
		if err != nil {
			return err
		}
		if !armed && f.out.waiting() {
			flush.Reset(wait)
			armed = true
		}
	}
}

// write passes output to the parser, and sends what must be sent at once.
func (f *feed) write(stream sdk.Stream, data []byte) error {
	f.ballast.Message()
	f.parser.Write(stream, data)
	if f.out.urgent() {
		return f.out.flush()
	}
	return nil
}

// end finishes the parse. Without an exit it does not close the parser, which would
// mistake the incomplete output for all of it.
func (f *feed) end(in input) error {
	if in.exit != nil {
		f.parser.Close(codec.DecodeExit(in.exit))
	}
	err := f.out.flush()
	switch {
	case errors.Is(in.err, io.EOF):
		return status.Error(codes.InvalidArgument, "the stream ended without an exit message")
	case in.err != nil:
		return in.err
	}
	return err
}

// inputs receives until the exit or an error. The goroutine ends with ctx at the
// latest, which gRPC cancels when the call returns.
func (f *feed) inputs(ctx context.Context) <-chan input {
	inputs := make(chan input, readAhead)
	go func() {
		for {
			in := f.receive()
			if in.chunk == nil && in.file == nil && in.exit == nil && in.err == nil {
				continue // a kind of message from a newer host
			}
			select {
			case inputs <- in:
			case <-ctx.Done():
				return
			}
			if in.exit != nil || in.err != nil {
				return
			}
		}
	}()
	return inputs
}
