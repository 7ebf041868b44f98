package ledger

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

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
		if err := feedFile(ctx, stream, which, paths[i], p.Identity().Files); err != nil {
			stream.Cancel()
			return err
		}
	}
	return stream.Close(exit)
}

// feedFile sends a file, or what comes from standard input. readsFiles reports whether the
// plugin can read long files itself, which takes two thirds of the time.
func feedFile(ctx context.Context, stream *plugin.ParseStream, which sdk.Stream, path string, readsFiles bool) error {
	var r io.Reader = &ctxio.Reader{Ctx: ctx, R: os.Stdin}
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
		if readsFiles {
			if err := letRead(ctx, stream, which, f); err != nil {
				return err
			}
		}
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

// letRead lets the plugin read a long file itself. It leaves f at the end of that: more may
// have been written since.
func letRead(ctx context.Context, stream *plugin.ParseStream, which sdk.Stream, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(f.Name())
	if err != nil || !info.Mode().IsRegular() || info.Size() < sdk.SendFile {
		return err
	}
	for at := int64(0); at < info.Size(); at += sdk.SendFile {
		if err := stream.SendFile(which, path, at, min(sdk.SendFile, info.Size()-at)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	_, err = f.Seek(info.Size(), io.SeekStart)
	return err
}
