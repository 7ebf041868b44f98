package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// RunID finds the run that is meant: an id, the unique beginning of one, "last"
// or "prev", which are the newest finished runs of this session.
func (h *Host) RunID(ctx context.Context, where Where, ref string) (string, error) {
	m, err := h.recall(ctx, where)
	if err != nil {
		return "", err
	}
	run, err := m.findRun(ctx, ref, "")
	return run.ID, err
}

// findRun finds a run that is on record; language narrows "last" and "prev". An
// error about a beginning that several runs share names them.
func (m *memory) findRun(ctx context.Context, ref, language string) (history.Run, error) {
	if back := slices.Index([]string{"last", "prev"}, ref); back >= 0 {
		runs, err := m.comparable(ctx, history.RunFilter{SessionID: m.host.cfg.Session, Language: language, Limit: back + 1})
		if err != nil {
			return history.Run{}, err
		}
		if back >= len(runs) {
			return history.Run{}, &UsageError{
				Reason: fmt.Sprintf("this session has %d finished runs, and so no %q", len(runs), ref), Fix: "`proctor runs` lists those of others too",
			}
		}
		return runs[back], nil
	}
	run, err := m.history.Run(ctx, ref)
	var none *history.NoRunError
	if !errors.As(err, &none) {
		return run, err
	}
	all, err := m.allRuns(ctx)
	if err != nil {
		return history.Run{}, err
	}
	var meant []history.Run
	for _, run := range all {
		if run.ID == ref {
			return run, nil
		}
		if ref != "" && strings.HasPrefix(run.ID, ref) {
			meant = append(meant, run)
		}
	}
	switch len(meant) {
	case 0:
		return history.Run{}, &UsageError{Reason: fmt.Sprintf("no run %q is on record in this workspace", ref), Fix: "`proctor runs` lists those that are"}
	case 1:
		return meant[0], nil
	}
	names := make([]string, 0, maxMatches)
	for _, run := range meant[:min(len(meant), maxMatches)] {
		names = append(names, run.ID+" ("+string(run.Kind)+", "+string(run.Verdict)+")")
	}
	return history.Run{}, &UsageError{
		Reason: fmt.Sprintf("run %q is not unique: %d begin with it", ref, len(meant)), Fix: "give more of the id: " + strings.Join(names, ", "),
	}
}

// comparable are finished runs of the tests of this workspace, newest first. What
// was made elsewhere is only meant where its session is.
func (m *memory) comparable(ctx context.Context, filter history.RunFilter) ([]history.Run, error) {
	filter.State, filter.Kinds = record.StateFinished, []record.Kind{record.KindRun, record.KindRerun}
	limit := filter.Limit
	if filter.SessionID == "" {
		filter.Limit = 0
	}
	runs, err := m.history.Runs(ctx, filter)
	if filter.SessionID == "" {
		runs = slices.DeleteFunc(runs, func(run history.Run) bool { return run.Origin != "" })
	}
	return runs[:min(len(runs), limit)], err
}
