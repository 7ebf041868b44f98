package fingerprint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/git"
)

// Snapshot is a state, and what is needed to tell cheaply what changed since. It is
// immutable and safe for concurrent use.
type Snapshot struct {
	State State
	// Reason says why git was not used although there is a repository, as when git
	// refuses one that belongs to somebody else. Otherwise it is nil.
	Reason error

	cfg   Config
	taken time.Time
	root  *dir
	// files are those of the state, in its order.
	files []*file
	repos []*repository
	// moved are files that changed since cfg.Since, or while they were examined.
	moved []string
	// uncommitted are the first files that no commit holds.
	uncommitted []File
	// asking is the right to ask a snapshot or one of its successors, which share
	// processes: a token for one at a time.
	asking chan struct{}
}

// Take determines the present state of the sources.
func Take(ctx context.Context, cfg Config) (*Snapshot, error) {
	return open(ctx, cfg).take(ctx, cfg, nil)
}

// Dirs returns the directories that were examined, the top among them: those that hold
// sources or could, and are not ignored.
func (s *Snapshot) Dirs() []string {
	var paths []string
	for d := range s.root.dirs {
		paths = append(paths, absolute(s.State.Top, d.path))
	}
	return paths
}

// opened is a workspace whose repository is open.
type opened struct {
	at  time.Time
	dir string
	// repo is nil if there is none, or, with a reason, if git cannot be used for it.
	repo   *repository
	reason error
	err    error
}

func open(ctx context.Context, cfg Config) opened {
	o := opened{at: cfg.now()}
	if o.dir, o.err = workDir(cfg.Root); o.err == nil {
		o.repo, o.reason = openTop(ctx, cfg, o.dir)
	}
	return o
}

// take takes a snapshot of what was opened, which it closes. It may reuse what an earlier
// snapshot has read.
func (o opened) take(ctx context.Context, cfg Config, before *dir) (*Snapshot, error) {
	if o.err != nil {
		return nil, o.err
	}
	dir, taken, repo, reason := o.dir, o.at, o.repo, o.reason
	if ctx.Err() != nil {
		if repo != nil {
			repo.close()
		}
		return nil, context.Cause(ctx)
	}
	for tries := 0; repo != nil; tries++ {
		s, err := look(ctx, cfg, taken, &walk{top: repo.top}, repo, before)
		var failed *git.Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &failed) {
			return s, err
		}
		// A file that became a link at the wrong moment ends git; next time it is a
		// link from the start.
		if repo, reason = nil, err; tries == 0 {
			repo, reason = openTop(ctx, cfg, dir)
		}
	}
	s, err := look(ctx, cfg, taken, &walk{top: dir}, plain(dir), before)
	if err != nil {
		return nil, err
	}
	s.Reason = reason
	return s, nil
}

func workDir(root string) (string, error) {
	dir, err := filepath.Abs(root)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	return dir, nil
}

// openTop opens the repository that contains a directory, or says why that fails; nil
// if there is none. A directory that its repository ignores is not part of it.
func openTop(ctx context.Context, cfg Config, dir string) (*repository, error) {
	repo, err := openRepository(ctx, cfg, dir, "", false)
	if _, ok := errors.AsType[*NoRepositoryError](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(repo.top, dir)
	if err != nil {
		return nil, err
	}
	if rel = filepath.ToSlash(rel); rel == "." || repo.holds(rel) {
		return repo, nil
	}
	ignored, err := repo.judge.ignored(ctx, []string{rel})
	if err != nil || ignored[0] {
		repo.close()
		return nil, err
	}
	return repo, nil
}

// look walks the tree, reads files and sums up.
func look(ctx context.Context, cfg Config, taken time.Time, w *walk, repo *repository, before *dir) (*Snapshot, error) {
	files, bytes := cfg.limits(repo.gitDir != "")
	w.cfg, w.taken, w.maxFiles, w.outputs = cfg, taken, files, cfg.outputs(w.top)
	defer func() {
		for _, r := range w.repos {
			r.close()
		}
	}()
	root, err := w.run(ctx, repo, before)
	if err != nil {
		return nil, err
	}
	if err := w.checkClean(ctx, root); err != nil {
		return nil, err
	}
	if err := w.contents(ctx, root, bytes); err != nil {
		return nil, err
	}
	s := &Snapshot{cfg: cfg, taken: taken, root: root, repos: root.repositories(nil), asking: make(chan struct{}, 1)}
	s.sumUp(w)
	return s, nil
}

// checkClean arranges for reading files whose objects may be something else.
func (w *walk) checkClean(ctx context.Context, root *dir) error {
	if w.again {
		return nil // nothing was taken from the index
	}
	clean := map[*repository][]*file{}
	for f := range root.each {
		if f.clean {
			clean[f.repo] = append(clean[f.repo], f)
		}
	}
	for r, files := range clean {
		converted, err := w.converted(ctx, r, files)
		if err != nil {
			return err
		}
		for _, f := range converted {
			f.read = true
		}
	}
	return nil
}

// sumUp makes a state of the results.
func (s *Snapshot) sumUp(w *walk) {
	since := s.cfg.Since
	if since.IsZero() {
		since = s.taken
	}
	top := s.repos[0]
	s.State = State{Kind: "walk", Top: top.top, Dirty: -1}
	s.files = make([]*file, 0, w.files.Load())
	for f := range s.root.each {
		if f.read || f.moved || f.stat.since(since, s.taken) {
			s.moved = append(s.moved, f.Path)
		}
		if !f.read { // otherwise it was gone before it could be read
			s.files = append(s.files, f)
		}
	}
	// A submodule that is not populated is a file in place of a directory.
	if byPath := func(a, b *file) int { return strings.Compare(a.Path, b.Path) }; !slices.IsSortedFunc(s.files, byPath) {
		slices.SortFunc(s.files, byPath)
	}
	s.State.Files = make([]File, len(s.files))
	for i, f := range s.files {
		s.State.Files[i] = f.File
	}
	s.moved = append(s.moved, w.gone...)
	var wg sync.WaitGroup
	if top.gitDir != "" {
		s.State.Kind, s.State.Commit, s.State.Branch, s.State.Worktree = "git", top.commit, top.branch, top.gitDir
		wg.Go(func() { s.State.Dirty = s.dirty() })
	}
	s.State.ID = Identify(s.State.Files)
	wg.Wait()
}
