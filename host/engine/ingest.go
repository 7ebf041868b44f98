package engine

import (
	"cmp"
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
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/project"
	"github.com/proctorhq/proctor/host/prose"
)

// ingestSession begins the names of the sessions of ingested runs.
const ingestSession = "ingest:"

// maxSession bounds the name of a session.
const maxSession = 200

// Messages of ingested runs. The first stays on record, with the advice to ingest again,
// if the ingest was killed.
const (
	ingesting       = "this output was not ingested to its end"
	ingestedAlready = "already on record as run %s; nothing has changed"
	ingestedNothing = "nothing of this output is on record"
	ingestedNow     = "on record as run %s of session %s"
)

// Ingest reads recorded output like [Parse] and records it as a run, once: the same output
// again is the same run, or a [*api.UsageError] if that is on record with other details
// than requested. If nothing could be read, nothing is recorded. The session's last run
// and the outstanding set do not change.
func Ingest(ctx context.Context, k *ledger.Keeper, req api.IngestRequest, listeners ...api.Listener) (api.Run, error) {
	if len(req.Session) > maxSession || prose.Line(req.Session) != req.Session {
		return api.Run{}, &api.UsageError{Reason: fmt.Sprintf("the name of a session has at most %d plain characters", maxSession), Fix: "give another one"}
	}
	if req.At != nil && !ledger.IsPossibleTime(*req.At, k.Cfg.Now(), ledger.MaxClockAhead) {
		return api.Run{}, &api.UsageError{Reason: "no run can have started at " + req.At.UTC().Format(time.RFC3339), Fix: "give a time between 1970 and now"}
	}
	projects, err := k.Projects(ctx, req.Where, []string{req.Plugin})
	if err != nil {
		return api.Run{}, err
	}
	files, err := openOutputFiles(ctx, req.Stdout, req.Stderr)
	if err != nil {
		return api.Run{}, err
	}
	defer files.close()
	in := &ingest{keeper: k, project: projects[0], req: req, files: files}
	store, err := k.Store(in.project.Root.Path)
	if err != nil {
		return api.Run{}, err
	}
	if in.ledger, err = ledger.OpenForRun(ctx, k, store); err != nil {
		return api.Run{}, err
	}
	plan, err := in.plan(ctx, in.deriveRunID())
	if err != nil {
		return plan.Run, err
	}
	earlier, err := in.findEarlier(ctx, plan.Run)
	if err != nil {
		return api.Run{}, err
	}
	if earlier.RunID != "" {
		api.Listeners(listeners).Listen(&api.RunFinished{Run: earlier, Record: artifacts.RecordOf(store, earlier.RunID)})
		return earlier, nil
	}
	done, err := Conduct(ctx, k, plan, listeners)
	return done.Run, err
}

// ingest is the ingestion of one recorded output.
type ingest struct {
	keeper  *ledger.Keeper
	project project.Project
	ledger  *ledger.Ledger
	req     api.IngestRequest
	files   *outputFiles
}

// deriveRunID derives the id of the run from the output, which is thus recognized when it
// is ingested again.
func (in *ingest) deriveRunID() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%x\x00%x", in.project.ID.Language, in.files.sums[0], in.files.sums[1])
	return artifacts.RunIDOf(sum.Sum(nil))
}

// findEarlier finds the run as which the output is on record already; it is empty if there
// is none. One whose ingest was killed, or that is requested again, is removed, to be
// ingested anew.
func (in *ingest) findEarlier(ctx context.Context, wanted api.Run) (api.Run, error) {
	id, store := wanted.RunID, in.ledger.Artifacts
	if store.Alive(id) {
		return api.Run{}, &api.UsageError{Reason: "another proctor is ingesting run " + id + " right now", Fix: "wait for it"}
	}
	row, err := in.ledger.History.Run(ctx, id)
	known := err == nil && row.ID == id
	run, err := store.Run(id)
	switch {
	case err == nil && (run.Advice.Operation == api.AdviseIngest || !known), known && in.req.Again:
		// It is only half on record, or is to be replaced.
		return api.Run{}, errors.Join(in.ledger.RemoveRuns(ctx, id), artifacts.RemoveRun(store, id))
	case err != nil && !known:
		return api.Run{}, nil
	case err != nil:
		run = ledger.RunFromHistory(row)
		run.State, run.Verdict, run.Reason, run.Counts = row.State, row.Verdict, row.Reason, row.Counts
		run.ExitCode = -1 // no longer known
	}
	if other := in.listDifferences(run, row, wanted); len(other) > 0 {
		return api.Run{}, &api.UsageError{
			Reason: fmt.Sprintf("this output is on record as run %s, but not %s", id, strings.Join(other, ", ")),
			Advice: api.Advice{Operation: api.AdviseAgain},
		}
	}
	run.Message = fmt.Sprintf(ingestedAlready, id)
	return run, nil
}

