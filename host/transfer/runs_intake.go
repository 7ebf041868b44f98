package transfer

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// intake reads an archive that somebody made, into a place where nobody sees it,
// and believes nothing of it.
type intake struct {
	stage  *artifacts.Stage
	origin string
	now    time.Time
	runs   []*arrival
	states map[string]fingerprint.State

	header  archiveHeader
	byID    map[string]*arrival
	stateOf map[string]archivedState
	spools  []*os.File
	closed  bool
}

// close removes what was not taken.
func (in *intake) close() error {
	if in.closed {
		return nil
	}
	in.closed = true
	for _, f := range in.spools {
		f.Close()
	}
	return in.stage.Close()
}

// read reads and checks a whole archive.
func (in *intake) read(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return &api.UsageError{Reason: err.Error()}
	}
	defer f.Close()
	err = in.archive(whileWanted{ctx, bufio.NewReaderSize(f, 256<<10)})
	var store *artifacts.StoreError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || errors.As(err, &store):
		return err // our own disk, and not the archive
	}
	return &api.ArchiveError{File: file, Err: err}
}

func (in *intake) archive(r io.Reader) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("it is no gzipped archive (%w)", err)
	}
	entries := tar.NewReader(zip)
	if err := in.readHeader(entries); err != nil {
		return err
	}
	for _, want := range in.header.Files {
		got, err := entries.Next()
		if err != nil {
			return fmt.Errorf("it ends before %s: %w", want.Name, cut(err))
		}
		if got.Typeflag != tar.TypeReg || got.Name != want.Name || got.Size != want.Size {
			return fmt.Errorf("it has %q (%d bytes) where its header announces the file %s (%d bytes)", ledger.Excerpt(got.Name), got.Size, want.Name, want.Size)
		}
		body := &exactly{r: entries, left: want.Size}
		if err := in.entry(want, body); err != nil {
			return fmt.Errorf("%s: %w", want.Name, cut(err))
		}
		if body.left != 0 {
			return fmt.Errorf("%s: %w", want.Name, io.ErrUnexpectedEOF)
		}
	}
	if _, err := entries.Next(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("it has more than its header announces"), err)
	}
	if err := drain(zip); err != nil {
		return err
	}
	return in.check()
}

// cut names the end of a file for what it is.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut")
	}
	return err
}

// maxPadding is how much may follow the last entry: tar programs fill up blocks.
const maxPadding = 1 << 20

// drain reads to the end, where gzip's own check is.
func drain(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxPadding+1))
	switch {
	case err != nil:
		return fmt.Errorf("it is damaged: %w", cut(err))
	case n > maxPadding:
		return errors.New("it goes on after its last entry")
	}
	return nil
}

// exactly counts what is left of an entry.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.left -= int64(n)
	return n, err
}

// entry takes one file.
func (in *intake) entry(file archivedFile, r io.Reader) error {
	part, _ := entryOf(file.Name)
	if part.state != "" {
		return in.state(part.state, r)
	}
	a := in.byID[part.run]
	a.seen[part.file] = true
	switch part.file {
	case artifacts.ObjectName:
		raw, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		var run api.Run
		if err := json.Unmarshal(raw, &run); err != nil {
			return err
		}
		if err := a.adopt(run, in.origin, in.now); err != nil {
			return err
		}
		return in.stage.Object(a.object)
	case archiveHistory:
		return a.spoolResults(r)
	}
	w, err := in.stage.Create(part.run, part.file)
	if err != nil {
		return err
	}
	switch part.file {
	case artifacts.ResultsName:
		err = copyLines(w, r, func(res api.Result) error { return a.result(res) })
	case artifacts.FailuresName:
		err = copyLines(w, r, func(f api.Failure) error { return a.failure(f) })
	default:
		_, err = io.Copy(w, r)
	}
	return errors.Join(err, w.Close())
}

// state takes the files of a source state: it is the one that it is named for, or
// none.
func (in *intake) state(id string, r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	files, err := fingerprint.Decode(raw)
	if err != nil {
		return err
	}
	if got := fingerprint.Identify(files); got != id {
		return fmt.Errorf("its files are those of the source state %s", got)
	}
	s := in.stateOf[id]
	in.states[id] = fingerprint.State{ID: id, Kind: s.Kind, Commit: s.Commit, Branch: s.Branch, Dirty: max(s.Dirty, -1), Files: files}
	return nil
}

// check looks at the whole, after all entries have come.
func (in *intake) check() error {
	for _, a := range in.runs {
		if err := a.check(); err != nil {
			return err
		}
	}
	for id := range in.stateOf {
		if _, ok := in.states[id]; !ok {
			return fmt.Errorf("it has no file of the source state %s", id)
		}
	}
	return nil
}
