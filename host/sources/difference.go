package sources

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/coverage/affected"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/ledger"
)

// Difference is how the sources differ from those of a commit.
type Difference struct {
	// Base names the commit, as requested and as resolved.
	Base string
	// Commit is the full name of the commit.
	Commit  string
	Changes []affected.Change
	// before is the earlier state; root is the root of the workspace.
	before fingerprint.State
	root   string
}

// Since compares the sources with those of a revision. An invalid revision is
// a [*api.UsageError].
func Since(ctx context.Context, cfg fingerprint.Config, root, rev string) (Difference, error) {
	before, err := fingerprint.OfCommit(ctx, cfg, rev)
	var unknown *fingerprint.UnknownRevisionError
	var none *fingerprint.NoRepositoryError
	switch {
	case errors.As(err, &unknown):
		return Difference{}, &api.UsageError{Reason: fmt.Sprintf("git knows no revision %s here: %s", unknown.Rev, unknown.Detail), Fix: "name a commit, a branch or a tag, such as HEAD or main"}
	case errors.As(err, &none):
		return Difference{}, &api.UsageError{Reason: "changes are found with git, and " + none.Error(), Fix: "name a file, run everything, or create a repository with `git init`"}
	case err != nil:
		return Difference{}, err
	}
	base := rev
	if len(before.Commit) >= shortCommit && rev != before.Commit {
		base = fmt.Sprintf("%s (%s)", rev, before.Commit[:shortCommit])
	}
	now, err := fingerprint.Take(ctx, cfg)
	if err != nil {
		return Difference{}, err
	}
	d, why := compareSources(root, before, now.State, base)
	if why != "" {
		return d, fmt.Errorf("the changes cannot be determined: %s", why)
	}
	return d, err
}

// SinceRun compares the sources with those that a run saw. known is false if
// these are not on record, or the run saw more than one state of them.
func SinceRun(ctx context.Context, led *ledger.Ledger, root, id string) (d Difference, known bool, err error) {
	run, err := led.History.Run(ctx, id)
	if _, ok := errors.AsType[*api.NoRunError](err); ok || err == nil && (run.MixedState || run.Fingerprint == "") {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	before, known, err := led.State(ctx, run.Fingerprint)
	if err != nil || !known {
		return d, false, err
	}
	cfg := led.SourceConfig(ctx)
	now := led.KnownSources(cfg)
	if now == nil {
		if now, err = fingerprint.Take(ctx, cfg); err != nil {
			return d, false, err
		}
	}
	d, why := compareSources(root, before, now.State, "run "+run.ID)
	return d, why == "", nil
}

// compareSources compares the present sources with an earlier state, named base, or says
// why it cannot.
func compareSources(root string, before, now fingerprint.State, base string) (d Difference, why string) {
	if why := ledger.WhyIncomparable(before, now); why != "" {
		return Difference{}, why
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	d = Difference{Base: base, Commit: before.Commit, before: before, root: root}
	for _, c := range fingerprint.Diff(before, now) {
		d.Changes = append(d.Changes, affected.Change{
			Path: inWorkspace(now.Top, root, c.Path), Added: c.Kind == fingerprint.Added, Removed: c.Kind == fingerprint.Deleted,
			Link: isLink(before, c.Path) || isLink(now, c.Path),
		})
	}
	return d, ""
}

func isLink(s fingerprint.State, path string) bool {
	f, ok := s.Find(path)
	return ok && f.Mode == fingerprint.Symlink
}

// InBase reports whether a path, in the form of those of the changes, is a regular file of
// the earlier state.
func (d *Difference) InBase(path string) bool {
	whole := path
	if !filepath.IsAbs(path) {
		whole = filepath.Join(d.root, filepath.FromSlash(path))
	}
	below, err := filepath.Rel(d.before.Top, whole)
	if err != nil {
		return false
	}
	f, ok := d.before.Find(filepath.ToSlash(below))
	return ok && (f.Mode == fingerprint.Regular || f.Mode == fingerprint.Executable) && inWorkspace(d.before.Top, d.root, f.Path) == path
}

// shortCommit is how many digits of a commit are shown.
const shortCommit = 10

// inWorkspace converts a path relative to top into one relative to the workspace, or into
// an absolute one outside of it.
func inWorkspace(top, root, path string) string {
	whole := filepath.Join(top, filepath.FromSlash(path))
	if below, err := filepath.Rel(root, whole); err == nil && filepath.IsLocal(below) {
		return filepath.ToSlash(below)
	}
	return whole
}
