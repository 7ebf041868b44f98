package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/host/standing"
	"github.com/proctorhq/proctor/sdk"
)

// Conclude ends the run in the history, and completes the run's object by what
// the history knows. It never fails a run.
func (f *Finisher) Conclude(ctx context.Context, run *api.Run) {
	if f.Chronicle == nil {
		return
	}
	err := f.finishChronicle(ctx, run)
	if err == nil {
		err = CompleteRun(ctx, f.Memory, run, f.settings.Entries)
	}
	if err != nil {
		f.Warn(run, err)
	}
}

func (f *Finisher) finishChronicle(ctx context.Context, run *api.Run) error {
	var saved error
	if f.Seen.Source != nil {
		saved = f.Memory.History.SaveState(ctx, f.Seen.State)
	}
	// What runner arguments leave out is only known to the runner.
	whole := f.Sel == nil && f.reach(*run) >= outstanding.Ended && len(f.RunnerArgs) == 0
	return errors.Join(saved, f.Chronicle.Finish(ctx, *run, whole, f.sound()))
}

// sound are the suites whose tests came to their ends, and nothing beside them
// failed.
func (f *Finisher) sound() []string {
	ends := maps.Clone(f.Run.Col.Tally.Suites)
	unsound := f.Run.Col.Tally.Unsound()
	if f.widened != nil {
		maps.Copy(ends, f.widened.Col.Tally.Suites)
		maps.Copy(unsound, f.widened.Col.Tally.Unsound())
	}
	var suites []string
	for _, suite := range slices.Sorted(maps.Keys(ends)) {
		if (ends[suite] == sdk.SuitePassed || ends[suite] == sdk.SuiteFailed) && !unsound[suite] {
			suites = append(suites, suite)
		}
	}
	return suites
}

// CompleteRun adds to a run that is on record what the history knows, and notes how
// its files stand now.
func CompleteRun(ctx context.Context, m *ledger.Ledger, run *api.Run, entries int) error {
	row, err := m.History.Run(ctx, run.RunID)
	if err != nil {
		return err
	}
	if err := standing.Annotate(ctx, m, run, row); err != nil {
		return err
	}
	found, uncompared, err := standing.Integrity(ctx, m, row)
	if err != nil {
		return err
	}
	if run.Integrity = found; uncompared {
		run.Note(api.NoteCompared, standing.NotCompared)
	}
	if ledger.LeavesNothing(run.Kind) {
		return nil
	}
	standing, err := standing.Entries(ctx, m, row)
	if err != nil {
		return err
	}
	return m.History.PutEntries(ctx, standing, entries)
}
