package checkout

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/git"
)

// repository is the user's, which is only read.
type repository struct {
	git git.Git
	// top is the root of its working tree, common the directory shared by its
	// worktrees, objects that of its objects.
	top, common, objects string
	// format names the hash of its objects.
	format string
}

// open finds the repository whose working tree contains a directory.
func open(ctx context.Context, g git.Git, dir string) (repository, error) {
	r := repository{git: g.In(dir)}
	for _, ask := range []struct {
		into *string
		args []string
	}{
		{&r.top, []string{"rev-parse", "--path-format=absolute", "--show-toplevel"}},
		{&r.common, []string{"rev-parse", "--path-format=absolute", "--git-common-dir"}},
		{&r.objects, []string{"rev-parse", "--path-format=absolute", "--git-path", "objects"}},
		{&r.format, []string{"rev-parse", "--show-object-format"}},
	} {
		answer, err := r.git.Line(ctx, ask.args...)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil || answer == "" {
			return r, &RepositoryError{Dir: dir, Detail: git.Detail(err)}
		}
		*ask.into = answer
	}
	for _, path := range []*string{&r.top, &r.common, &r.objects} {
		resolved, err := filepath.EvalSymlinks(filepath.FromSlash(*path))
		if err != nil {
			return r, &RepositoryError{Dir: dir, Detail: err.Error()}
		}
		*path = resolved
	}
	r.git = r.git.In(r.top)
	return r, nil
}

// submodule finds the repository of a submodule: that of its working tree or, without
// one, the one that git keeps of it.
func (r repository) submodule(ctx context.Context, path string) (repository, error) {
	dir := filepath.Join(r.top, filepath.FromSlash(path))
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		sub, err := open(ctx, r.git, dir)
		if err != nil && ctx.Err() != nil {
			return sub, err
		}
		if err == nil && sub.top == dir {
			return sub, nil
		}
	}
	kept := filepath.Join(r.common, "modules", filepath.FromSlash(path))
	objects := filepath.Join(kept, "objects")
	if info, err := os.Stat(objects); err != nil || !info.IsDir() {
		return repository{}, &RepositoryError{Dir: path, Detail: "the submodule does not exist"}
	}
	return repository{git: r.git.In(dir), top: dir, common: kept, objects: objects, format: r.format}, nil
}

// mergeBase begins a revision that means the best common ancestor with another.
const mergeBase = "merge-base:"

// Resolve returns the commit that a revision denotes in the repository of dir: whatever
// git understands, or "merge-base:REV". The error is a [*RevisionError] or a
// [*RepositoryError].
func Resolve(ctx context.Context, cfg Config, revision string) (string, error) {
	r, err := open(ctx, git.New(cfg.Git, cfg.Env), cfg.Dir)
	if err != nil {
		return "", err
	}
	rev, ancestor := strings.CutPrefix(revision, mergeBase)
	commit, err := r.git.Line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err == nil && ancestor {
		commit, err = r.git.Line(ctx, "merge-base", "HEAD", commit)
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || commit == "" || rev == "" {
		return "", &RevisionError{Revision: revision, Detail: git.Detail(err)}
	}
	return commit, nil
}
