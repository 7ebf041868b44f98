package runner

import (
	"context"
	"errors"
	"io"

	"github.com/proctorhq/proctor/sdk"
)

// chunk is a piece of a stream. Its buffer is returned to its source.
type chunk struct {
	stream sdk.Stream
	data   []byte
	free   chan<- []byte
}

// delivery passes on the chunks of both streams.
type delivery struct {
	sink           Sink
	sinkErr        error
	stdout, stderr recordedStream
}

// recordedStream is what is kept of a stream.
type recordedStream struct {
	capture Capture
	record  io.Writer
	err     error
}

func newDelivery(cfg Config) *delivery {
	return &delivery{
		sink:   cfg.Sink,
		stdout: recordedStream{record: cfg.RecordStdout},
		stderr: recordedStream{record: cfg.RecordStderr},
	}
}

// run delivers until chunks is closed. It takes chunks whatever happens to the sink and
// the records, since otherwise the command would block.
func (d *delivery) run(ctx context.Context, chunks <-chan chunk) {
	for c := range chunks {
		switch c.stream {
		case sdk.Stdout:
			d.stdout.write(c.data)
		case sdk.Stderr:
			d.stderr.write(c.data)
		}
		if d.sink != nil && d.sinkErr == nil {
			d.sinkErr = d.sink(ctx, c.stream, c.data)
		}
		c.free <- c.data
	}
}

func (d *delivery) recordErr() error { return errors.Join(d.stdout.err, d.stderr.err) }

func (s *recordedStream) write(data []byte) {
	s.capture.write(data)
	if s.record != nil && s.err == nil {
		_, s.err = s.record.Write(data)
	}
}
