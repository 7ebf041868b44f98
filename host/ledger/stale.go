package ledger

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/api"
)

// maxStaleFiles is how many changed files are named, and looked up.
const maxStaleFiles = 20

// Stale says what happened to the sources since a run; nil where that is not
// known.
func (m *Ledger) Stale(ctx context.Context, run api.Run) *api.Stale {
	if run.Source == nil || LeavesNothing(run.Kind) {
		return nil
	}
	now, err := m.WorkingTree(ctx)
	if err != nil {
		return nil
	}
	if now.ID == run.Source.Fingerprint {
		return &api.Stale{} // also where the state itself is no longer on record
	}
	then, ok, err := m.State(ctx, run.Source.Fingerprint)
	if err != nil || !ok {
		return nil
	}
	changes := m.ChangesOf(then, now)
	if !changes.Known {
		return nil
	}
	found := &api.Stale{Changed: changes.Total}
	for _, c := range changes.Files[:min(len(changes.Files), maxStaleFiles)] {
		found.Files = append(found.Files, c.File)
		suites, err := m.History.Suites(ctx, run.Language, c.File)
		if err != nil {
			continue
		}
		for _, suite := range suites {
			if !slices.Contains(found.Suites, suite) {
				found.Suites = append(found.Suites, suite)
			}
		}
	}
	slices.Sort(found.Suites)
	return found
}

// FromTop turns a path below the directory that a state is of into one that is
// relative to the workspace.
func FromTop(top, workspace, path string) string {
	below, err := filepath.Rel(workspace, filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		return path
	}
	return filepath.ToSlash(below)
}
