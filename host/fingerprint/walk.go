package fingerprint

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// walk examines all files of a top. With the tree of an earlier walk it lists only
// directories that changed, and asks git only about new names.
type walk struct {
	cfg   Config
	top   string
	taken time.Time
	queue *queue
	// outputs are not sources; see [Config].
	outputs []string
	// again reports whether the earlier tree shows what is listed and ignored.
	// Otherwise it only shows what was read.
	again bool
	// maxFiles bounds files.
	maxFiles int64
	files    atomic.Int64
	// rules reports whether a file that says what is ignored or converted was added,
	// changed or removed.
	rules atomic.Bool
	mu    sync.Mutex
	// repos are all repositories in use; they must be closed.
	repos []*repository
	// gone are files that existed a moment before.
	gone []string
	// attributes are the attribute files, by repository.
	attributes map[*repository][]string
}

const (
	// ownName is where proctor keeps its records.
	ownName = ".proctor"
	// chunk is how many files of a directory a job examines.
	chunk = 256
	// maxRepositories and maxNesting bound the repositories in a repository: each costs
	// a few processes.
	maxRepositories = 256
	maxNesting      = 8
)

// other systems' directories, which change by themselves; examined only without git.
var versioned = [...]string{".hg", ".svn", ".jj", ".bzr", "CVS"}

// run walks from the top, whose repository is open.
func (w *walk) run(ctx context.Context, repo *repository, before *dir) (*dir, error) {
	root := &dir{repo: repo}
	if !slices.Contains(w.repos, repo) {
		w.repos = append(w.repos, repo)
	}
	w.attributes = map[*repository][]string{}
	w.queue = newQueue()
	w.queue.add(func(ctx context.Context) error { return w.enter(ctx, root, before) })
	if err := w.queue.run(ctx); err != nil {
		return nil, err
	}
	return root, nil
}

// enter enters a directory.
func (w *walk) enter(ctx context.Context, d, before *dir) error {
	path := absolute(w.top, d.path)
	var err error
	if d.stat, err = lstat(path); err != nil || d.stat.kind != directory {
		w.vanished(d.path)
		return nil
	}
	d.racy = d.stat.racy(w.taken)
	if w.again && before != nil && before.stat == d.stat && !before.racy {
		d.git = before.git
		d.children = make([]child, len(before.children))
		for i, c := range before.children {
			d.children[i] = child{name: c.name, kind: c.kind, skip: c.skip}
		}
	} else if err := w.list(ctx, d, before, path); err != nil {
		return err
	}
	return w.follow(d, before)
}

// follow examines what is in a directory.
func (w *walk) follow(d, before *dir) error {
	files := 0
	for i := range d.children {
		c := &d.children[i]
		if isRule(c.name) && c.kind != directory {
			w.rule(d, c.name)
		}
		if c.skip {
			continue
		}
		if c.kind != directory {
			files++
			continue
		}
		known, _ := before.find(c.name, directory)
		w.queue.add(func(ctx context.Context) error { return w.descend(ctx, d, c, known.dir) })
	}
	if w.files.Add(int64(files)) > w.maxFiles {
		return &TooLargeError{Top: w.top, What: "files", Bound: w.maxFiles}
	}
	slab := make([]file, files)
	for at := 0; at < len(d.children); at += chunk {
		part := d.children[at:min(at+chunk, len(d.children))]
		if at+chunk >= len(d.children) {
			return w.stats(d, part, before, slab)
		}
		n := 0
		for i := range part {
			if !part[i].skip && part[i].kind != directory {
				n++
			}
		}
		own := slab[:n]
		slab = slab[n:]
		w.queue.add(func(context.Context) error { return w.stats(d, part, before, own) })
	}
	return nil
}

// descend continues into a directory, which may be a repository of its own.
func (w *walk) descend(ctx context.Context, d *dir, c *child, before *dir) error {
	path := d.path + c.name + "/"
	repo := d.repo
	link := repo.gitDir != "" && isSubmodule(repo.entry(repo.inside(d.path)+c.name))
	switch {
	case w.again && before != nil:
		repo = before.repo
	case link || repo.gitDir == "" || !repo.holds(repo.inside(d.path)+c.name):
		nested, err := w.nested(ctx, path)
		if err != nil {
			return err
		}
		if nested != nil {
			repo = nested
		}
	}
	if link && repo == d.repo {
		// Not populated: its content is absent, only its commit is known.
		f := &file{repo: repo, File: File{strings.TrimSuffix(path, "/"), Submodule, repo.entry(repo.inside(d.path) + c.name).hash}}
		st, err := lstat(absolute(w.top, path))
		if err == nil {
			f.stat.kind, c.file = st.kind, f
		}
		return nil
	}
	c.dir = &dir{path: path, repo: repo}
	return w.enter(ctx, c.dir, before)
}

func isSubmodule(t *tracked) bool { return t != nil && t.mode&gitTypes == gitSubmodule }

// nested opens the repository whose top is path, if it is one.
func (w *walk) nested(ctx context.Context, path string) (*repository, error) {
	at := absolute(w.top, path)
	if gitDir(at) == "" {
		return nil, nil
	}
	repo, err := openRepository(ctx, w.cfg, at, path, true)
	if _, ok := errors.AsType[*NoRepositoryError](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.repos = append(w.repos, repo)
	depth := 0
	for _, r := range w.repos {
		if strings.HasPrefix(repo.prefix, r.prefix) {
			depth++
		}
	}
	if len(w.repos) > maxRepositories || depth > maxNesting+1 {
		return nil, &TooLargeError{Top: w.top, What: "repositories inside repositories", Bound: maxRepositories}
	}
	return repo, nil
}

// vanished records what existed a moment ago.
func (w *walk) vanished(path string) {
	if path == "" {
		return // the top itself: all that was in it is reported
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = append(w.gone, strings.TrimSuffix(path, "/"))
}
