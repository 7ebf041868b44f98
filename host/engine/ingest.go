package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/ctxio"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// ingestSession begins the names of the sessions of ingested runs.
const ingestSession = "ingest:"

// maxSession bounds the name of a session.
const maxSession = 200

// Messages of ingested runs. The first is on record only of a run whose ingest
// was killed.
const (
	ingesting       = "this output has not been taken in to its end"
	ingestedAlready = "already on record as run %s: nothing has changed"
	ingestedNow     = "on record as run %s of session %s"
)

// Ingest reads a recorded output as [Parse] does, and puts it on record as a
// run, once: the same output again is the same run, and a [*api.UsageError] where that is
// not on record as the request has it. Where nothing could be read, nothing is
// recorded. Neither the session's last run nor what is outstanding is touched.
func Ingest(ctx context.Context, h *ledger.Keeper, req api.IngestRequest, listeners ...api.Listener) (api.Run, error) {
	if len(req.Session) > maxSession || prose.Line(req.Session) != req.Session {
		return api.Run{}, &api.UsageError{Reason: fmt.Sprintf("the name of a session has at most %d plain characters", maxSession), Fix: "give another one"}
	}
	if req.At != nil && !ledger.TookPlace(*req.At, h.Cfg.Now(), ledger.MaxClockAhead) {
		return api.Run{}, &api.UsageError{Reason: "no run was at " + req.At.UTC().Format(time.RFC3339), Fix: "give a time that is not in the future, nor before 1970"}
	}
	projects, err := h.Projects(ctx, req.Where, []string{req.Plugin})
	if err != nil {
		return api.Run{}, err
	}
	files, err := openArtefact(ctx, req.Stdout, req.Stderr)
	if err != nil {
		return api.Run{}, err
	}
	defer files.close()
	in := &ingest{host: h, project: projects[0], req: req, files: files}
	store, err := h.Store(in.project.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	if in.memory, err = h.Settled(ctx, store); err != nil {
		return api.Run{}, err
	}
	run, err := in.describe(ctx, in.runID())
	if err != nil {
		return run, err
	}
	earlier, err := in.earlier(ctx, run)
	if err != nil || earlier.RunID != "" {
		return earlier, err
	}
	return in.take(ctx, run, listeners)
}

// ingest is the work on one recorded output.
type ingest struct {
	host    *ledger.Keeper
	project project.Project
	memory  *ledger.Ledger
	req     api.IngestRequest
	files   *artefact
	state   fingerprint.State
}

// runID is derived from what the output holds, so that it is known again.
func (in *ingest) runID() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%x\x00%x", in.project.ID.Language, in.files.sums[0], in.files.sums[1])
	return artifacts.RunIDOf(sum.Sum(nil))
}

// earlier is the run that the output has become before; it is empty where there is
// none. One whose ingest was killed, or that is asked for again, is taken off the
// record, to be taken in once more.
func (in *ingest) earlier(ctx context.Context, wanted api.Run) (api.Run, error) {
	id, store := wanted.RunID, in.memory.Artifacts
	if store.Alive(id) {
		return api.Run{}, &api.UsageError{Reason: "run " + id + " is being taken in by another proctor", Fix: "wait for it"}
	}
	row, err := in.memory.History.Run(ctx, id)
	known := err == nil && row.ID == id
	run, err := store.Run(id)
	switch {
	case err == nil && (run.Message == ingesting || !known), known && in.req.Again:
		// Half of it is on record, or its artefacts only; or it shall be replaced.
		return api.Run{}, errors.Join(in.memory.TakeOff(ctx, id), store.RemoveRun(id))
	case err != nil && !known:
		return api.Run{}, nil
	case err != nil:
		run = ledger.Bare(row)
		run.State, run.Verdict, run.Reason, run.Counts = row.State, row.Verdict, row.Reason, row.Counts
		run.ExitCode = -1 // not known any more
	}
	if other := in.unlike(run, row, wanted); len(other) > 0 {
		return api.Run{}, &api.UsageError{
			Reason: fmt.Sprintf("this output is on record as run %s, but not %s", id, strings.Join(other, ", ")),
			Advice: api.Advice{Operation: api.AdviseAgain},
		}
	}
	run.Message = fmt.Sprintf(ingestedAlready, id)
	return run, nil
}

