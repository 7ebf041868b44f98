package host

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/record"
)

// maxStaleFiles is how many changed files are named, and looked up.
const maxStaleFiles = 20

// stale says what happened to the sources since a run; nil where that is not
// known.
func (m *memory) stale(ctx context.Context, run record.Run) *record.Stale {
	if run.Source == nil || leavesNothing(run.Kind) {
		return nil
	}
	now, err := m.workingTree(ctx)
	if err != nil {
		return nil
	}
	if now.ID == run.Source.Fingerprint {
		return &record.Stale{} // also where the state itself is no longer on record
	}
	then, ok, err := m.state(ctx, run.Source.Fingerprint)
	if err != nil || !ok {
		return nil
	}
	changes := m.changesOf(then, now)
	if !changes.Known {
		return nil
	}
	found := &record.Stale{Changed: changes.Total}
	for _, c := range changes.Files[:min(len(changes.Files), maxStaleFiles)] {
		found.Files = append(found.Files, c.File)
		suites, err := m.history.Suites(ctx, run.Language, c.File)
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

// fromTop turns a path below the directory that a state is of into one that is
// relative to the workspace.
func fromTop(top, workspace, path string) string {
	below, err := filepath.Rel(workspace, filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		return path
	}
	return filepath.ToSlash(below)
}
