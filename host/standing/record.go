package standing

import (
	"context"
	"errors"
	"sync"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/ledger"
)

// Record adds to a recorded run what the history knows, and records how its files stand
// now; at most so many entries are kept. The user waits for it, so the two go side by side.
func Record(ctx context.Context, led *ledger.Ledger, run *api.Run, entries int) error {
	row, err := led.History.Run(ctx, run.RunID)
	if err != nil {
		return err
	}
	var files sync.WaitGroup
	var unjudged error
	if !ledger.SparesOutstanding(run.Kind) {
		files.Go(func() { unjudged = recordEntries(ctx, led, row, entries) })
	}
	err = describe(ctx, led, run, row)
	files.Wait()
	return errors.Join(err, unjudged)
}

// describe adds to a run how its failures stand, and what is missing of it.
func describe(ctx context.Context, led *ledger.Ledger, run *api.Run, row history.Run) error {
	if err := Annotate(ctx, led, run, row); err != nil {
		return err
	}
	found, uncompared, err := Integrity(ctx, led, row)
	if err != nil {
		return err
	}
	if run.Integrity = found; uncompared {
		run.Note(api.NoteCompared, notCompared)
	}
	return nil
}

func recordEntries(ctx context.Context, led *ledger.Ledger, row history.Run, most int) error {
	found, err := Entries(ctx, led, row)
	if err != nil {
		return err
	}
	return led.History.PutEntries(ctx, found, most)
}
