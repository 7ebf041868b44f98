package host

import (
	"context"
	"path/filepath"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/record"
)

// maxChangedFiles is how many changed files an answer names.
const maxChangedFiles = 200

// changes are the files that differ between two states on record.
func (m *memory) changes(ctx context.Context, from, to string) (record.FileChanges, error) {
	if from == "" || to == "" {
		return record.FileChanges{Why: "the state of the sources is not known of both runs"}, nil
	}
	if from == to {
		return record.FileChanges{Known: true}, nil
	}
	a, known, err := m.state(ctx, from)
	if err != nil {
		return record.FileChanges{}, err
	}
	if !known {
		return record.FileChanges{Why: "the source state " + from + " is not on record any more"}, nil
	}
	b, known, err := m.state(ctx, to)
	if err != nil {
		return record.FileChanges{}, err
	}
	if !known {
		return record.FileChanges{Why: "the source state " + to + " is not on record any more"}, nil
	}
	return m.changesOf(a, b), nil
}

// changesOf are the files that differ between two states.
func (m *memory) changesOf(a, b fingerprint.State) record.FileChanges {
	if a.ID != "" && a.ID == b.ID {
		return record.FileChanges{Known: true} // however it was found
	}
	if why := unlike(a, b); why != "" {
		return record.FileChanges{Why: why}
	}
	changed := record.FileChanges{Known: true}
	root := m.rootIn(b.Top)
	for _, c := range fingerprint.Diff(a, b) {
		if changed.Total++; len(changed.Files) < maxChangedFiles {
			changed.Files = append(changed.Files, record.FileChange{File: fromTop(b.Top, root, c.Path), Change: c.Kind.String()})
		}
	}
	return changed
}

// unlike says why two states have no files in common to compare.
func unlike(a, b fingerprint.State) string {
	if a.Kind != b.Kind {
		return "one of the states was found with git and the other without it"
	}
	if a.Top != "" && b.Top != "" && a.Top != b.Top {
		return "the states are of different directories: " + a.Top + " and " + b.Top
	}
	return ""
}

// rootIn is the root of the workspace as the directory of a state has it, which is
// without links.
func (m *memory) rootIn(top string) string {
	root := m.store.Workspace()
	if below, err := filepath.Rel(top, root); err == nil && filepath.IsLocal(below) {
		return root
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}
