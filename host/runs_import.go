package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// ImportRequest asks to take the runs of an archive.
type ImportRequest struct {
	Where Where
	File  string
}

// ImportRuns takes the runs of an archive onto the record of this workspace. They
// are no last run of any session, and nothing is outstanding because of them. Runs
// that are on record already stay as they are. An archive that is not as it ought
// to be is an [*ArchiveError].
func (h *Host) ImportRuns(ctx context.Context, req ImportRequest) (record.Transfer, error) {
	answer := record.Transfer{Schema: record.ExportSchema, File: req.File, Runs: []string{}}
	info, err := os.Stat(req.File)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", req.File)
	}
	if err != nil {
		var file *fs.PathError
		if errors.As(err, &file) {
			err = fmt.Errorf("%s: %w", file.Path, file.Err)
		}
		return answer, &UsageError{Reason: err.Error(), Fix: "name an archive of exported runs"}
	}
	m, err := h.recordOf(ctx, req.Where)
	if err != nil {
		return answer, err
	}
	answer.Warnings = m.warnings()
	stage, err := m.store.Stage(ctx)
	if err != nil {
		return answer, err
	}
	in := &intake{stage: stage, origin: excerpt(filepath.Base(req.File)), now: h.cfg.Now()}
	defer in.close()
	err = in.read(ctx, req.File)
	if err == nil {
		answer.Runs, answer.OnRecord, err = m.take(ctx, in)
	}
	return answer, errors.Join(err, in.close())
}

// recordOf opens the record of a workspace, and begins one where there is none.
func (h *Host) recordOf(ctx context.Context, where Where) (*memory, error) {
	m, err := h.recall(ctx, where)
	var none *NoRunError
	if !errors.As(err, &none) {
		return m, err
	}
	projects, err := h.projects(ctx, where, nil)
	if err != nil {
		return nil, err
	}
	store, err := h.store(projects[0].root.Path)
	if err != nil {
		return nil, err
	}
	return h.remember(ctx, store)
}

// take puts on record what was read and checked, the oldest run first. After an
// error nothing of it is.
func (m *memory) take(ctx context.Context, in *intake) (taken, known []string, err error) {
	taken = []string{}
	defer func() {
		if err == nil {
			return
		}
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, m.takeOff(ctx, taken...))
		for _, id := range taken {
			err = errors.Join(err, in.stage.Withdraw(id))
		}
		taken = []string{}
	}()
	slices.SortStableFunc(in.runs, func(a, b *arrival) int { return a.object.StartedAt.Compare(b.object.StartedAt) })
	for _, a := range in.runs {
		onRecord, err := m.hasWhole(ctx, a.object)
		if err != nil {
			return taken, nil, err
		}
		if onRecord {
			known = append(known, a.object.RunID)
			continue
		}
		if state, ok := in.states[fingerprintOf(a.object)]; ok {
			if err := m.history.SaveState(ctx, state); err != nil {
				return taken, nil, err
			}
		}
		if err := in.stage.Publish(a.object.RunID); err != nil {
			return taken, nil, err
		}
		taken = append(taken, a.object.RunID)
		if err := m.write(ctx, a); err != nil {
			return taken, nil, err
		}
	}
	return taken, known, nil
}

func fingerprintOf(run record.Run) string {
	if run.Source == nil {
		return ""
	}
	return run.Source.Fingerprint
}

// hasWhole tells whether a run is on record. What an import that was killed has
// left of it is removed.
func (m *memory) hasWhole(ctx context.Context, run record.Run) (bool, error) {
	row, err := m.history.Run(ctx, run.RunID)
	var none *history.NoRunError
	if err != nil && !errors.As(err, &none) {
		return false, err
	}
	object, objectErr := m.store.Object(run.RunID)
	partial := objectErr == nil && object.Origin != "" && !m.store.Alive(run.RunID)
	switch {
	case err == nil && row.ID == run.RunID:
		// One that ended otherwise was given an end by somebody who found the rest.
		if !partial || row.State == record.StateFinished && row.Verdict == run.Verdict {
			return true, nil
		}
		return false, m.takeOff(ctx, run.RunID)
	case objectErr == nil:
		return !partial, nil
	case m.store.Has(run.RunID):
		return false, &UsageError{
			Reason: "the folder of run " + run.RunID + " is not one of this workspace",
			Fix:    "move it away: " + filepath.Join(m.store.Dir(), "runs", run.RunID),
		}
	}
	return false, nil
}

// write puts the results of a run into the history.
func (m *memory) write(ctx context.Context, a *arrival) error {
	row := historyRun(a.object)
	row.Whole = a.whole
	begun := row
	begun.State, begun.Verdict, begun.Duration = record.StateRunning, "", 0
	rec, err := m.history.Begin(ctx, begun)
	if err != nil {
		return err
	}
	err = a.results(ctx, func(r history.Result) { rec.Add(r) })
	if err != nil {
		rec.Abandon()
		return err
	}
	return rec.Finish(ctx, row)
}
