package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/host/runner"
)

// Raw returns the runner's own output of a run, each stream capped, from its
// record.
func Raw(ctx context.Context, h *ledger.Keeper, run api.Run) (api.RawOutput, error) {
	raw := api.RawOutput{
		TimedOut: run.TimedOut, ExitCode: run.ExitCode, NoExit: api.NoExit(run),
		Limit:      time.Duration(run.TimeoutS * float64(time.Second)),
		Unrecorded: len(run.Commands) > 0,
	}
	store, ok := artifacts.Existing(h.Records(run.Workspace))
	if !ok {
		return raw, nil
	}
	var streams [2]runner.Capture
	for n := range run.Commands {
		paths, ok := store.StreamPaths(run.RunID, n)
		if !ok {
			continue // the command never ran, or could not be recorded
		}
		raw.Unrecorded = false
		for i, path := range paths {
			if err := capture(ctx, &streams[i], path); err != nil {
				return raw, err
			}
		}
	}
	raw.Stdout, raw.Stderr = streams[0].String(), streams[1].String()
	return raw, nil
}

func capture(ctx context.Context, c *runner.Capture, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the recorded output: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(c, f)
	if err != nil {
		return fmt.Errorf("the recorded output: %w", err)
	}
	return ctx.Err()
}