// unlike names what is asked for and not on record so. What is not asked for stays
// as it is.
func (in *ingest) unlike(run api.Run, row history.Run, wanted api.Run) []string {
	var other []string
	if exit := in.req.ExitCode; exit != nil && run.ExitCode != *exit && !run.TimedOut {
		other = append(other, fmt.Sprintf("with exit code %d", *exit))
	}
	if in.req.At != nil && !row.StartedAt.Equal(wanted.StartedAt) {
		other = append(other, "at "+wanted.StartedAt.Format(time.RFC3339))
	}
	if in.req.Commit != "" && row.Commit != wanted.Source.Commit {
		other = append(other, "of commit "+in.req.Commit)
	}
	if in.req.Session != "" && row.SessionID != in.req.Session {
		other = append(other, "in session "+in.req.Session)
	}
	return other
}

// describe is the run before anything of it was read.
func (in *ingest) describe(ctx context.Context, id string) (api.Run, error) {
	run := NewRun(in.host, in.project, api.KindIngest, ledger.NewRunID(), 0)
	run.RunID, run.Message, run.Origin = id, ingesting, in.req.Stdout
	if in.req.Stdout == "-" {
		run.Origin = "standard input"
	}
	run.SessionID = in.req.Session
	if run.SessionID == "" {
		run.SessionID = ingestSession + id
	}
	run.StartedAt = in.files.written.UTC()
	if in.req.At != nil {
		run.StartedAt = in.req.At.UTC()
	} else if now := in.host.Cfg.Now(); !ledger.TookPlace(run.StartedAt, now, 0) {
		run.StartedAt = now.UTC() // a file system says anything
	}
	// The stream on record belongs to a command, of which nothing is known.
	run.Commands = []api.Command{{Argv: []string{}, Dir: "."}}
	if in.req.Commit == "" {
		return run, nil
	}
	source := in.host.SourceConfig(in.project.Root.Path)
	commit, err := checkout.Resolve(ctx, checkout.Config{Git: source.Git, Env: in.host.Cfg.Env, Dir: source.Root}, in.req.Commit)
	if err == nil {
		in.state, err = fingerprint.OfCommit(ctx, source, commit)
	}
	if err != nil {
		if ctx.Err() != nil {
			return run, ctx.Err()
		}
		return run, &api.UsageError{Reason: "commit: " + err.Error()}
	}
	run.Source = ledger.SourceOf(in.state)
	return run, nil
}

// take reads the output and records it.
func (in *ingest) take(ctx context.Context, run api.Run, listeners api.Listeners) (api.Run, error) {
	exit := exitOf(in.req.ExitCode)
	f := &Finisher{
		Host: in.host, Project: in.project, Store: in.memory.Artifacts, Memory: in.memory, Listeners: listeners,
		Sel: &outstanding.Selection{}, // nobody knows whether it was a run of everything
	}
	settings, err := in.host.Settings(in.project.Root.Path)
	if err != nil {
		return run, err
	}
	f.settings = settings.History
	if run.Source != nil {
		f.Seen.State, f.Seen.Source = in.state, run.Source
	}
	if f.Rec, err = in.memory.Artifacts.Record(run); err != nil {
		return run, err
	}
	if f.Chronicle, err = in.memory.Chronicle(ctx, run); err != nil {
		return run, errors.Join(err, f.Rec.Finish(run), in.memory.Artifacts.RemoveRun(run.RunID))
	}
	f.Run = f.Execution(&run, func() *outstanding.Fold { return nil })
	f.Run.Begin()
	f.Run.Done = []executed{{exit: exit}}
	f.ToolErr = ledger.Feed(ctx, in.project.Plugin, sdk.RunInfo{Workspace: in.project.Ws}, in.files.paths, exit, f.Run.Col)
	t := f.Run.Col.Tally
	f.Fill(&run, t, exit)
	f.Judge(&run, t, exit)
	run.DurationS = 0 // nobody knows
	if ctx.Err() != nil || !tells(run) {
		return run, in.undo(ctx, f, run)
	}
	run.Message = fmt.Sprintf(ingestedNow, run.RunID, run.SessionID)
	if err := in.copyStreams(f, &run); err != nil {
		return run, errors.Join(err, in.undo(ctx, f, run))
	}
	f.Conclude(ctx, &run)
	return run, f.Rec.Finish(run)
}

// tells reports whether anything was read in an output.
func tells(run api.Run) bool {
	c := run.Counts
	return run.Verdict != api.ToolError && c.Passed+c.Failed+c.Skipped+c.Unfinished+c.BuildFailed+run.FailuresTotal > 0
}

