package host

import (
	"context"
	"errors"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

// settings are what the workspace asks for. Those of an upload do not count.
func (h *base) settings(root string) (config.Config, error) {
	if h.box != nil {
		return config.Default(), nil
	}
	settings, err := config.Load(root)
	var wrong *config.Error
	if errors.As(err, &wrong) {
		err = &UsageError{Reason: wrong.Error()}
	}
	return settings, err
}

// RawOutput tells whether a workspace, a directory with records, asks for runs to
// be answered with the runner's own output.
func (h *base) RawOutput(workspace string) (bool, error) {
	settings, err := h.settings(workspace)
	return settings.MCP.RawOutput, err
}

// settled opens the history for a run, and ends runs that were killed. It is nil
// where there is none: in a box, or with the error that says why.
func (h *Host) settled(ctx context.Context, store *session.Store) (*memory, error) {
	if h.box != nil {
		return nil, nil
	}
	return h.settledMemory(ctx, store)
}

// before is what was outstanding before a run. Without a history it is not known.
func (h *Host) before(ctx context.Context, m *memory, language string) (rerun.Set, error) {
	switch {
	case m != nil:
		return m.outstanding(ctx, language)
	case h.box != nil:
		return rerun.Set{}, nil
	}
	return everything(""), nil
}

// see finds out what state of the sources the run saw, now that its commands have
// ended.
func (f *finisher) see(ctx context.Context, run *record.Run) {
	if f.watch == nil {
		return
	}
	f.seen = f.watch.end(context.WithoutCancel(ctx))
	switch {
	case f.seen.err != nil:
		run.Warnings = append(run.Warnings, "the state of the sources is not known: "+f.seen.err.Error())
	case len(f.seen.changed) > 0:
		run.MixedState = true
		run.Warnings = append(run.Warnings, mixedWarning(f.seen.changed))
	}
	run.Source = f.seen.source
}

// everything says that it is not known what is outstanding since a run.
func everything(runID string) rerun.Set {
	return rerun.Set{Entries: []rerun.Entry{{Reason: rerun.ReasonRun, Why: rerun.WhyLost, RunID: runID, LastRunID: runID}}}
}
