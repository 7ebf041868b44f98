package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/git"
)

// Tree is the working tree of a repository.
type Tree struct {
	// Remote is where the repository can be fetched from, and Commit what was checked out.
	Remote string
	Commit string
	// Local means that Remote is a repository on the machine itself, whose objects are
	// borrowed.
	Local bool
	// Format names the hash of its objects.
	Format string
	// State is a commit of the files as they were, byte for byte, upon Commit; the same if
	// nothing differs.
	State string
	// Within is the directory of the tests in the repository, slash-separated.
	Within string
	// Pack is the name of the pack in the store; empty if the remote has everything.
	Pack string
	// Submodules are those that are populated, Empty the paths of the others.
	Submodules []Submodule
	Empty      []string
}

// Submodule is the working tree of a submodule at a path.
type Submodule struct {
	Path string
	Tree Tree
}

// Config says what to capture.
type Config struct {
	Git string // its path
	Env []string
	// Dir is a directory in the working tree.
	Dir string
	// Local means that the machines see the repository's own directory. Otherwise Remote is
	// where they fetch from; empty is the remote origin, as always for submodules.
	Local  bool
	Remote string
	// Put stores a pack and returns its name.
	Put func(ctx context.Context, pack []byte) (name string, err error)
}

// unsendable reports that sources cannot travel.
func unsendable(format string, args ...any) error {
	return fmt.Errorf("the sources cannot be sent to workers: "+format, args...)
}

const (
	// maxPack bounds what no remote has: a pack is in memory when it is stored and fetched.
	maxPack = 1 << 30
	// maxDepth bounds submodules within submodules.
	maxDepth = 8
)

// Capture captures a working tree. It writes nothing to the repository, and starts nothing
// that the repository names: files are taken as they are, without git's filters, and git
// works in a repository that only borrows the objects.
func Capture(ctx context.Context, cfg Config) (t Tree, err error) {
	snapshot, err := fingerprint.Take(ctx, fingerprint.Config{Root: cfg.Dir, Git: cfg.Git, Env: cfg.Env})
	if err != nil {
		return t, err
	}
	state := snapshot.State
	if state.Kind != "git" {
		reason := cfg.Dir + " is not in a git repository with a working tree"
		if snapshot.Reason != nil {
			reason += ": " + snapshot.Reason.Error()
		}
		return t, unsendable("%s", reason)
	}
	within, err := filepath.Rel(state.Top, cfg.Dir)
	if err != nil || !filepath.IsLocal(within) {
		return t, unsendable("%s is outside of the working tree %s", cfg.Dir, state.Top)
	}
	temp, err := os.MkdirTemp("", "proctor-fleet-*")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	t, err = capture{Config: cfg, temp: temp}.repository(ctx, state.Top, cfg.Remote, state.Files, 0)
	t.Within = filepath.ToSlash(within)
	return t, err
}

// capture makes packs of a repository and its submodules.
type capture struct {
	Config
	temp string
}

// repository captures the repository with a top. The paths of its files are relative to it.
func (c capture) repository(ctx context.Context, top, remote string, files []fingerprint.File, depth int) (t Tree, err error) {
	from, err := checkout.Open(ctx, git.New(c.Git, c.Env), top)
	if err == nil && from.Top != top {
		err = &checkout.RepositoryError{Dir: top, Detail: "its working tree is " + from.Top}
	}
	if err != nil {
		return t, unsendable("%v", err)
	}
	if t.Commit, err = from.Git.Line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return t, unsendable("nothing is committed yet in %s: commit first", top)
	}
	t.Format, t.Local = from.Format, c.Local
	if t.Remote, err = c.remoteOf(ctx, from, remote); err != nil {
		return t, err
	}
	own, err := c.borrow(ctx, from)
	if err != nil {
		return t, err
	}
	links, err := gitlinks(ctx, from.Git)
	if err != nil {
		return t, err
	}
	for path := range links {
		inside, rest := filesBelow(files, path+"/")
		if info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(path), ".git")); err != nil || info.Mode()&os.ModeSymlink != 0 {
			t.Empty = append(t.Empty, path)
			continue // the state has its commit
		}
		if depth == maxDepth {
			return t, unsendable("more than %d submodules are nested in %s", maxDepth, path)
		}
		sub, err := c.repository(ctx, filepath.Join(top, filepath.FromSlash(path)), "", inside, depth+1)
		if err != nil {
			return t, fmt.Errorf("the submodule %s: %w", path, err)
		}
		links[path], files = sub.Commit, rest
		t.Submodules = append(t.Submodules, Submodule{Path: path, Tree: sub})
	}
	if t.State, err = c.commit(ctx, own, top, t, files, links); err != nil {
		return t, err
	}
	without, err := c.without(ctx, from.Git, own, from.Top, t)
	if err != nil {
		return t, err
	}
	pack, err := packOf(ctx, own, t.State, without)
	if err == nil && len(pack) > maxPack {
		err = unsendable("what %s lacks of %s is %d MiB packed, of at most %d: push commits, and have git ignore large files that tests do not need",
			t.Remote, top, len(pack)>>20, maxPack>>20)
	}
	if err == nil && len(pack) > 0 {
		t.Pack, err = c.Put(ctx, pack)
	}
	return t, err
}

