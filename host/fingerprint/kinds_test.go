package fingerprint_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// same compares the state of a repository, in one of git's forms, with that of its
// plain files.
func same(t *testing.T, r *tree, want string) *fingerprint.Snapshot {
	t.Helper()
	s := r.take()
	if got := paths(s.State); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s.State.Kind != "git" || s.Reason != nil {
		t.Errorf("kind %s, reason %v", s.State.Kind, s.Reason)
	}
	return s
}

func TestAnyFormOfTheIndexGivesTheSameState(t *testing.T) {
	id := ""
	for _, form := range [][]string{
		{"status"},
		{"update-index", "--index-version", "2"},
		{"update-index", "--index-version", "3"},
		{"update-index", "--index-version", "4"},
		{"update-index", "--split-index"},
		{"update-index", "--untracked-cache"},
	} {
		r := newRepo(t)
		for _, name := range []string{"a", "a/../b", "dir/one", "dir/two", "dir.x", "dir-y/z", strings.Repeat("long/", 40) + "x"} {
			r.write(name, name)
		}
		r.commit()
		r.git(form...)
		r.write("dir/two", "changed")
		r.git("add", "-N", "dir/two")
		s := r.take()
		if id == "" {
			id = s.State.ID
		}
		if s.State.ID != id || len(s.State.Files) != 6+1 && len(s.State.Files) != 7 || s.State.Dirty != 1 {
			t.Errorf("%q: %s, %d dirty", form, paths(s.State), s.State.Dirty)
		}
	}
}

func TestASparseCheckoutIsTheFilesPresent(t *testing.T) {
	for _, flag := range []string{"--no-sparse-index", "--sparse-index"} {
		r := newRepo(t)
		r.write("a/x", "1")
		r.write("b/deep/y", "2")
		r.write("z", "3")
		r.commit()
		r.git("sparse-checkout", "set", "--cone", flag, "a")
		if s := same(t, r, "a/x z"); s.State.Dirty != 0 {
			t.Errorf("%s: %d dirty", flag, s.State.Dirty)
		}
		r.write("b/deep/y", "there after all")
		same(t, r, "a/x b/deep/y z")
	}
}

func TestARepositoryMayUseSHA256(t *testing.T) {
	r := newRepo(t, "--object-format=sha256")
	r.write("a", "a")
	r.write("b", "b")
	r.commit()
	clean := same(t, r, "a b")
	commit, err := fingerprint.OfCommit(t.Context(), r.cfg, "HEAD")
	if err != nil || commit.ID != clean.State.ID {
		t.Errorf("%v %v", commit, err)
	}
	r.write("b", "B")
	if s := same(t, r, "a b"); s.State.Dirty != 1 || s.State.ID == clean.State.ID {
		t.Errorf("%+v", s.State)
	}
}

func TestSubmodulesAndNestedRepositoriesCountWithTheirFiles(t *testing.T) {
	lib := newRepo(t)
	lib.write("lib.txt", "1")
	lib.write(".gitignore", "*.o\n")
	lib.commit()
	r := newRepo(t)
	r.write("a", "a")
	r.write("sub-x", "between")
	r.git("submodule", "add", "-q", lib.dir, "sub")
	r.commit()
	clean := same(t, r, ".gitmodules a sub-x sub/.gitignore sub/lib.txt")
	if clean.State.Dirty != 0 {
		t.Errorf("%d dirty", clean.State.Dirty)
	}
	commit, err := fingerprint.OfCommit(t.Context(), r.cfg, "HEAD")
	if err != nil || commit.ID != clean.State.ID {
		t.Errorf("OfCommit: %s %v", paths(commit), err)
	}
	r.write("sub/lib.txt", "2")
	r.write("sub/x.o", "ignored there")
	files, next := r.changed(clean)
	if !slices.Equal(files, []string{"sub/lib.txt"}) || next.State.Dirty != 1 {
		t.Errorf("changed are %q, %d dirty", files, next.State.Dirty)
	}
	r.at("sub").commit()
	if s := r.take(); s.State.Dirty != 1 {
		t.Errorf("with another commit in the submodule %d are dirty", s.State.Dirty)
	}
	r.git("add", "sub")
	if s := r.take(); s.State.Dirty != 1 {
		t.Errorf("with another commit of the submodule staged %d are dirty", s.State.Dirty)
	}
	r.commit()
	if next = r.take(); next.State.Dirty != 0 {
		t.Errorf("with both committed %d are dirty", next.State.Dirty)
	}
	r.at("vendor/nested").init()
	r.write("vendor/nested/n.txt", "n")
	files, next = r.changed(next)
	if !slices.Equal(files, []string{"vendor/nested/n.txt"}) || next.State.ID != r.take().State.ID {
		t.Errorf("changed are %q", files)
	}
	r.git("submodule", "deinit", "-q", "-f", "sub")
	empty := same(t, r, ".gitmodules a sub/ sub-x vendor/nested/n.txt")
	if files, next := r.changed(next); next.State.ID != empty.State.ID || !slices.Contains(files, "sub/lib.txt") {
		t.Errorf("changed are %q", files)
	}
	r.remove("vendor")
	commit, err = fingerprint.OfCommit(t.Context(), r.cfg, "HEAD")
	if s := r.take(); err != nil || commit.ID != s.State.ID || s.State.Dirty != 0 {
		t.Errorf("OfCommit without the submodule: %s %v", paths(commit), err)
	}
}

