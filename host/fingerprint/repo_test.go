package fingerprint_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// tree is a directory that a test works in.
type tree struct {
	t   testing.TB
	dir string
	cfg fingerprint.Config
}

// newTree makes an empty directory outside of any repository.
func newTree(t testing.TB) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	work := filepath.Join(dir, "work")
	for _, d := range []string{home, work} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "USERPROFILE="+home)
	return &tree{t, work, fingerprint.Config{Root: work, Env: env, Git: needs.Program(t, "git")}}
}

// newRepo makes a repository without commits.
func newRepo(t testing.TB, args ...string) *tree {
	t.Helper()
	r := newTree(t)
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

// at returns the same tree with another root.
func (r *tree) at(path string) *tree {
	other := *r
	other.dir = filepath.Join(r.dir, path)
	other.cfg.Root = other.dir
	return &other
}

func (r *tree) git(args ...string) string {
	r.t.Helper()
	out, err := r.tryGit(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(out)
}

func (r *tree) tryGit(args ...string) (string, error) {
	cmd := exec.Command(r.cfg.Git, append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = r.dir, r.cfg.Env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *tree) write(path, content string) {
	r.t.Helper()
	testfiles.Write(r.t, filepath.Join(r.dir, path), content)
}

func (r *tree) remove(path string) {
	r.t.Helper()
	if err := os.RemoveAll(filepath.Join(r.dir, path)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *tree) commit() string {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "x")
	return r.git("rev-parse", "HEAD")
}

func (r *tree) take() *fingerprint.Snapshot {
	r.t.Helper()
	s, err := fingerprint.Take(context.Background(), r.cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *tree) changed(s *fingerprint.Snapshot) ([]string, *fingerprint.Snapshot) {
	r.t.Helper()
	files, next, err := s.Changed(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return files, next
}

// paths formats what is in a state, with modes.
func paths(s fingerprint.State) string {
	var list []string
	for _, f := range s.Files {
		list = append(list, fmt.Sprintf("%s%s", f.Path, []string{"", "*", "@", "/"}[f.Mode]))
	}
	return strings.Join(list, " ")
}

func TestWhatIsStagedIsKnownWhereverGitKeepsTheCommit(t *testing.T) {
	for name, keep := range map[string]func(r *tree){
		"in a file": func(*tree) {},
		"packed":    func(r *tree) { r.git("pack-refs", "--all") },
		"detached":  func(r *tree) { r.git("checkout", "-q", "--detach") },
	} {
		r := newRepo(t)
		r.write("a", "1")
		r.write("b", "1")
		commit := r.commit()
		keep(r)
		r.write("a", "2")
		r.git("add", "-A")
		s := r.take()
		if s.State.Commit != commit || s.State.Dirty != 1 {
			t.Errorf("%s: commit %s, want %s; %d files differ", name, s.State.Commit, commit, s.State.Dirty)
		}
		other := r.commit()
		if s := r.take(); s.State.Commit != other || s.State.Dirty != 0 {
			t.Errorf("%s: commit %s, want %s; %d files differ", name, s.State.Commit, other, s.State.Dirty)
		}
	}
}