// remoteOf returns where a repository is fetched from, without a password: workers have
// credentials of their own, and the store is no place for it.
func (c capture) remoteOf(ctx context.Context, from checkout.Repository, remote string) (string, error) {
	if c.Local {
		return from.Top, nil
	}
	if remote == "" {
		var err error
		if remote, err = from.Git.Line(ctx, "remote", "get-url", "origin"); err != nil || remote == "" {
			return "", unsendable("there is no remote origin in %s for the workers to fetch from: name one with --remote", from.Top)
		}
		remote = absolute(remote, from.Top)
	}
	if helper, _, ok := strings.Cut(remote, "::"); ok && !strings.ContainsAny(helper, "/@:[") {
		return "", unsendable("the remote %q of %s starts the program git-remote-%s: name a URL with --remote", remote, from.Top, helper)
	}
	return withoutSecrets(remote), nil
}

// absolute makes the path of a remote independent of the working directory.
func absolute(remote, top string) string {
	if strings.HasPrefix(remote, ".") {
		return filepath.Join(top, filepath.FromSlash(remote))
	}
	return remote
}

// withoutSecrets removes what may be a password or a token from a remote.
func withoutSecrets(remote string) string {
	u, err := url.Parse(remote)
	if scheme, rest, ok := strings.Cut(remote, "://"); ok && err != nil {
		// What git reads as a name and a password need not be a URL.
		host, path, _ := strings.Cut(rest, "/")
		if at := strings.LastIndex(host, "@"); at >= 0 {
			remote = strings.TrimSuffix(scheme+"://"+host[at+1:]+"/"+path, "/")
		}
	}
	if err == nil && u.User != nil && u.Host != "" {
		_, secret := u.User.Password()
		if u.User = url.User(u.User.Username()); u.Scheme == "https" || u.Scheme == "http" {
			u.User, secret = nil, true // a name can be a token
		}
		if secret {
			remote = u.String()
		}
	}
	return remote
}

// borrow makes a repository for the objects that are new.
func (c capture) borrow(ctx context.Context, from checkout.Repository) (git.Git, error) {
	home, err := os.MkdirTemp(c.temp, "home-*")
	if err != nil {
		return git.Git{}, err
	}
	dir, err := os.MkdirTemp(c.temp, "repository-*")
	if err != nil {
		return git.Git{}, err
	}
	own := from.Git.Alone(home).In(dir)
	return own, checkout.Borrow(ctx, own, from)
}

// without returns what the machines have, or can fetch: the commit if the remote that they
// fetch from is known to have it, and all that it is known to have otherwise.
func (c capture) without(ctx context.Context, user, own git.Git, top string, t Tree) ([]string, error) {
	if t.Local {
		return []string{t.Commit}, nil
	}
	names, err := user.Run(ctx, "remote")
	if err != nil {
		return nil, err
	}
	var refs []string
	for _, name := range strings.Fields(string(names)) {
		if address, err := user.Line(ctx, "remote", "get-url", name); err == nil && withoutSecrets(absolute(address, top)) == t.Remote {
			refs = append(refs, "refs/remotes/"+name+"/")
		}
	}
	if len(refs) == 0 {
		return nil, nil
	}
	out, err := user.Run(ctx, append([]string{"for-each-ref", "--format=%(objectname)"}, refs...)...)
	if err != nil {
		return nil, err
	}
	remotes := strings.Fields(string(out))
	if len(remotes) == 0 {
		return nil, nil
	}
	lacks, err := run(ctx, own, revisions(t.Commit, remotes), "rev-list", "--max-count=1", "--stdin")
	if err == nil && len(lacks) == 0 {
		return []string{t.Commit}, nil
	}
	return remotes, err
}

// packOf packs what a commit has and others have not; nil if that is nothing.
func packOf(ctx context.Context, own git.Git, commit string, without []string) ([]byte, error) {
	list, err := run(ctx, own, revisions(commit, without), "rev-list", "--max-count=1", "--stdin")
	if err != nil || len(bytes.TrimSpace(list)) == 0 {
		return nil, err
	}
	// With one thread the same objects make the same pack, which is stored once.
	return run(ctx, own, revisions(commit, without), "-c", "pack.threads=1", "pack-objects", "--revs", "--thin", "--stdout", "-q")
}

func revisions(commit string, without []string) io.Reader {
	text := commit + "\n"
	for _, other := range without {
		text += "^" + other + "\n"
	}
	return strings.NewReader(text)
}

// run runs git, for as long as it takes.
func run(ctx context.Context, g git.Git, in io.Reader, args ...string) ([]byte, error) {
	return output(g.Command(ctx, args...), in)
}

// output runs a command; its error has what it printed.
func output(cmd *exec.Cmd, in io.Reader) ([]byte, error) {
	var out bytes.Buffer
	var words git.Words
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &words
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", subcommand(cmd.Args), err, words.String())
	}
	return out.Bytes(), nil
}

// subcommand returns the first argument of git that is not a setting.
func subcommand(args []string) string {
	for args = args[1:]; len(args) > 2; args = args[1:] {
		if args[0] == "-c" {
			args = args[1:]
		} else if !strings.HasPrefix(args[0], "-") {
			break
		}
	}
	return args[0]
}
