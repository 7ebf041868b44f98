package host

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/report"
	"github.com/proctorhq/proctor/host/runner"
	"github.com/proctorhq/proctor/host/session"
)

// Raw returns the runner's own output of a run, each stream capped, from its
// record.
func (h *Host) Raw(ctx context.Context, run record.Run) (report.RawOutput, error) {
	raw := report.RawOutput{
		TimedOut: run.TimedOut, ExitCode: run.ExitCode, NoExit: report.NoExit(run),
		Limit:      time.Duration(run.TimeoutS * float64(time.Second)),
		Unrecorded: len(run.Commands) > 0,
	}
	store, ok := session.Existing(h.records(run.Workspace))
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
