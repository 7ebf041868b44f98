package fingerprint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/git"
)

// repository is one git checkout below the top, or the absence of one: then everything
// counts.
type repository struct {
	git git.Git
	// top is its directory; prefix is that below the snapshot's top, "" or with a
	// trailing slash.
	top, prefix string
	// gitDir is empty without git.
	gitDir string
	// wide reports whether objects are named by SHA-256.
	wide           bool
	commit, branch string
	settings       settings
	// index is sorted by path; written is when it was last written.
	index   []tracked
	written time.Time
	// staged are the files that differ between the commit and the index; known is false
	// if that could not be determined.
	staged      []staged
	stagedKnown bool
	// watch are the files of git that decide what is tracked, ignored, converted and
	// checked out, as they were before anything was read.
	watch map[string]stat
	judge *judge
}

// settings are the parts of git's configuration that affect files in the working tree.
type settings struct {
	// noModes means that executable bits are meaningless; noLinks, that links are
	// files.
	noModes, noLinks bool
	// convert reports whether line endings are converted in all files.
	convert bool
	// attributes is the user's attributes file.
	attributes string
}

// plain returns what stands in for a missing repository.
func plain(top string) *repository { return &repository{top: top} }

// openRepository examines the checkout that contains dir. With nested, only a checkout
// whose top is dir counts. Without one the error is a [*NoRepositoryError].
func openRepository(ctx context.Context, cfg Config, dir, prefix string, nested bool) (*repository, error) {
	if cfg.Git == "" || nested && gitDir(dir) == "" || Worktree(dir) == "" {
		return nil, &NoRepositoryError{Dir: dir}
	}
	g := git.New(cfg.Git, cfg.env()).In(dir)
	var wg sync.WaitGroup
	defer wg.Wait()
	r := &repository{prefix: prefix, settings: settings{noModes: !hasInodes, noLinks: !hasInodes}}
	var settingsErr error
	wg.Go(func() { settingsErr = r.settings.read(ctx, g, cfg.env()) })
	ahead := r.lookAhead(ctx, g, dir)
	if err := r.locate(ctx, g, dir, nested); err != nil {
		ahead.drop()
		return nil, err
	}
	r.git = g.In(r.top)
	r.judge = &judge{git: r.git}
	var indexErr error
	if !ahead.take(r) {
		r.look()
		wg.Go(func() { r.readStaged(ctx) })
	}
	wg.Go(func() { indexErr = r.readIndex(ctx) })
	wg.Wait()
	if err := errors.Join(indexErr, settingsErr); err != nil {
		return nil, err
	}
	return r, nil
}

// locate asks git for the top, and for what is checked out. Git reports the way up to
// the top, so that no path must be parsed from its output; a different top named by the
// configuration is ignored.
func (r *repository) locate(ctx context.Context, g git.Git, dir string, nested bool) error {
	out, err := g.Run(ctx, "rev-parse", "--is-inside-work-tree", "--show-cdup", "--show-object-format", "HEAD", "--symbolic-full-name", "HEAD")
	unborn := false
	if err != nil {
		if !git.Exited(err, git.Failed) {
			return err
		}
		// Before the first commit there is no HEAD.
		var unbornErr error
		if out, unbornErr = g.Run(ctx, "rev-parse", "--is-inside-work-tree", "--show-cdup", "--show-object-format"); unbornErr != nil {
			return unbornErr
		}
		unborn = true
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) < 3 || lines[0] != "true" {
		return &NoRepositoryError{Dir: dir}
	}
	up := lines[1]
	if strings.Trim(up, "./") != "" || strings.HasPrefix(up, "/") || nested && up != "" {
		return &NoRepositoryError{Dir: dir}
	}
	r.top = filepath.Join(dir, filepath.FromSlash(up))
	if r.gitDir = gitDir(r.top); r.gitDir == "" {
		return &NoRepositoryError{Dir: dir}
	}
	r.wide = lines[2] == "sha256"
	switch {
	case unborn:
		r.branch = unbornBranch(ctx, g)
	case len(lines) == 5:
		r.commit, r.branch = lines[3], branchName(lines[4])
	default:
		return &git.Error{Dir: dir, Command: "rev-parse", Err: errors.New("its answer has an unexpected form")}
	}
	return nil
}

func unbornBranch(ctx context.Context, g git.Git) string {
	out, err := g.Run(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		return ""
	}
	return branchName(strings.TrimSuffix(string(out), "\n"))
}

// branchName shortens a ref; a detached HEAD has none.
func branchName(ref string) string {
	name, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return ""
	}
	return name
}

// look records the state of git's files.
func (r *repository) look() {
	common := commonDir(r.gitDir)
	r.watch = map[string]stat{}
	for _, path := range []string{
		filepath.Join(r.gitDir, "index"), filepath.Join(r.gitDir, "HEAD"), filepath.Join(r.gitDir, "logs", "HEAD"),
		filepath.Join(r.gitDir, "config.worktree"), filepath.Join(common, "config"),
		filepath.Join(common, "info", "exclude"), filepath.Join(common, "info", "attributes"),
		filepath.Join(r.gitDir, "info", "sparse-checkout"),
	} {
		r.watch[path], _ = lstat(path) // a missing file is a stat of zeros
	}
}

// moved reports whether a file of git changed, or is so new that this cannot be told.
func (r *repository) moved(since time.Time) bool {
	for path, before := range r.watch {
		if now, _ := lstat(path); now != before || now.racy(since) {
			return true
		}
	}
	return false
}

// maxIndex bounds the index that is read: a million files take some 100 MB.
const maxIndex = 512 << 20

// readIndex reads what git tracks. A repository without an index tracks nothing.
func (r *repository) readIndex(ctx context.Context) error {
	path := filepath.Join(r.gitDir, "index")
	f, err := os.OpenFile(path, os.O_RDONLY|nonBlock, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() || st.Size() > maxIndex {
		return fmt.Errorf("%s is not an index that can be read", path)
	}
	r.written = st.ModTime()
	var raw bytes.Buffer
	raw.Grow(int(st.Size()) + bytes.MinRead)
	if _, err := raw.ReadFrom(io.LimitReader(f, maxIndex)); err != nil {
		return err
	}
	if r.index, err = parseIndex(raw.Bytes(), r.wide); err == nil {
		return nil
	}
	out, err := r.git.Run(ctx, "ls-files", "--stage", "-t", "-z")
	if err != nil {
		return err
	}
	r.index, err = parseStaged(out)
	return err
}

// entry finds what git tracks at a path below the repository's top.
func (r *repository) entry(path string) *tracked {
	if i := r.search(path); i < len(r.index) && r.index[i].path == path {
		return &r.index[i]
	}
	return nil
}

// holds reports whether git tracks files below a directory.
func (r *repository) holds(dir string) bool {
	dir += "/"
	i := r.search(dir)
	return i < len(r.index) && strings.HasPrefix(r.index[i].path, dir)
}

// search finds the first entry at or after a path.
func (r *repository) search(path string) int {
	low, high := 0, len(r.index)
	for low < high {
		if mid := (low + high) / 2; r.index[mid].path < path {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (r *repository) close() {
	if r.judge != nil {
		r.judge.close()
	}
}
