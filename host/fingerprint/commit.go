package fingerprint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proctorhq/proctor/host/git"
)

// OfCommit returns the state of a clean checkout of a revision, without untracked
// files: its id equals that of [Take] in such a checkout. Submodules populated at
// cfg.Root count with their files if their commit is on the machine, others as their
// commit. A file that git converts on its way into the working tree counts with its
// content at cfg.Root if git considers that unchanged, otherwise as git stores it,
// which no checkout has.
//
// A revision that is not a commit here is an [*UnknownRevisionError], a directory
// without a repository a [*NoRepositoryError]. Nothing is checked out.
func OfCommit(ctx context.Context, cfg Config, rev string) (State, error) {
	dir, err := workDir(cfg.Root)
	if err != nil {
		return State{}, err
	}
	repo, err := openRepository(ctx, cfg, dir, "", false)
	if err != nil {
		return State{}, err
	}
	commit, err := repo.resolve(ctx, rev)
	if err != nil {
		return State{}, err
	}
	c := &checkout{cfg: cfg, top: repo.top, most: maxFiles}
	if cfg.MaxFiles > 0 {
		c.most = cfg.MaxFiles
	}
	if err := c.add(ctx, repo, commit, 0); err != nil {
		return State{}, err
	}
	// A submodule's files sort after its siblings that begin with its name.
	slices.SortFunc(c.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return State{
		ID: Identify(c.files), Kind: "git", Top: repo.top, Commit: commit, Worktree: repo.gitDir, Files: c.files,
	}, nil
}

// resolve returns the commit that a revision denotes.
func (r *repository) resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.git.Run(ctx, "rev-parse", "--verify", "--end-of-options", rev+"^{commit}")
	if failed, ok := errors.AsType[*git.Error](err); ok && git.Exited(err, git.Failed) {
		detail := strings.TrimPrefix(failed.Detail, "fatal: ")
		if shallow, _ := r.git.Line(ctx, "rev-parse", "--is-shallow-repository"); shallow == "true" {
			detail += " (the clone is shallow: `git fetch --unshallow` gets the rest)"
		}
		return "", &UnknownRevisionError{Rev: rev, Detail: detail}
	}
	return strings.TrimSpace(string(out)), err
}

// checkout collects the files of a commit.
type checkout struct {
	cfg   Config
	top   string
	most  int
	files []File
}

func (c *checkout) add(ctx context.Context, r *repository, commit string, depth int) error {
	out, err := r.git.Run(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	files, err := parseTree(out)
	if err != nil {
		return err
	}
	if len(c.files)+len(files) > c.most {
		return &TooLargeError{Top: c.top, What: "files", Bound: int64(c.most)}
	}
	if err := c.convert(ctx, r, files); err != nil {
		return err
	}
	for _, f := range files {
		if ours(f.Path) {
			continue
		}
		path := r.prefix + f.Path
		if f.Mode == Submodule && depth < maxNesting {
			added, err := c.submodule(ctx, path+"/", f.object, depth+1)
			if err != nil {
				return err
			}
			if added {
				continue
			}
		}
		c.files = append(c.files, File{path, f.Mode, f.Hash})
	}
	return nil
}

// submodule adds the files of a submodule's commit if both are present.
func (c *checkout) submodule(ctx context.Context, path, commit string, depth int) (bool, error) {
	at := filepath.Join(c.top, filepath.FromSlash(path))
	if real, err := filepath.EvalSymlinks(at); err != nil || real != at {
		return false, nil // not populated, or a link that leads elsewhere
	}
	repo, err := openRepository(ctx, c.cfg, at, path, true)
	if err == nil {
		_, err = repo.resolve(ctx, commit)
	}
	var none *NoRepositoryError
	var unknown *UnknownRevisionError
	switch {
	case errors.As(err, &none), errors.As(err, &unknown):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, c.add(ctx, repo, commit, depth)
}

// treeFile is a file of a tree, with its full object name.
type treeFile struct {
	File
	object string
}

// parseTree reads `git ls-tree -z`: mode, type, object, tab, path.
func parseTree(out []byte) ([]treeFile, error) {
	files := make([]treeFile, 0, bytes.Count(out, []byte{0}))
	for len(out) > 0 {
		line, rest, ok := bytes.Cut(out, []byte{0})
		head, path, ok2 := strings.Cut(string(line), "\t")
		fields := strings.Fields(head)
		if !ok || !ok2 || len(fields) != 3 || path == "" {
			return nil, fmt.Errorf("git printed %q for a file of a tree", line)
		}
		mode, hash, err := modeAndHash(fields[0], fields[2])
		if err != nil {
			return nil, err
		}
		files = append(files, treeFile{File{path, fileMode(mode), hash}, fields[2]})
		out = rest
	}
	return files, nil
}

// convert replaces stored content by that of the working tree, for files that git
// converts and has seen in their present version.
func (c *checkout) convert(ctx context.Context, r *repository, files []treeFile) error {
	w := &walk{cfg: c.cfg, top: c.top, attributes: map[*repository][]string{}}
	var seen []*file
	var of []int
	for i, f := range files {
		if base := f.Path[strings.LastIndexByte(f.Path, '/')+1:]; base == attributesName {
			w.attributes[r] = append(w.attributes[r], absolute(r.top, f.Path))
		}
		t := r.entry(f.Path)
		if f.Mode == Submodule || f.Mode == Symlink || t == nil || t.hash != f.Hash || fileMode(t.mode) != f.Mode {
			continue
		}
		seen, of = append(seen, &file{File: File{Path: r.prefix + f.Path}, repo: r}), append(of, i)
	}
	converted, err := w.converted(ctx, r, seen)
	if err != nil {
		return err
	}
	h := newHasher()
	for i, f := range seen {
		if len(converted) == 0 || converted[0] != f {
			continue
		}
		converted = converted[1:]
		path := absolute(c.top, f.Path)
		st, err := lstat(path)
		if err != nil || !r.entry(r.inside(f.Path)).matches(st, r.written) {
			continue
		}
		sum, err := h.file(path, r.wide, st)
		if err != nil && !errors.Is(err, errMoved) {
			return err
		}
		if err == nil {
			files[of[i]].Hash = sum
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
