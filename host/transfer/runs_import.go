package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// ImportRuns takes the runs of an archive onto the record of this workspace. They
// are no last run of any session, and nothing is outstanding because of them. Runs
// that are on record already stay as they are. An archive that is not as it ought
// to be is an [*ArchiveError].
func ImportRuns(ctx context.Context, h *ledger.Keeper, req api.ImportRequest) (api.Transfer, error) {
	answer := api.Transfer{Schema: api.ExportSchema, File: req.File, Runs: []string{}}
	info, err := os.Stat(req.File)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", req.File)
	}
	if err != nil {
		var file *fs.PathError
		if errors.As(err, &file) {
			err = fmt.Errorf("%s: %w", file.Path, file.Err)
		}
		return answer, &api.UsageError{Reason: err.Error(), Fix: "name an archive of exported runs"}
	}
	m, err := openRecord(ctx, h, req.Where)
	if err != nil {
		return answer, err
	}
	answer.Warnings = m.Warnings()
	stage, err := m.Artifacts.Stage(ctx)
	if err != nil {
		return answer, err
	}
	in := &intake{stage: stage, origin: ledger.Excerpt(filepath.Base(req.File)), now: h.Cfg.Now()}
	defer in.close()
	err = in.read(ctx, req.File)
	if err == nil {
		answer.Runs, answer.OnRecord, err = takeRuns(ctx, m, in)
	}
	return answer, errors.Join(err, in.close())
}

// openRecord opens the record of a workspace, and begins one where there is none.
func openRecord(ctx context.Context, h *ledger.Keeper, where api.Where) (*ledger.Ledger, error) {
	m, err := h.Recall(ctx, where)
	var none *api.NoRunError
	if !errors.As(err, &none) {
		return m, err
	}
	projects, err := h.Projects(ctx, where, nil)
	if err != nil {
		return nil, err
	}
	store, err := h.Store(projects[0].Root.Path)
	if err != nil {
		return nil, err
	}
	return h.Remember(ctx, store)
}

// takeRuns puts on record what was read and checked, the oldest run first. After an
// error nothing of it is.
func takeRuns(ctx context.Context, m *ledger.Ledger, in *intake) (taken, known []string, err error) {
	taken = []string{}
	defer func() {
		if err == nil {
			return
		}
		ctx := context.WithoutCancel(ctx)
		err = errors.Join(err, m.TakeOff(ctx, taken...))
		for _, id := range taken {
			err = errors.Join(err, in.stage.Withdraw(id))
		}
		taken = []string{}
	}()
	slices.SortStableFunc(in.runs, func(a, b *arrival) int { return a.object.StartedAt.Compare(b.object.StartedAt) })
	for _, a := range in.runs {
		onRecord, err := hasWhole(ctx, m, a.object)
		if err != nil {
			return taken, nil, err
		}
		if onRecord {
			known = append(known, a.object.RunID)
			continue
		}
		if state, ok := in.states[fingerprintOf(a.object)]; ok {
			if err := m.History.SaveState(ctx, state); err != nil {
				return taken, nil, err
			}
		}
		if err := in.stage.Publish(a.object.RunID); err != nil {
			return taken, nil, err
		}
		taken = append(taken, a.object.RunID)
		if err := writeArrival(ctx, m, a); err != nil {
			return taken, nil, err
		}
	}
	return taken, known, nil
}

func fingerprintOf(run api.Run) string {
	if run.Source == nil {
		return ""
	}
	return run.Source.Fingerprint
}

// hasWhole reports whether a run is on record. What an import that was killed has
// left of it is removed.
func hasWhole(ctx context.Context, m *ledger.Ledger, run api.Run) (bool, error) {
	row, err := m.History.Run(ctx, run.RunID)
	var none *history.NoRunError
	if err != nil && !errors.As(err, &none) {
		return false, err
	}
	object, objectErr := m.Artifacts.Object(run.RunID)
	partial := objectErr == nil && object.Origin != "" && !m.Artifacts.Alive(run.RunID)
	switch {
	case err == nil && row.ID == run.RunID:
		// One that ended otherwise was given an end by somebody who found the rest.
		if !partial || row.State == api.StateFinished && row.Verdict == run.Verdict {
			return true, nil
		}
		return false, m.TakeOff(ctx, run.RunID)
	case objectErr == nil:
		return !partial, nil
	case m.Artifacts.Has(run.RunID):
		return false, &api.UsageError{
			Reason: "the folder of run " + run.RunID + " is not one of this workspace",
			Fix:    "move it away: " + filepath.Join(m.Artifacts.Dir(), "runs", run.RunID),
		}
	}
	return false, nil
}

// writeArrival puts the results of a run into the history.
func writeArrival(ctx context.Context, m *ledger.Ledger, a *arrival) error {
	row := ledger.HistoryRun(a.object)
	row.Whole = a.whole
	begun := row
	begun.State, begun.Verdict, begun.Duration = api.StateRunning, "", 0
	rec, err := m.History.Begin(ctx, begun)
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
