package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/git"
)

// Tree is the working tree of a repository.
type Tree struct {
	// Remote is where the repository can be fetched from, and Commit what was checked out.
	Remote string
	Commit string
	// State is a commit of the files as they were, upon Commit; the same if nothing was
	// changed.
	State string
	// Within is the directory of the tests in the repository, slash-separated.
	Within string
	// Pack is the name of the pack in the store; empty if the remote has everything.
	Pack string
}

// Config says what to capture.
type Config struct {
	Git string // its path
	Env []string
	// Dir is a directory in the working tree.
	Dir string
	// Remote is where other machines fetch from; empty is the remote origin, or the
	// repository itself if Local.
	Remote string
	// Local means that the machines see the repository's own directory.
	Local bool
}

// RepositoryError reports that sources cannot travel.
type RepositoryError struct{ Reason string }

func (e *RepositoryError) Error() string { return "the sources cannot be sent to workers: " + e.Reason }

// Capture captures a working tree. It writes nothing to the repository.
func Capture(ctx context.Context, cfg Config) (t Tree, pack []byte, err error) {
	g := git.New(cfg.Git, cfg.Env).In(cfg.Dir)
	top, err := g.Line(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel")
	if err != nil || top == "" {
		return t, nil, &RepositoryError{Reason: cfg.Dir + " is not in a git repository with a working tree"}
	}
	if t.Commit, err = g.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return t, nil, &RepositoryError{Reason: "nothing is committed yet: commit first"}
	}
	within, err := filepath.Rel(top, cfg.Dir)
	if err != nil || !filepath.IsLocal(within) {
		return t, nil, &RepositoryError{Reason: cfg.Dir + " is outside of the working tree " + top}
	}
	t.Within = filepath.ToSlash(within)
	temp, err := os.MkdirTemp("", "proctor-fleet-*")
	if err != nil {
		return t, nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	c := capture{git: g.In(top), temp: temp}
	if err := c.begin(ctx); err != nil {
		return t, nil, err
	}
	if t.State, err = c.commit(ctx, t.Commit); err != nil {
		return t, nil, err
	}
	if t.Remote = cfg.Remote; t.Remote == "" && cfg.Local {
		t.Remote = top
	} else if t.Remote == "" {
		if t.Remote, err = c.git.Line(ctx, "remote", "get-url", "origin"); err != nil {
			return t, nil, &RepositoryError{Reason: "there is no remote origin for the workers to fetch from: name one with --remote"}
		}
	}
	without := []string{t.Commit}
	if t.Remote != top && !c.isPushed(ctx, t.Commit) {
		refs, err := c.line(ctx, "for-each-ref", "--format=%(objectname)", "refs/remotes")
		if err != nil {
			return t, nil, err
		}
		without = strings.Fields(refs)
	}
	pack, err = c.pack(ctx, t.State, without)
	return t, pack, err
}

// capture writes objects beside the repository.
type capture struct {
	git  git.Git
	temp string
	env  []string
}

func (c *capture) begin(ctx context.Context) error {
	paths := map[string]string{}
	for _, name := range []string{"objects", "index"} {
		path, err := c.git.Line(ctx, "rev-parse", "--path-format=absolute", "--git-path", name)
		if err != nil {
			return err
		}
		paths[name] = path
	}
	objects, index := filepath.Join(c.temp, "objects"), filepath.Join(c.temp, "index")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return err
	}
	c.env = []string{
		"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + paths["objects"],
		"GIT_AUTHOR_NAME=proctor", "GIT_AUTHOR_EMAIL=proctor@localhost", "GIT_AUTHOR_DATE=@0 +0000",
		"GIT_COMMITTER_NAME=proctor", "GIT_COMMITTER_EMAIL=proctor@localhost", "GIT_COMMITTER_DATE=@0 +0000",
	}
	// With the index of the repository only changed files are read.
	raw, err := os.ReadFile(paths["index"])
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.WriteFile(index, raw, 0o600)
	}
	return err
}

// commit commits the files as they are, upon a commit.
func (c *capture) commit(ctx context.Context, parent string) (string, error) {
	if _, err := c.run(ctx, nil, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := c.line(ctx, "write-tree")
	if err != nil {
		return "", err
	}
	was, err := c.line(ctx, "rev-parse", parent+"^{tree}")
	if err != nil || tree == was {
		return parent, err
	}
	return c.line(ctx, "commit-tree", "-p", parent, "-m", "the working tree", tree)
}

// isPushed reports whether a remote is known to have a commit.
func (c *capture) isPushed(ctx context.Context, commit string) bool {
	refs, err := c.git.Line(ctx, "for-each-ref", "--count=1", "--format=%(refname)", "--contains="+commit, "refs/remotes")
	return err == nil && refs != ""
}

// pack packs what a commit has and others have not; nil if that is nothing.
func (c *capture) pack(ctx context.Context, commit string, without []string) ([]byte, error) {
	revisions := commit + "\n"
	for _, other := range without {
		revisions += "^" + other + "\n"
	}
	list, err := c.run(ctx, strings.NewReader(revisions), "rev-list", "--max-count=1", "--stdin")
	if err != nil || len(bytes.TrimSpace(list)) == 0 {
		return nil, err
	}
	return c.run(ctx, strings.NewReader(revisions), "pack-objects", "--revs", "--thin", "--stdout", "-q")
}

func (c *capture) line(ctx context.Context, args ...string) (string, error) {
	out, err := c.run(ctx, nil, args...)
	return strings.TrimSpace(string(out)), err
}

func (c *capture) run(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	cmd := c.git.Command(ctx, args...)
	cmd.Env = append(cmd.Env, c.env...)
	return output(cmd, in)
}

// output runs a command; its error has what it printed.
func output(cmd *exec.Cmd, in io.Reader) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &errs
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(errs.String())
		return nil, fmt.Errorf("git %s: %w: %s", strings.Join(cmd.Args[1:], " "), err, text[max(len(text)-maxErrorText, 0):])
	}
	return out.Bytes(), nil
}

// maxErrorText is how much of what git prints an error repeats.
const maxErrorText = 500