func (r *tree) init() {
	r.t.Helper()
	if err := os.MkdirAll(r.dir, 0o777); err != nil {
		r.t.Fatal(err)
	}
	r.git("init", "-q", "-b", "main")
}

func TestALinkedWorktreeIsACheckoutOfItsOwn(t *testing.T) {
	r := newRepo(t)
	r.write("a", "a")
	r.commit()
	other := *r
	other.dir = filepath.Join(filepath.Dir(r.dir), "other")
	other.cfg.Root = other.dir
	r.git("worktree", "add", "-q", "-b", "side", other.dir)
	s, o := same(t, r, "a"), same(t, &other, "a")
	if s.State.ID != o.State.ID || s.State.Worktree == o.State.Worktree || o.State.Branch != "side" || o.State.Top != other.dir {
		t.Errorf("%+v\n%+v", s.State, o.State)
	}
	if want := filepath.Join(r.dir, ".git", "worktrees", "other"); fingerprint.Worktree(other.dir) != want || o.State.Worktree != want {
		t.Errorf("worktree is %s, want %s", fingerprint.Worktree(other.dir), want)
	}
	o.State.Files[0].Mode = fingerprint.Regular
	r.git("checkout", "-q", "--detach")
	if s := r.take(); s.State.Branch != "" || s.State.Commit == "" {
		t.Errorf("%+v", s.State)
	}
}

func TestTheWholeRepositoryCountsForAWorkspaceInIt(t *testing.T) {
	r := newRepo(t)
	r.write("a", "a")
	r.write("mod/b", "b")
	r.write(".gitignore", "/scratch/\n")
	r.commit()
	same(t, r.at("mod"), ".gitignore a mod/b")
	r.write("scratch/own/x", "x")
	s := r.at("scratch/own").take()
	if s.State.Kind != "walk" || paths(s.State) != "x" || s.State.Top != filepath.Join(r.dir, "scratch/own") {
		t.Errorf("a workspace that git ignores: %+v", s.State)
	}
}

