package transfer

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// ExportRuns writes runs to an archive that another workspace can import.
func ExportRuns(ctx context.Context, k *ledger.Keeper, req api.ExportRequest) (api.Transfer, error) {
	answer := api.Transfer{Schema: api.ExportSchema, Runs: []string{}}
	led, err := ledger.OpenAt(ctx, k, req.Where)
	if err != nil {
		return answer, err
	}
	answer.Warnings = led.Warnings()
	x := &export{ledger: led, header: archiveHeader{
		Schema: api.ExportSchema, Proctor: k.Cfg.Version, CreatedAt: k.Cfg.Now().UTC(),
		Runs: []archivedRun{}, States: []archivedState{}, Files: []archivedFile{},
	}}
	defer x.close()
	for _, ref := range req.Refs {
		run, err := led.FindRun(ctx, ref, "")
		if err == nil {
			err = x.add(ctx, run)
		}
		if err != nil {
			return answer, err
		}
	}
	for _, run := range x.header.Runs {
		answer.Runs = append(answer.Runs, run.RunID)
	}
	if len(answer.Runs) == 0 {
		return answer, &api.UsageError{Reason: "no run is named", Fix: "name one by its id, or as last or prev"}
	}
	answer.File = cmp.Or(req.File, "proctor-"+answer.Runs[0]+".tar.gz")
	if err := ledger.RefuseWithin(led, answer.File); err != nil {
		return answer, err
	}
	answer.Bytes, err = ledger.WriteNewFile(answer.File, req.Force, func(w io.Writer) error { return x.write(ctx, w) })
	var exists *api.UsageError
	if err != nil && ctx.Err() == nil && !errors.As(err, &exists) {
		err = fmt.Errorf("the archive %s could not be written: %w", answer.File, err)
	}
	return answer, err
}

// export collects what goes into an archive.
type export struct {
	ledger *ledger.Ledger
	header archiveHeader
	// open opens the entries, in order.
	open   []func() (io.ReadCloser, error)
	spools []*os.File
	states map[string]bool
}

func (x *export) close() {
	for _, f := range x.spools {
		f.Close()
		os.Remove(f.Name())
	}
}

// add collects a run with everything that belongs to it.
func (x *export) add(ctx context.Context, run history.Run) error {
	for _, other := range x.header.Runs {
		if other.RunID == run.ID {
			return nil // it was named twice
		}
	}
	if run.State != api.StateFinished {
		return &api.UsageError{Reason: "run " + run.ID + " is still in progress", Fix: "export it when it has ended"}
	}
	files, err := artifacts.ListFiles(x.ledger.Artifacts, run.ID)
	if _, ok := errors.AsType[*api.UnknownRunError](err); ok {
		return &api.UsageError{Reason: "of run " + run.ID + " only the results are still on record, not its failures and output", Fix: "export a later one"}
	}
	if err != nil {
		return err
	}
	base := archiveRuns + run.ID + "/"
	for _, f := range files {
		if f.Name == artifacts.ResultsName || f.Name == artifacts.FailuresName {
			if f.Size, err = x.measureLines(run.ID, f.Name); err != nil {
				return err
			}
		}
		x.addEntry(base+f.Name, f.Size, func() (io.ReadCloser, error) {
			file, err := artifacts.OpenFile(x.ledger.Artifacts, run.ID, f.Name)
			return readCloser{file}, err
		})
	}
	n, err := x.writeResults(ctx, run.ID, base+archiveHistory)
	if err != nil {
		return err
	}
	x.header.Runs = append(x.header.Runs, archivedRun{RunID: run.ID, Whole: run.Whole, Results: n})
	return x.writeState(ctx, run.Fingerprint)
}

// measureLines returns the size of a list without a last line cut off by a kill.
func (x *export) measureLines(id, name string) (int64, error) {
	f, err := artifacts.OpenFile(x.ledger.Artifacts, id, name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	size, whole := int64(0), int64(0)
	buffer := make([]byte, 256<<10)
	for {
		n, err := f.Read(buffer)
		if end := bytes.LastIndexByte(buffer[:n], '\n'); end >= 0 {
			whole = size + int64(end) + 1
		}
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return whole, nil
		}
		if err != nil {
			return whole, err
		}
	}
}

// readCloser is an open file as the archive reads it.
type readCloser struct{ fs.File }

func (x *export) addEntry(name string, size int64, open func() (io.ReadCloser, error)) {
	x.header.Files = append(x.header.Files, archivedFile{Name: name, Size: size})
	x.open = append(x.open, open)
}

// writeResults writes a run's part of the history to a file, and counts its lines.
func (x *export) writeResults(ctx context.Context, id, name string) (int, error) {
	spool, err := os.CreateTemp("", "proctor-export-*")
	if err != nil {
		return 0, err
	}
	x.spools = append(x.spools, spool)
	enc := json.NewEncoder(spool)
	enc.SetEscapeHTML(false)
	n := 0
	err = x.ledger.History.Results(ctx, id, func(r history.Result) bool {
		n++
		err := enc.Encode(archiveResult(r))
		if err != nil {
			spool.Close() // Seek then fails
		}
		return err == nil
	})
	if err != nil {
		return n, err
	}
	size, err := spool.Seek(0, io.SeekEnd)
	if err != nil {
		return n, fmt.Errorf("the results of run %s could not be copied: %w", id, err)
	}
	x.addEntry(name, size, func() (io.ReadCloser, error) {
		_, err := spool.Seek(0, io.SeekStart)
		return io.NopCloser(spool), err
	})
	return n, nil
}

// writeState collects the files of a source state, if on record.
func (x *export) writeState(ctx context.Context, id string) error {
	if id == "" || x.states[id] {
		return nil
	}
	state, ok, err := x.ledger.State(ctx, id)
	if err != nil || !ok {
		return err
	}
	if x.states == nil {
		x.states = map[string]bool{}
	}
	x.states[id] = true
	raw := fingerprint.Encode(state.Files)
	x.header.States = append(x.header.States, archivedState{
		ID: id, Kind: state.Kind, Commit: state.Commit, Branch: state.Branch, Dirty: state.Dirty,
	})
	x.addEntry(archiveStates+id, int64(len(raw)), func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(raw)), nil
	})
	return nil
}

// write writes the archive.
func (x *export) write(ctx context.Context, w io.Writer) error {
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	header, err := json.Marshal(x.header)
	if err == nil {
		err = x.writeEntry(ctx, out, archivedFile{archiveHeaderName, int64(len(header))}, bytes.NewReader(header))
	}
	for i, file := range x.header.Files {
		if err != nil {
			return err
		}
		var r io.ReadCloser
		if r, err = x.open[i](); err == nil {
			err = errors.Join(x.writeEntry(ctx, out, file, r), r.Close())
		}
	}
	return errors.Join(err, out.Close(), zip.Close())
}

func (x *export) writeEntry(ctx context.Context, out *tar.Writer, file archivedFile, r io.Reader) error {
	err := out.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: file.Name, Size: file.Size, Mode: 0o644, ModTime: x.header.CreatedAt, Format: tar.FormatPAX,
	})
	if err != nil {
		return err
	}
	// The record of a finished run does not grow.
	_, err = io.CopyN(out, ctxio.FileReader{Ctx: ctx, R: r}, file.Size)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s became shorter during the export", file.Name)
	}
	return err
}