// undo takes everything of the run off the record.
func (in *ingest) undo(ctx context.Context, f *Finisher, run api.Run) error {
	f.Chronicle.Rec.Abandon()
	err := ctx.Err()
	return errors.Join(err, f.Rec.Finish(run),
		in.memory.TakeOff(context.WithoutCancel(ctx), run.RunID), in.memory.Artifacts.RemoveRun(run.RunID))
}

// copyStreams puts the output itself on record.
func (in *ingest) copyStreams(f *Finisher, run *api.Run) error {
	for i, name := range artifacts.StreamNames {
		stream, err := f.Rec.Stream(0, name)
		if err != nil {
			return err
		}
		if in.files.paths[i] == "" {
			continue
		}
		from, err := os.Open(in.files.paths[i])
		if err != nil {
			return err
		}
		_, err = io.Copy(stream, from)
		from.Close()
		if err != nil {
			return err
		}
		if !stream.Whole() {
			run.Note(api.NoteRecord, "the record of the output is not whole: "+name+" is too large")
		}
	}
	return nil
}

// maxPiped bounds an output that comes through a pipe and is kept in a temporary
// file meanwhile.
const maxPiped = 4 << 30

// artefact is a recorded output in files that can be read more than once.
type artefact struct {
	// paths are those of standard output and standard error; empty is none.
	paths [2]string
	sums  [2][sha256.Size]byte
	// written is when the first was last written.
	written time.Time

	temporary []string
}

// openArtefact looks at the files of a recorded output. What is no file, such as
// standard input, is copied.
func openArtefact(ctx context.Context, stdout, stderr string) (*artefact, error) {
	a := &artefact{}
	for i, path := range []string{stdout, stderr} {
		if path == "" {
			continue
		}
		if err := a.take(ctx, i, path); err != nil {
			a.close()
			return nil, err
		}
	}
	return a, nil
}

func (a *artefact) take(ctx context.Context, i int, path string) error {
	from, written := io.Reader(&ctxio.Reader{Ctx: ctx, R: os.Stdin}), time.Now()
	piped := path == "-"
	if !piped {
		f, err := open(ctx, path)
		if err != nil {
			return usage(err)
		}
		defer f.Close()
		info, err := f.Stat()
		switch {
		case err != nil:
			return err
		case info.IsDir():
			return &api.UsageError{Reason: path + " is a directory", Fix: "name the file with the runner's output"}
		}
		from = f
		if piped = !info.Mode().IsRegular(); !piped {
			written = info.ModTime()
		} else {
			from = &ctxio.Reader{Ctx: ctx, R: f}
		}
	}
	if i == 0 {
		a.written = written
	}
	a.paths[i] = path
	into := io.Discard
	if piped {
		copied, err := os.CreateTemp("", "proctor-ingest-*")
		if err != nil {
			return fmt.Errorf("a temporary file for the output: %w", err)
		}
		defer copied.Close()
		a.temporary = append(a.temporary, copied.Name())
		a.paths[i], into = copied.Name(), copied
		from = io.LimitReader(from, maxPiped+1)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, into), untilDone{ctx, from})
	switch {
	case err != nil:
		return usage(err)
	case piped && n > maxPiped:
		return &api.UsageError{Reason: fmt.Sprintf("%s has more than %d GiB", path, maxPiped>>30), Fix: "write it into a file and name that"}
	}
	sum.Sum(a.sums[i][:0])
	return nil
}

// open opens a file. A pipe to which nobody writes does not open: then it ends with
// ctx, and leaves the opening to itself.
func open(ctx context.Context, path string) (*os.File, error) {
	type answer struct {
		f   *os.File
		err error
	}
	answers := make(chan answer)
	go func() {
		f, err := os.Open(path)
		select {
		case answers <- answer{f, err}:
		case <-ctx.Done():
			if err == nil {
				f.Close()
			}
		}
	}()
	select {
	case got := <-answers:
		return got.f, got.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (a *artefact) close() {
	for _, path := range a.temporary {
		os.Remove(path)
	}
}

// usage turns an error about a file that the user named into one of usage.
func usage(err error) error {
	var file *fs.PathError
	if errors.As(err, &file) {
		return unreadable(file)
	}
	return err
}

// unreadable is the error about a file of recorded output that cannot be read.
func unreadable(err *fs.PathError) error {
	return &api.UsageError{Reason: err.Path + ": " + err.Err.Error(), Fix: "name a file with the runner's output, or - for standard input"}
}

// untilDone is a reader that ends with a context.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
