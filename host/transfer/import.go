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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

// ImportRuns adds the runs of an archive to this workspace's record. They are not the last
// run of any session, and make nothing outstanding. Runs already on record stay unchanged.
// For a malformed archive the error is an [*api.ArchiveError].
func ImportRuns(ctx context.Context, k *ledger.Keeper, req api.ImportRequest) (api.Transfer, error) {
	return ImportAtMost(ctx, k, req, maxArchiveBytes)
}

// ImportAtMost is [ImportRuns] of an archive that unpacks to at most a number of bytes.
func ImportAtMost(ctx context.Context, k *ledger.Keeper, req api.ImportRequest, most int64) (api.Transfer, error) {
	answer := api.Transfer{Schema: api.ExportSchema, File: req.File, Runs: []string{}}
	info, err := os.Stat(req.File)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", req.File)
	}
	if err != nil {
		if file, ok := errors.AsType[*fs.PathError](err); ok {
			err = fmt.Errorf("%s: %w", file.Path, file.Err)
		}
		return answer, &api.UsageError{Reason: err.Error(), Fix: "name an archive of exported runs"}
	}
	led, err := openRecord(ctx, k, req.Where)
	if err != nil {
		return answer, err
	}
	answer.Warnings = led.Warnings()
	stage, err := artifacts.NewStage(ctx, led.Artifacts)
	if err != nil {
		return answer, err
	}
	in := &importer{stage: stage, origin: ledger.Excerpt(filepath.Base(req.File)), now: k.Cfg.Now(), most: most}
	defer in.close()
	err = in.read(ctx, req.File)
	if err == nil {
		answer.Runs, answer.OnRecord, err = takeRuns(ctx, led, in)
	}
	return answer, errors.Join(err, in.close())
}

// IsArchive reports whether a file begins as an archive of runs does.
func IsArchive(r io.Reader) bool {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return false
	}
	head, err := tar.NewReader(zip).Next()
	return err == nil && head.Name == archiveHeaderName
}

// openRecord opens the record of a workspace, creating it if missing.
func openRecord(ctx context.Context, k *ledger.Keeper, where api.Where) (*ledger.Ledger, error) {
	led, err := ledger.OpenAt(ctx, k, where)
	if _, ok := errors.AsType[*api.NoRunError](err); !ok {
		return led, err
	}
	projects, err := k.Projects(ctx, where, nil)
	if err != nil {
		return nil, err
	}
	store, err := k.Store(projects[0].Root.Path)
	if err != nil {
		return nil, err
	}
	return ledger.OpenHistory(ctx, k, store)
}

// takeRuns records the checked runs, oldest first, and on an error none of them.
func takeRuns(ctx context.Context, led *ledger.Ledger, in *importer) (taken, known []string, err error) {
	taken = []string{}
	defer func() {
		if err == nil {
			return
		}
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, led.RemoveRuns(ctx, taken...))
		for _, id := range taken {
			err = errors.Join(err, in.stage.Withdraw(id))
		}
		taken = []string{}
	}()
	slices.SortStableFunc(in.runs, func(a, b *importedRun) int { return a.object.StartedAt.Compare(b.object.StartedAt) })
	for _, a := range in.runs {
		onRecord, err := hasWhole(ctx, led, a.object)
		if err != nil {
			return taken, nil, err
		}
		if onRecord {
			known = append(known, a.object.RunID)
			continue
		}
		if state, ok := in.states[a.object.Fingerprint()]; ok {
			if err := led.History.SaveState(ctx, state); err != nil {
				return taken, nil, err
			}
		}
		if err := in.stage.Publish(a.object.RunID); err != nil {
			return taken, nil, err
		}
		taken = append(taken, a.object.RunID)
		if err := writeArrival(ctx, led, a); err != nil {
			return taken, nil, err
		}
	}
	return taken, known, nil
}

// hasWhole reports whether a run is on record in full. It removes the remains of a killed
// import.
func hasWhole(ctx context.Context, led *ledger.Ledger, run api.Run) (bool, error) {
	row, err := led.History.Run(ctx, run.RunID)
	var none *history.NoRunError
	if err != nil && !errors.As(err, &none) {
		return false, err
	}
	object, objectErr := led.Artifacts.Object(run.RunID)
	partial := objectErr == nil && object.Origin != "" && !led.Artifacts.Alive(run.RunID)
	switch {
	case err == nil && row.ID == run.RunID:
		// A different end was given to the remains of a killed import.
		if !partial || row.State == api.StateFinished && row.Verdict == run.Verdict {
			return true, nil
		}
		return false, led.RemoveRuns(ctx, run.RunID)
	case objectErr == nil:
		return !partial, nil
	case led.Artifacts.Has(run.RunID):
		return false, &api.UsageError{
			Reason: "the folder of run " + run.RunID + " does not belong to this workspace",
			Fix:    "move it away: " + filepath.Join(led.Artifacts.Dir(), "runs", run.RunID),
		}
	}
	return false, nil
}

