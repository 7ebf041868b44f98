package ledger

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/plugin"
	"github.com/proctorhq/proctor/sdk"
	"github.com/proctorhq/proctor/sdk/client"
)

// feedChunk is how much of recorded output is read at once: one message to a plugin,
// see [sdk.SendChunk].
const feedChunk = sdk.SendChunk

// Feed has a plugin read recorded output. An empty path is an empty stream.
func Feed(ctx context.Context, p *plugin.Plugin, run sdk.RunInfo, paths [2]string, exit sdk.Exit, sink client.EventSink) error {
	stream, err := p.Parse(ctx, run, client.ParseOptions{}, sink)
	if err != nil {
		return err
	}
	for i, which := range []sdk.Stream{sdk.Stdout, sdk.Stderr} {
		if paths[i] == "" {
			continue
		}
		if err := feedFile(ctx, stream, which, paths[i]); err != nil {
			stream.Cancel()
			return err
		}
	}
	return stream.Close(exit)
}

func feedFile(ctx context.Context, stream *plugin.ParseStream, which sdk.Stream, path string) error {
	var r io.Reader = &ctxio.Reader{Ctx: ctx, R: os.Stdin}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
	}
	buf := make([]byte, feedChunk)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if serr := stream.Send(which, buf[:n]); serr != nil {
				return serr
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}
