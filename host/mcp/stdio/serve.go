// Package stdio serves a client of the Model Context Protocol at a pipe: it answers what
// the SDK would end the connection for, and brings a connection to its end whether or not
// the client still reads.
package stdio

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/mcp"
)

// Serve serves the client at the other ends of in and out, until it goes or ctx ends.
// Whatever ends the server ends its input: calls that are going on are then let go of in
// order.
func Serve(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer, trace *mcp.Trace) error {
	end := newEnding(ctx)
	defer end.begin()
	writer := openWriter{&ctxio.Writer{Ctx: end.left, W: out}}
	frames := newFrameReader(newEndingReader(ctx, in, end.begin), writer, trace)
	transport := patientTransport{
		// How long a message may be has been looked at.
		Transport: &sdk.IOTransport{Reader: io.NopCloser(frames), Writer: writer, MaxLineLength: -1},
		refuse:    frames.refuseID,
	}
	err := server.ServePipe(context.WithoutCancel(ctx), trace.Transport(transport), end.over.Done())
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return nil
	}
	return err
}

// openWriter stays open when the SDK closes it: whoever opened the stream closes it.
type openWriter struct{ io.Writer }

func (openWriter) Close() error { return nil }