// writeArrival writes a run's results to the history.
func writeArrival(ctx context.Context, led *ledger.Ledger, a *importedRun) error {
	row := ledger.ToHistoryRun(a.object)
	row.Whole = a.whole
	begun := row
	begun.State, begun.Verdict, begun.Duration = api.StateRunning, "", 0
	rec, err := led.History.Begin(ctx, begun)
	if err != nil {
		return err
	}
	err = a.eachResult(ctx, func(r history.Result) { rec.Add(r) })
	if err != nil {
		rec.Abandon()
		return err
	}
	return rec.Finish(ctx, row)
}

// importer reads an untrusted archive into a stage, and checks everything in it.
type importer struct {
	stage  *artifacts.Stage
	origin string
	now    time.Time
	// most bounds how many bytes it unpacks to.
	most   int64
	runs   []*importedRun
	states map[string]fingerprint.State

	header  archiveHeader
	byID    map[string]*importedRun
	stateOf map[string]archivedState
	spools  []*os.File
	closed  bool
}

// close removes what was not imported.
func (in *importer) close() error {
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
func (in *importer) read(ctx context.Context, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return &api.UsageError{Reason: err.Error()}
	}
	defer f.Close()
	err = in.readArchive(ctxio.FileReader{Ctx: ctx, R: bufio.NewReaderSize(f, 256<<10)})
	var store *artifacts.StoreError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || errors.As(err, &store):
		return err // the fault is our disk's, not the archive's
	}
	return &api.ArchiveError{File: file, Err: err}
}

func (in *importer) readArchive(r io.Reader) error {
	zip, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("it is not a gzipped archive (%w)", err)
	}
	entries := tar.NewReader(zip)
	if err := in.readHeader(entries); err != nil {
		return err
	}
	for _, want := range in.header.Files {
		got, err := entries.Next()
		if err != nil {
			return fmt.Errorf("it ends before %s: %w", want.Name, explainCut(err))
		}
		if got.Typeflag != tar.TypeReg || got.Name != want.Name || got.Size != want.Size {
			return fmt.Errorf("it has %q (%d bytes) where its header announces the file %s (%d bytes)", ledger.Excerpt(got.Name), got.Size, want.Name, want.Size)
		}
		body := &remainder{r: entries, left: want.Size}
		if err := in.readEntry(want, body); err != nil {
			return fmt.Errorf("%s: %w", want.Name, explainCut(err))
		}
		if body.left != 0 {
			return fmt.Errorf("%s: %w", want.Name, io.ErrUnexpectedEOF)
		}
	}
	if _, err := entries.Next(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("it has more files than its header announces"), err)
	}
	if err := drain(zip); err != nil {
		return err
	}
	return in.check()
}

// explainCut replaces an end-of-file error by one for users.
func explainCut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is truncated")
	}
	return err
}

// maxPadding is how much may follow the last entry: tar programs pad to blocks.
const maxPadding = 1 << 20

// drain reads to the end of the file, which verifies gzip's checksum.
func drain(r io.Reader) error {
	n, err := io.Copy(io.Discard, io.LimitReader(r, maxPadding+1))
	switch {
	case err != nil:
		return fmt.Errorf("it is damaged: %w", explainCut(err))
	case n > maxPadding:
		return errors.New("it continues after its last entry")
	}
	return nil
}

// remainder counts what is left of an entry.
type remainder struct {
	r    io.Reader
	left int64
}

func (e *remainder) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.left -= int64(n)
	return n, err
}

// readEntry reads one file.
func (in *importer) readEntry(file archivedFile, r io.Reader) error {
	part, _ := parseEntryName(file.Name)
	if part.state != "" {
		return in.readState(part.state, r)
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
		err = copyLines(w, r, func(res api.Result) error { return a.addResult(res) })
	case artifacts.FailuresName:
		err = copyLines(w, r, func(f api.Failure) error { return a.addFailure(f) })
	default:
		_, err = io.Copy(w, r)
	}
	return errors.Join(err, w.Close())
}

// readState reads the files of a source state, which must match its id.
func (in *importer) readState(id string, r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	files, err := fingerprint.Decode(raw)
	if err != nil {
		return err
	}
	if got := fingerprint.Identify(files); got != id {
		return fmt.Errorf("its content is that of the source state %s", got)
	}
	s := in.stateOf[id]
	in.states[id] = fingerprint.State{ID: id, Kind: s.Kind, Commit: s.Commit, Branch: s.Branch, Dirty: max(s.Dirty, -1), Files: files}
	return nil
}

// check validates the whole, once all entries were read.
func (in *importer) check() error {
	for _, a := range in.runs {
		if err := a.check(); err != nil {
			return err
		}
	}
	for id := range in.stateOf {
		if _, ok := in.states[id]; !ok {
			return fmt.Errorf("it lacks the source state %s, which its header announces", id)
		}
	}
	return nil
}
