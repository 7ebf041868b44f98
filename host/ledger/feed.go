package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

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
	f := feeding{stream: stream, readsFiles: p.Identity().Files}
	for i, which := range []sdk.Stream{sdk.Stdout, sdk.Stderr} {
		if paths[i] == "" {
			continue
		}
		if err := f.feedFile(ctx, which, paths[i]); err != nil {
			stream.Cancel()
			return err
		}
	}
	if err := stream.Close(exit); err != nil {
		return err
	}
	return f.checkLent()
}

// feeding is recorded output on its way to a plugin.
type feeding struct {
	stream *plugin.ParseStream
	// readsFiles reports whether the plugin can read long files itself, which takes two thirds
	// of the time.
	readsFiles bool
	// lent are the files that it read itself.
	lent []lentFile
}

// lentFile is a file that a plugin was told to read, as the host opened it.
type lentFile struct {
	path string
	info os.FileInfo
}

// isSame reports whether the path still leads to the file that the host opened.
func (l lentFile) isSame() bool {
	now, err := os.Stat(l.path)
	return err == nil && os.SameFile(now, l.info)
}

// checkLent returns an error if the plugin may have opened other files than the host: the
// report would mix the output of two runs and look like a whole one.
func (f *feeding) checkLent() error {
	for _, l := range f.lent {
		if !l.isSame() {
			return fmt.Errorf("the recorded output %s was replaced while it was read; read it again", l.path)
		}
	}
	return nil
}

// feedFile sends a file, or what comes from standard input.
func (f *feeding) feedFile(ctx context.Context, which sdk.Stream, path string) error {
	var r io.Reader = &ctxio.Reader{Ctx: ctx, R: os.Stdin}
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		r = file
		if f.readsFiles {
			if err := f.letRead(ctx, which, file); err != nil {
				return err
			}
		}
	}
	buf := make([]byte, feedChunk)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 {
			if serr := f.stream.Send(which, buf[:n]); serr != nil {
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

// letRead lets the plugin read a long file itself. It leaves the file at the end of that: more
// may have been written since.
func (f *feeding) letRead(ctx context.Context, which sdk.Stream, file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < sdk.SendFile {
		return err
	}
	path, ok := findPath(file)
	l := lentFile{path, info}
	if !ok || !l.isSame() {
		return nil
	}
	f.lent = append(f.lent, l)
	for at := int64(0); at < info.Size(); at += sdk.SendFile {
		if err := f.stream.SendFile(which, path, at, min(sdk.SendFile, info.Size()-at)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	_, err = file.Seek(info.Size(), io.SeekStart)
	return err
}

// findPath returns a path of a file that a message can hold and that means the same in another
// process, unlike /dev/stdin, which is a link to the file on Linux but not elsewhere.
func findPath(file *os.File) (path string, ok bool) {
	path, err := filepath.Abs(file.Name())
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	return path, err == nil && utf8.ValidString(path) && !strings.HasPrefix(path, "/dev/")
}
