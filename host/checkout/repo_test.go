package checkout_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/internal/needs"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// repo is a user's repository.
type repo struct {
	t   *testing.T
	dir string
	env []string
	git string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	git := needs.Program(t, "git")
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t: t, dir: filepath.Join(home, "my repo"), git: git, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}}
	r.mkdir(r.dir)
	r.run("init", "-q", "-b", "main")
	return r
}

func (r *repo) mkdir(dir string) {
	r.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) run(args ...string) string {
	r.t.Helper()
	cmd := exec.Command(r.git, append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(name, content string) {
	r.t.Helper()
	testfiles.Write(r.t, filepath.Join(r.dir, filepath.FromSlash(name)), content)
}

func (r *repo) commit(message string) string {
	r.t.Helper()
	r.run("add", "-A")
	r.run("commit", "-q", "--no-verify", "-m", message)
	return r.run("rev-parse", "HEAD")
}

func (r *repo) config(temp string) checkout.Config {
	return checkout.Config{Git: r.git, Env: r.env, Dir: r.dir, Commit: "", Temp: temp}
}

// checkout checks out a commit, and removes the checkout when the test ends.
func (r *repo) checkout(commit, within string) *checkout.Checkout {
	r.t.Helper()
	cfg := r.config(r.t.TempDir())
	cfg.Dir, cfg.Commit = filepath.Join(r.dir, within), commit
	c, err := checkout.New(r.t.Context(), cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := c.Remove(); err != nil {
			r.t.Error(err)
		}
		left, _ := filepath.Glob(filepath.Join(cfg.Temp, "*", "*-*"))
		if len(left) > 0 {
			r.t.Errorf("left behind: %q", left)
		}
	})
	return c
}

// digest summarizes everything below a directory: names, kinds, contents and times.
func digest(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			sum.Write(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func content(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		return "(" + errors.Unwrap(err).Error() + ")"
	}
	return string(text)
}

func (r *repo) hash(content []byte, args ...string) string {
	r.t.Helper()
	cmd := exec.Command(r.git, append([]string{"hash-object", "-w", "--stdin"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, bytes.NewReader(content)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// tree writes a tree that git itself would not write: pairs of "MODE NAME" and an
// object.
func (r *repo) tree(pairs ...string) string {
	r.t.Helper()
	var raw bytes.Buffer
	for i := 0; i < len(pairs); i += 2 {
		id, err := hex.DecodeString(pairs[i+1])
		if err != nil {
			r.t.Fatal(err)
		}
		raw.WriteString(pairs[i] + "\x00")
		raw.Write(id)
	}
	return r.hash(raw.Bytes(), "-t", "tree", "--literally")
}
