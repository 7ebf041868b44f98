package checkout

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/git"
)

// Repository is the user's repository, which is only read. Anything that could start a
// program named in it is done in another repository, which borrows its objects; see [Borrow].
type Repository struct {
	Git git.Git
	// Top is the root of its working tree, Common the directory shared by its
	// worktrees, Objects that of its objects.
	Top, Common, Objects string
	// Format names the hash function of its objects.
	Format string
}

// Open finds the repository whose working tree contains a directory.
func Open(ctx context.Context, g git.Git, dir string) (Repository, error) {
	r := Repository{Git: g.In(dir)}
	for _, ask := range []struct {
		into *string
		args []string
	}{
		{&r.Top, []string{"rev-parse", "--path-format=absolute", "--show-toplevel"}},
		{&r.Common, []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}},
		{&r.Objects, []string{"rev-parse", "--path-format=absolute", "--git-path", "objects"}},
		{&r.Format, []string{"rev-parse", "--show-object-format"}},
	} {
		answer, err := r.Git.Line(ctx, ask.args...)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil && !git.Exited(err, git.Failed) {
			return r, err // git did not say so
		}
		if err != nil || answer == "" {
			return r, &RepositoryError{Dir: dir, Detail: git.Detail(err)}
		}
		*ask.into = answer
	}
	for _, path := range []*string{&r.Top, &r.Common, &r.Objects} {
		resolved, err := filepath.EvalSymlinks(filepath.FromSlash(*path))
		if err != nil {
			return r, &RepositoryError{Dir: dir, Detail: err.Error()}
		}
		*path = resolved
	}
	r.Git = r.Git.In(r.Top)
	return r, nil
}

// submodule finds the repository of a submodule: that of its working tree or, without
// one, the one that git keeps of it.
func (r Repository) submodule(ctx context.Context, path string) (Repository, error) {
	dir := filepath.Join(r.Top, filepath.FromSlash(path))
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		sub, err := Open(ctx, r.Git, dir)
		if err != nil && ctx.Err() != nil {
			return sub, err
		}
		if err == nil && sub.Top == dir {
			return sub, nil
		}
	}
	kept := filepath.Join(r.Common, "modules", filepath.FromSlash(path))
	objects := filepath.Join(kept, "objects")
	if info, err := os.Stat(objects); err != nil || !info.IsDir() {
		return Repository{}, &RepositoryError{Dir: path, Detail: "the submodule does not exist"}
	}
	return Repository{Git: r.Git.In(dir), Top: dir, Common: kept, Objects: objects, Format: r.Format}, nil
}

// mergeBase begins a revision that means the best common ancestor with another.
const mergeBase = "merge-base:"

// Resolve returns the commit that a revision denotes in the repository of dir: whatever
// git understands, or "merge-base:REV". The error is a [*RevisionError] or a
// [*RepositoryError].
func Resolve(ctx context.Context, cfg Config, revision string) (string, error) {
	r, err := Open(ctx, git.New(cfg.Git, cfg.Env), cfg.Dir)
	if err != nil {
		return "", err
	}
	rev, ancestor := strings.CutPrefix(revision, mergeBase)
	commit, err := r.Git.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err == nil && ancestor {
		commit, err = r.Git.Line(ctx, "merge-base", "HEAD", commit)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil && !git.Exited(err, git.None, git.Failed) {
		return "", err
	}
	if err != nil || commit == "" || rev == "" {
		return "", &RevisionError{Revision: revision, Detail: git.Detail(err)}
	}
	return commit, nil
}
