package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

// Difference is how the sources differ from those of a commit.
type Difference struct {
	// Base names the commit, as it was asked for and as what it is.
	Base string
	// Commit is the whole name of the commit.
	Commit  string
	Changes []affected.Change
	// inBase are the regular files of the commit, as paths of changes.
	inBase map[string]bool
}

// DifferenceSince compares the sources with those of a revision. A revision that is
// none is a [*UsageError].
func DifferenceSince(ctx context.Context, cfg fingerprint.Config, root, rev string) (Difference, error) {
	before, err := fingerprint.OfCommit(ctx, cfg, rev)
	var unknown *fingerprint.UnknownRevisionError
	var none *fingerprint.NoRepositoryError
	switch {
	case errors.As(err, &unknown):
		return Difference{}, &api.UsageError{Reason: fmt.Sprintf("%s is no revision here: %s", unknown.Rev, unknown.Detail), Fix: "name a commit, a branch or a tag, such as HEAD or main"}
	case errors.As(err, &none):
		return Difference{}, &api.UsageError{Reason: "what was changed is told by git, and " + none.Error(), Fix: "name a file to ask about, run everything, or begin a repository with `git init`"}
	case err != nil:
		return Difference{}, err
	}
	now, err := fingerprint.Take(ctx, cfg)
	if err != nil {
		return Difference{}, err
	}
	if why := ledger.Unlike(before, now.State); why != "" {
		return Difference{}, fmt.Errorf("what was changed cannot be told: %s", why)
	}
	d := Difference{Base: rev, Commit: before.Commit, inBase: map[string]bool{}}
	if len(before.Commit) >= shortCommit && rev != before.Commit {
		d.Base = fmt.Sprintf("%s (%s)", rev, before.Commit[:shortCommit])
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	links := map[string]bool{}
	for _, f := range slices.Concat(before.Files, now.State.Files) {
		if f.Mode == fingerprint.Symlink {
			links[f.Path] = true
		}
	}
	for _, f := range before.Files {
		d.inBase[inWorkspace(before.Top, root, f.Path)] = f.Mode == fingerprint.Regular || f.Mode == fingerprint.Executable
	}
	for _, c := range fingerprint.Diff(before, now.State) {
		d.Changes = append(d.Changes, affected.Change{
			Path: inWorkspace(now.State.Top, root, c.Path), Added: c.Kind == fingerprint.Added, Removed: c.Kind == fingerprint.Deleted,
			Link: links[c.Path],
		})
	}
	return d, nil
}

// shortCommit is how much of a commit's name is shown.
const shortCommit = 10

// inWorkspace turns a path below a top into one that is relative to the workspace, or
// absolute outside of it.
func inWorkspace(top, root, path string) string {
	whole := filepath.Join(top, filepath.FromSlash(path))
	if below, err := filepath.Rel(root, whole); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return whole
}