func TestAConflictIsReadFromTheWorkingTree(t *testing.T) {
	r := newRepo(t)
	r.write("a", "0")
	r.commit()
	r.git("branch", "other")
	r.write("a", "1")
	r.commit()
	r.git("checkout", "-q", "other")
	r.write("a", "2")
	r.commit()
	if _, err := r.tryGit("merge", "-q", "main"); err == nil {
		t.Fatal("no conflict")
	}
	s := same(t, r, "a")
	if s.State.Dirty != 1 {
		t.Errorf("%d dirty", s.State.Dirty)
	}
	raw, err := os.ReadFile(filepath.Join(r.dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	r.write("a", string(raw)+"x")
	if r.take().State.ID == s.State.ID {
		t.Error("an edit in a conflict was not seen")
	}
}

func TestWhereGitDoesNotAnswerTheFilesAreWalked(t *testing.T) {
	for name, spoil := range map[string]func(r *tree){
		"corrupt index":  func(r *tree) { r.write(".git/index", "DIRC garbage") },
		"corrupt config": func(r *tree) { r.write(".git/config", "[[[\n") },
		"no objects":     func(r *tree) { r.remove(".git/objects") },
		"bare":           func(r *tree) { r.git("config", "core.bare", "true") },
		"another top":    func(r *tree) { r.git("config", "core.worktree", "/") },
		"no program":     func(r *tree) { r.cfg.Git = filepath.Join(r.dir, "nothing") },
		"no git":         func(r *tree) { r.cfg.Git = "" },
		"no repository":  func(r *tree) { r.remove(".git") },
		"empty .git":     func(r *tree) { r.remove(".git"); r.write(".git/x", "") },
		"dangling .git":  func(r *tree) { r.remove(".git"); r.write(".git", "gitdir: ../nowhere\n") },
		"looping .git":   func(r *tree) { r.remove(".git"); r.write(".git", "gitdir: .git\n") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("a", "a")
			r.write("x.o", "ignored by git")
			r.write(".gitignore", "*.o\n")
			r.write(".proctor/x", "")
			r.commit()
			spoil(r)
			s := r.take()
			if got := paths(s.State); got != ".gitignore a x.o" || s.State.Kind != "walk" || s.State.Dirty != -1 {
				t.Errorf("%s, %+v", got, s.State)
			}
			t.Log(s.Reason)
			r.write("b", "b")
			files, next := r.changed(s)
			if !slices.Equal(files, []string{"b"}) || next.State.ID == s.State.ID {
				t.Errorf("changed are %q", files)
			}
		})
	}
}

func TestWithoutGitThereIsABoundAndNoStateBeyondIt(t *testing.T) {
	r := newTree(t)
	r.write("a", "12345")
	r.write("b", "12345")
	for _, limit := range []func(c *fingerprint.Config){
		func(c *fingerprint.Config) { c.MaxFiles = 1 },
		func(c *fingerprint.Config) { c.MaxBytes = 9 },
	} {
		cfg := r.cfg
		limit(&cfg)
		_, err := fingerprint.Take(t.Context(), cfg)
		if _, ok := errors.AsType[*fingerprint.TooLargeError](err); !ok {
			t.Errorf("%v", err)
		}
	}
}

func TestAConvertedFileKeepsItsIdentityWhenItIsTouched(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the filter of this test is a Unix program")
		return
	}
	for name, attributes := range map[string]string{"filter": "*.txt filter=up\n", "text": "*.txt text\n", "ident": "*.txt ident\n"} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.git("config", "filter.up.clean", "tr a-z A-Z")
			r.git("config", "filter.up.smudge", "tr A-Z a-z")
			r.write(".gitattributes", attributes)
			r.write("f.txt", "words $Id: 00 $\r\n")
			r.commit()
			full := filepath.Join(r.dir, "f.txt")
			old := nanoseconds(1 << 60)
			if err := os.Chtimes(full, old, old); err != nil {
				t.Fatal(err)
			}
			time.Sleep(60 * time.Millisecond)
			r.git("status") // writes the index with the new time
			clean := r.take()
			if clean.State.Dirty != 0 {
				t.Errorf("%d dirty", clean.State.Dirty)
			}
			commit, err := fingerprint.OfCommit(t.Context(), r.cfg, "HEAD")
			if err != nil || commit.ID != clean.State.ID {
				t.Errorf("the commit is %v %v, its checkout %v", commit.Files, err, clean.State.Files)
			}
			now := nanoseconds(1<<60 + 12345)
			if err := os.Chtimes(full, now, now); err != nil {
				t.Fatal(err)
			}
			if s := r.take(); s.State.ID != clean.State.ID {
				t.Error("it has another id after touch")
			}
			r.write("f.txt", "Words $Id: 00 $\r\n") // git's filter makes the same of it
			if s := r.take(); s.State.ID == clean.State.ID {
				t.Error("an edit that the filter takes back was not seen")
			}
		})
	}
}

func TestADirectoryThatBecomesARepositoryHasItsOwnRules(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "*.o\n")
	r.write("lib/x.o", "ignored, so far")
	r.write("lib/y", "y")
	r.commit()
	r.git("rm", "-q", "--cached", "lib/y")
	time.Sleep(60 * time.Millisecond)
	s := same(t, r, ".gitignore lib/y")
	r.at("lib").init()
	files, next := r.changed(s)
	if !slices.Equal(files, []string{"lib/x.o"}) || next.State.ID != same(t, r, ".gitignore lib/x.o lib/y").State.ID {
		t.Errorf("changed are %q", files)
	}
	r.write("lib/z", "z")
	files, next = r.changed(next)
	if !slices.Equal(files, []string{"lib/z"}) || next.State.ID != r.take().State.ID {
		t.Errorf("changed are %q", files)
	}
}
