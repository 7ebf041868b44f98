package checkout_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/checkout"
	"github.com/proctorhq/proctor/host/git"
	"github.com/proctorhq/proctor/internal/testfiles"
)

func TestACheckoutHoldsTheCommitAndNothingElse(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "committed\n")
	r.write("sub/b\nb.txt", "b\n")
	r.write("run.sh", "#!/bin/sh\n")
	r.write(".gitattributes", "secret.txt export-ignore\nid.txt export-subst\n")
	r.write("secret.txt", "kept\n")
	r.write("id.txt", "$Format:%H$\n")
	if err := errors.Join(os.Chmod(filepath.Join(r.dir, "run.sh"), 0o755), os.Symlink("a.txt", filepath.Join(r.dir, "link"))); err != nil {
		t.Fatal(err)
	}
	commit := r.commit("one")
	r.write("a.txt", "edited\n")
	r.write("new.txt", "untracked\n")
	r.run("add", "a.txt")
	before := digest(t, r.dir)
	c := r.checkout(commit, ".")
	for name, want := range map[string]string{
		"a.txt": "committed\n", "sub/b\nb.txt": "b\n", "secret.txt": "kept\n", "id.txt": "$Format:%H$\n", "link": "committed\n",
		"new.txt": "(no such file or directory)",
	} {
		if got := content(t, c.Root, name); got != want {
			t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	if info, err := os.Stat(filepath.Join(c.Root, "run.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("run.sh cannot be executed: %v", err)
	}
	if after := digest(t, r.dir); after != before {
		t.Error("the user's repository is not what it was")
	}
	// The tests may query git, and commit: it is not the user's repository.
	inside := &repo{t: t, dir: c.Root, git: r.git, env: r.env}
	if got := inside.run("rev-parse", "HEAD"); got != commit {
		t.Errorf("git says HEAD is %s, want %s", got, commit)
	}
	if got := inside.run("status", "--porcelain"); got != "" {
		t.Errorf("git says the checkout is not clean: %s", got)
	}
	inside.write("a.txt", "by a test\n")
	if made := inside.commit("by a test"); exec.Command(r.git, "-C", r.dir, "cat-file", "-e", made).Run() == nil {
		t.Error("a commit of the tests is in the user's repository")
	}
	if len(c.Lacks)+len(c.Linked)+c.Copied != 0 {
		t.Errorf("lacks %q, links %q, %d copied", c.Lacks, c.Linked, c.Copied)
	}
}

func TestSubmodulesAreCheckedOutAsTheCommitHasThem(t *testing.T) {
	lib := newRepo(t)
	lib.write("lib.txt", "old\n")
	lib.commit("one")
	r := newRepo(t)
	r.run("submodule", "--quiet", "add", lib.dir, "deps/lib")
	commit := r.commit("with a submodule")
	inside := &repo{t: t, dir: filepath.Join(r.dir, "deps", "lib"), git: r.git, env: r.env}
	inside.write("lib.txt", "new\n")
	second := inside.commit("two")
	inside.write("lib.txt", "dirty\n")
	after := r.commit("a newer submodule")
	before := digest(t, r.dir)
	if c := r.checkout(commit, "."); content(t, c.Root, "deps/lib/lib.txt") != "old\n" || len(c.Lacks) > 0 {
		t.Errorf("lib.txt holds %q; lacks %q", content(t, c.Root, "deps/lib/lib.txt"), c.Lacks)
	}
	if c := r.checkout(after, "."); content(t, c.Root, "deps/lib/lib.txt") != "new\n" {
		t.Errorf("lib.txt holds %q at %s", content(t, c.Root, "deps/lib/lib.txt"), second)
	}
	if digest(t, r.dir) != before {
		t.Error("the user's repository is not what it was")
	}
	// One that is not populated now is taken from what git keeps of it.
	r.run("submodule", "--quiet", "deinit", "--force", "deps/lib")
	if c := r.checkout(commit, "."); content(t, c.Root, "deps/lib/lib.txt") != "old\n" || len(c.Lacks) > 0 {
		t.Errorf("lib.txt holds %q; lacks %q", content(t, c.Root, "deps/lib/lib.txt"), c.Lacks)
	}
	// One that never existed is reported.
	if err := errors.Join(os.RemoveAll(filepath.Join(r.dir, "deps")), os.RemoveAll(filepath.Join(r.dir, ".git", "modules"))); err != nil {
		t.Fatal(err)
	}
	if c := r.checkout(commit, "."); !slices.Equal(c.Lacks, []string{"the submodule deps/lib: it does not exist"}) {
		t.Errorf("lacks %q", c.Lacks)
	}
}

func TestIgnoredFilesAreCopiedOrLinked(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "node_modules/\n.env\nbig/\nelse/*.tmp\n/link\n")
	r.write("app/main.txt", "x\n")
	r.write("else/main.txt", "x\n")
	commit := r.commit("one")
	r.write("node_modules/dep/index.js", "1\n")
	r.write("node_modules/dep/.git/config", "[core]\n")
	r.write("app/.env", "SECRET=1\n")
	r.write("app/.proctor/history.db", "db")
	r.write("app/.proctor/.gitignore", "*\n")
	r.write("else/x.tmp", "tmp\n")
	r.mkdir(filepath.Join(r.dir, "app", "big"))
	for i := range 20_100 {
		if err := os.WriteFile(filepath.Join(r.dir, "app", "big", fmt.Sprint(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("node_modules", filepath.Join(r.dir, "link")); err != nil {
		t.Fatal(err)
	}
	c := r.checkout(commit, "app")
	top := filepath.Dir(c.Root)
	if content(t, top, "node_modules/dep/index.js") != "1\n" || content(t, c.Root, ".env") != "SECRET=1\n" || c.Copied != 2 {
		t.Errorf("%d copied: %q, %q", c.Copied, content(t, top, "node_modules/dep/index.js"), content(t, c.Root, ".env"))
	}
	slices.Sort(c.Linked)
	if !slices.Equal(c.Linked, []string{"app/big", "else/x.tmp", "link"}) {
		t.Errorf("linked %q", c.Linked)
	}
	for _, not := range []string{"app/.proctor", "node_modules/dep/.git"} {
		if _, err := os.Lstat(filepath.Join(top, not)); err == nil {
			t.Errorf("%s is in the checkout", not)
		}
	}
	testfiles.Write(t, filepath.Join(top, "node_modules", "dep", "index.js"), "2\n")
	if content(t, r.dir, "node_modules/dep/index.js") != "1\n" {
		t.Error("writing to a copy changed the working tree")
	}
}

func TestLFSPointersAreResolvedIfTheContentIsPresent(t *testing.T) {
	r := newRepo(t)
	pointer := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%x\nsize %d\n", sum, len(text))
	}
	r.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	r.write("there.bin", pointer("the content"))
	r.write("missing.bin", pointer("not here"))
	r.write("wrong.bin", pointer("what it should be"))
	for text, kept := range map[string]string{"the content": "the content", "what it should be": "what somebody made"} {
		id := hex.EncodeToString(func() []byte { s := sha256.Sum256([]byte(text)); return s[:] }())
		r.write(filepath.Join(".git/lfs/objects", id[:2], id[2:4], id), kept[:len(text)])
	}
	c := r.checkout(r.commit("one"), ".")
	if content(t, c.Root, "there.bin") != "the content" || !strings.HasPrefix(content(t, c.Root, "wrong.bin"), "version") {
		t.Errorf("there.bin holds %q, wrong.bin %q", content(t, c.Root, "there.bin"), content(t, c.Root, "wrong.bin"))
	}
	if len(c.Lacks) != 1 || !strings.Contains(c.Lacks[0], "Git LFS pointers") {
		t.Errorf("lacks %q", c.Lacks)
	}
}

func TestConcurrentCheckoutsAreSeparateAndConsecutiveOnesShareAPath(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	cfg := r.config(t.TempDir())
	cfg.Commit = r.commit("one")
	var held []*checkout.Checkout
	for range 3 {
		c, err := checkout.New(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	if held[0].Root == held[1].Root || held[1].Root == held[2].Root {
		t.Errorf("two checkouts are in one place: %s", held[1].Root)
	}
	first := held[0].Root
	// Directories that a test made hard to remove are removed.
	closed := filepath.Join(first, "closed", "dir")
	if err := errors.Join(os.MkdirAll(closed, 0o755), os.WriteFile(filepath.Join(closed, "f"), nil, 0o400), os.Chmod(closed, 0o500), os.Chmod(filepath.Dir(closed), 0)); err != nil {
		t.Fatal(err)
	}
	if err := held[0].Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(first); err == nil {
		t.Error("a removed checkout is still there")
	}
	again, err := checkout.New(t.Context(), cfg)
	if err != nil || again.Root != first {
		t.Fatalf("the next checkout is at %s, want %s: %v", again.Root, first, err)
	}
	for _, c := range append(held[1:], again) {
		if err := c.Remove(); err != nil {
			t.Error(err)
		}
	}
}

func TestARevisionIsAnythingGitUnderstands(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "1\n")
	one := r.commit("one")
	r.run("tag", "-a", "v1", "-m", "v1")
	r.run("checkout", "-q", "-b", "feature")
	r.write("a.txt", "2\n")
	two := r.commit("two")
	r.run("checkout", "-q", "main")
	r.write("b.txt", "3\n")
	r.commit("three")
	r.run("checkout", "-q", "feature")
	for revision, want := range map[string]string{
		"HEAD": two, "v1": one, "HEAD~1": one, one[:8]: one, "merge-base:main": one, "feature": two,
		"nowhere": "", "": "", "--all": "", "-h": "", "merge-base:": "", "merge-base:--help": "", "HEAD:a.txt": "",
	} {
		got, err := checkout.Resolve(t.Context(), r.config(""), revision)
		var none *checkout.RevisionError
		if got != want || (want == "") != errors.As(err, &none) {
			t.Errorf("%q is %q (%v), want %q", revision, got, err, want)
		}
	}
	outside := r.config("")
	outside.Dir = t.TempDir()
	var none *checkout.RepositoryError
	if _, err := checkout.Resolve(t.Context(), outside, "HEAD"); !errors.As(err, &none) {
		t.Errorf("outside of a repository: %v", err)
	}
	if runtime.GOOS != "windows" {
		// It was killed, or could not start: that says nothing about the repository.
		dead := r.config("")
		dead.Git = filepath.Join(t.TempDir(), "git")
		if err := os.WriteFile(dead.Git, []byte("#!/bin/sh\ncase $* in *${DIES_AT}*) kill -9 $$; esac; exec '"+r.git+"' \"$@\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, at := range []string{"toplevel", "commit}", "merge-base"} {
			dead.Env = append(slices.Clone(r.env), "DIES_AT="+at)
			var failed *git.Error
			if _, err := checkout.Resolve(t.Context(), dead, "merge-base:main"); !errors.As(err, &failed) {
				t.Errorf("git died at %s: %v", at, err)
			}
		}
	}
	bare := filepath.Join(r.dir, ".git")
	outside.Dir = bare
	if _, err := checkout.Resolve(t.Context(), outside, "HEAD"); !errors.As(err, &none) {
		t.Errorf("within .git: %v", err)
	}
}