// listDifferences names the requested details that are recorded differently.
func (in *ingest) listDifferences(run api.Run, row history.Run, wanted api.Run) []string {
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

// plan plans to read the output and record it as a run.
func (in *ingest) plan(ctx context.Context, id string) (*Plan, error) {
	p := NewPlan(in.keeper, in.project, api.KindIngest, id, 0)
	p.Store, p.Ledger = in.ledger.Artifacts, in.ledger
	p.Chosen = &outstanding.Selection{} // nobody knows whether it was a run of everything
	p.output = &recordedOutput{paths: in.files.paths, exit: exitOf(in.req.ExitCode)}
	run := &p.Run
	run.Message, run.Advice, run.Origin = ingesting, api.Advice{Operation: api.AdviseIngest}, in.req.Stdout
	if in.req.Stdout == "-" {
		run.Origin = "standard input"
	}
	run.SessionID = cmp.Or(in.req.Session, ingestSession+id)
	run.StartedAt = in.files.written.UTC()
	if in.req.At != nil {
		run.StartedAt = in.req.At.UTC()
	} else if now := in.keeper.Cfg.Now(); !ledger.IsPossibleTime(run.StartedAt, now, 0) {
		run.StartedAt = now.UTC() // the file has an impossible time
	}
	// Nothing is known of the command that wrote the recorded streams.
	run.Commands = []api.Command{{Argv: []string{}, Dir: "."}}
	if in.req.Commit == "" {
		return p, nil
	}
	source := in.keeper.SourceConfig(in.project.Root.Path)
	var state fingerprint.State
	commit, err := checkout.Resolve(ctx, checkout.Config{Git: source.Git, Env: in.keeper.Cfg.Env, Dir: source.Root}, in.req.Commit)
	if err == nil {
		state, err = fingerprint.OfCommit(ctx, source, commit)
	}
	if err != nil {
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		return p, &api.UsageError{Reason: "commit: " + err.Error()}
	}
	run.Source = ledger.SourceOf(state)
	p.Seen = &ledger.Seen{State: state, Source: run.Source}
	return p, nil
}

// takeOutput accepts recorded output as a run, unless nothing could be read in it, or
// it cannot be recorded.
func (c *conclusion) takeOutput(ctx context.Context) (isRun bool, err error) {
	var file *fs.PathError
	parsed := c.run.Kind == api.KindParsed
	switch {
	case ctx.Err() != nil && parsed:
		return false, errors.Join(c.err, ctx.Err())
	case errors.As(c.err, &file) && parsed:
		return false, unreadableError(file)
	case parsed:
		return true, nil
	}
	c.run.DurationS = 0 // unknown
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if !hasContent(*c.run) {
		c.run.Message, c.run.Advice = ingestedNothing, api.Advice{}
		return false, nil
	}
	c.run.Message, c.run.Advice = fmt.Sprintf(ingestedNow, c.run.RunID, c.run.SessionID), api.Advice{}
	if err := c.record.copyOutput(c.run); err != nil {
		return false, err
	}
	return true, nil
}

// hasContent reports whether the output reported anything.
func hasContent(run api.Run) bool {
	c := run.Counts
	return run.Verdict != api.ToolError && c.Passed+c.Failed+c.Skipped+c.Unfinished+c.BuildFailed+run.FailuresTotal > 0
}

// copyOutput records the output itself.
func (r *record) copyOutput(run *api.Run) error {
	for i, name := range artifacts.StreamNames {
		stream, err := r.artifacts.Stream(0, name)
		if err != nil {
			return err
		}
		if r.plan.output.paths[i] == "" {
			continue
		}
		from, err := os.Open(r.plan.output.paths[i])
		if err != nil {
			return err
		}
		_, err = io.Copy(stream, from)
		from.Close()
		if err != nil {
			return err
		}
		if !stream.Whole() {
			run.Note(api.NoteRecord, "the recorded output is incomplete: "+name+" is too large")
		}
	}
	return nil
}
