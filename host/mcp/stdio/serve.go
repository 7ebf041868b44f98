package stdio

import (
	"context"
	"errors"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/mcp"
	"github.com/proctorhq/proctor/host/mcp/trace"
)

// Serve serves the client at the other ends of in and out until it disconnects or ctx
// ends. Whatever ends the server ends its input first, and calls in progress are then
// wound up in order.
func Serve(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer, trace *trace.Log) error {
	end := newEnding(ctx)
	defer end.begin()
	writer := openWriter{&ctxio.Writer{Ctx: end.left, W: out}}
	frames := newFrameReader(newEndingReader(ctx, in, end.begin), writer, trace)
	transport := patientTransport{
		// The length of messages has been checked already.
		Transport: &sdk.IOTransport{Reader: io.NopCloser(frames), Writer: writer, MaxLineLength: -1},
		refuse:    frames.refuseID,
	}
	err := server.ServePipe(context.WithoutCancel(ctx), trace.Transport(transport), end.over.Done())
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return nil
	}
	return err
}

// openWriter stays open when the SDK closes it: the stream is not the SDK's.
type openWriter struct{ io.Writer }

func (openWriter) Close() error { return nil }
