package ledger

import (
	"context"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
)

// MaxChangedFiles is how many changed files an answer names.
const MaxChangedFiles = 200

// Changes are the files that differ between two states on record.
func (m *Ledger) Changes(ctx context.Context, from, to string) (api.FileChanges, error) {
	if from == "" || to == "" {
		return api.FileChanges{Why: "the state of the sources is not known of both runs"}, nil
	}
	if from == to {
		return api.FileChanges{Known: true}, nil
	}
	a, known, err := m.State(ctx, from)
	if err != nil {
		return api.FileChanges{}, err
	}
	if !known {
		return api.FileChanges{Why: "the source state " + from + " is not on record any more"}, nil
	}
	b, known, err := m.State(ctx, to)
	if err != nil {
		return api.FileChanges{}, err
	}
	if !known {
		return api.FileChanges{Why: "the source state " + to + " is not on record any more"}, nil
	}
	return m.ChangesOf(a, b), nil
}

// ChangesOf are the files that differ between two states.
func (m *Ledger) ChangesOf(a, b fingerprint.State) api.FileChanges {
	if a.ID != "" && a.ID == b.ID {
		return api.FileChanges{Known: true} // however it was found
	}
	if why := Unlike(a, b); why != "" {
		return api.FileChanges{Why: why}
	}
	changed := api.FileChanges{Known: true}
	root := m.RootIn(b.Top)
	for _, c := range fingerprint.Diff(a, b) {
		if changed.Total++; len(changed.Files) < MaxChangedFiles {
			changed.Files = append(changed.Files, api.FileChange{File: FromTop(b.Top, root, c.Path), Change: c.Kind.String()})
		}
	}
	return changed
}

// Unlike says why two states have no files in common to compare.
func Unlike(a, b fingerprint.State) string {
	if a.Kind != b.Kind {
		return "one of the states was found with git and the other without it"
	}
	if a.Top != "" && b.Top != "" && a.Top != b.Top {
		return "the states are of different directories: " + a.Top + " and " + b.Top
	}
	return ""
}

// RootIn is the root of the workspace as the directory of a state has it, which is
// without links.
func (m *Ledger) RootIn(top string) string {
	root := m.Artifacts.Workspace()
	if below, err := filepath.Rel(top, root); err == nil && filepath.IsLocal(below) {
		return root
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}
