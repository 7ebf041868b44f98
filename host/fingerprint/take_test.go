package fingerprint_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

func TestAStateHasTrackedAndUntrackedFilesButNoIgnoredOnes(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "*.log\n/out/\n!keep.log\n")
	r.write("a.txt", "a")
	r.write("dir/b.txt", "b")
	r.commit()
	r.write("new/deep/c.txt", "c")
	r.write("x.log", "x")
	r.write("keep.log", "x")
	r.write("out/o.txt", "o")
	r.write(".proctor/history.db", "x")
	r.write("dir/.proctor/x", "x")
	s := r.take()
	if got, want := paths(s.State), ".gitignore a.txt dir/b.txt keep.log new/deep/c.txt"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if s.State.Kind != "git" || s.State.Top != r.dir || s.State.Branch != "main" || s.State.Dirty != 2 || s.Reason != nil {
		t.Errorf("%+v, %v", s.State, s.Reason)
	}
}

func TestTheDirectoriesOfAStateAreThoseThatCouldHoldSources(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "/out/\n")
	r.write("dir/deep/b.txt", "b")
	r.write("out/o.txt", "o")
	r.write(".proctor/x", "x")
	if err := errors.Join(os.Mkdir(filepath.Join(r.dir, "empty"), 0o755), os.Symlink("/", filepath.Join(r.dir, "link"))); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, dir := range r.take().Dirs() {
		got = append(got, strings.TrimPrefix(dir, r.dir))
	}
	slices.Sort(got)
	if want := []string{"", "/dir", "/dir/deep", "/empty"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheSameContentHasTheSameIdWhateverIsStagedOrCommitted(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "one")
	r.write("b.txt", "two")
	ids := []string{r.take().State.ID}
	r.git("add", "a.txt")
	ids = append(ids, r.take().State.ID)
	r.commit()
	ids = append(ids, r.take().State.ID)
	r.write("a.txt", "three")
	r.git("add", "a.txt")
	r.write("a.txt", "one")
	ids = append(ids, r.take().State.ID)
	r.git("rm", "-q", "--cached", "b.txt")
	ids = append(ids, r.take().State.ID)
	if err := os.Chtimes(filepath.Join(r.dir, "a.txt"), r.cfg.Since, r.cfg.Since); err != nil {
		t.Fatal(err)
	}
	ids = append(ids, r.take().State.ID)
	for i, id := range ids {
		if id != ids[0] {
			t.Errorf("step %d has another id: %s, %s", i, id, ids[0])
		}
	}
}

func TestACommitHasTheStateOfItsCleanCheckout(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a")
	r.write("a/b.txt", "b")
	r.write("a-b/c.txt", "c")
	first := r.commit()
	want := r.take().State
	r.write("a.txt", "other")
	r.write("untracked", "x")
	for _, rev := range []string{"HEAD", first, "main"} {
		got, err := fingerprint.OfCommit(t.Context(), r.cfg, rev)
		if err != nil || got.ID != want.ID || got.Commit != first {
			t.Errorf("%s: %v %v, want %v", rev, got, err, want)
		}
	}
	for _, rev := range []string{"nope", "--help", "-z", "HEAD:a.txt", "", "HEAD^"} {
		_, err := fingerprint.OfCommit(t.Context(), r.cfg, rev)
		if _, ok := errors.AsType[*fingerprint.UnknownRevisionError](err); !ok {
			t.Errorf("%q: %v", rev, err)
		}
		if err != nil && strings.Contains(err.Error(), "shallow") {
			t.Errorf("%q: %v, in a whole clone", rev, err)
		}
	}
	r.commit()
	r.git("clone", "-q", "--depth", "1", "file://"+r.dir, "../shallow")
	if _, err := fingerprint.OfCommit(t.Context(), r.at("../shallow").cfg, "HEAD^"); err == nil || !strings.Contains(err.Error(), "git fetch --unshallow") {
		t.Errorf("a commit that a shallow clone lacks: %v", err)
	}
}

func TestChangedReportsWhatChanged(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "*.o\n")
	r.write("a.txt", "a")
	r.write("b.txt", "b")
	r.write("d/c.txt", "c")
	r.commit()
	time.Sleep(30 * time.Millisecond)
	s := r.take()
	files, next := r.changed(s)
	if len(files) > 0 || next != s {
		t.Fatalf("nothing changed, but %q", files)
	}
	r.write("a.txt", "A")
	r.remove("b.txt")
	r.write("new/x.txt", "x")
	r.write("d/x.o", "x")
	files, next = r.changed(s)
	if got, want := strings.Join(files, " "), "a.txt b.txt new/x.txt"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if fresh := r.take().State; next.State.ID != fresh.ID {
		t.Errorf("%s, fresh %s", paths(next.State), paths(fresh))
	}
}

func TestWhatTheProcessItselfWritesIsNoSourceUnlessItIsTracked(t *testing.T) {
	for name, in := range map[string]*tree{"git": newRepo(t), "walk": newTree(t)} {
		in.write("out.txt", "")
		in.write("a.txt", "a")
		info, err := os.Stat(filepath.Join(in.dir, "out.txt"))
		if err != nil {
			t.Fatal(err)
		}
		in.cfg.Written = []fs.FileInfo{info}
		s := in.take()
		in.write("out.txt", "FAILED")
		if files, _ := in.changed(s); len(files) != 0 || paths(s.State) != "a.txt" {
			t.Errorf("%s: %s changed of %s", name, files, paths(s.State))
		}
		if name == "walk" {
			continue
		}
		in.commit()
		if s := in.take(); paths(s.State) != "a.txt out.txt" {
			t.Errorf("tracked: %s", paths(s.State))
		}
	}
}

func TestAnOpenedSnapshotIsOfTheFilesAsTheyAreWhenItIsTaken(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a")
	r.write("gen/a.out", "a")
	r.commit()
	opening := fingerprint.Open(t.Context(), r.cfg)
	defer opening.Close()
	r.write("a.txt", "b")
	r.write("gen/b.out", "b")
	cfg := r.cfg
	cfg.Outputs = []string{"gen"}
	take := func(opening *fingerprint.Opening) string {
		s, err := opening.Take(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s.State.ID
	}
	want := take(nil)
	if got := take(opening); got != want {
		t.Error("it differs from one that was taken at once")
	}
	r.write("a.txt", "c")
	if got := take(opening); got == want {
		t.Error("a second one is the first one again")
	}
	opening = fingerprint.Open(t.Context(), r.cfg)
	defer opening.Close()
	cfg.Root = newRepo(t).dir
	if got := take(opening); got != take(nil) {
		t.Error("it is not of the directory that was asked for")
	}
}
