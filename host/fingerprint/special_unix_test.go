//go:build unix

package fingerprint_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/fingerprint"
)

func TestPipesAreNeverOpenedAndUnreadableFilesHaveNoContent(t *testing.T) {
	for _, git := range []bool{true, false} {
		r := newRepo(t)
		r.write("a", "a")
		r.write("was", "a file")
		r.commit()
		if !git {
			r.cfg.Git = ""
		}
		r.remove("was")
		for _, name := range []string{"pipe", "was"} {
			if err := syscall.Mkfifo(filepath.Join(r.dir, name), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		r.write("secret", "x")
		r.write("dir/x", "x")
		if err := os.Chmod(filepath.Join(r.dir, "secret"), 0); err != nil {
			t.Fatal(err)
		}
		s := r.take()
		if got, want := paths(s.State), "a dir/x secret"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		i := slices.IndexFunc(s.State.Files, func(f fingerprint.File) bool { return f.Path == "secret" })
		if zero := s.State.Files[i].Hash == (fingerprint.Hash{}); zero != (os.Getuid() != 0) {
			t.Errorf("the hash of what cannot be read is %x", s.State.Files[i].Hash)
		}
	}
}

func TestARepositoryOfSomebodyElseIsWalked(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("only root can give a repository away")
		return
	}
	r := newRepo(t)
	r.write("a", "a")
	r.commit()
	for _, path := range []string{r.dir, filepath.Join(r.dir, ".git")} {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	r.cfg.Env = append(r.cfg.Env, "SUDO_UID=")
	s := r.take()
	if s.State.Kind != "walk" || s.Reason == nil || paths(s.State) != "a" {
		t.Errorf("%+v, %v", s.State, s.Reason)
	}
	t.Log(s.Reason)
}

func TestNamesMayHaveAnyBytes(t *testing.T) {
	r := newRepo(t)
	names := []string{"\xff\xfe", "a\nb", "quote\"", ":(glob)x", "back\\slash", "tab\t", "!not", "#no", " space "}
	slices.Sort(names)
	for _, name := range names {
		r.write(name, "x")
	}
	check := func() {
		t.Helper()
		var got []string
		for _, f := range r.take().State.Files {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, names) {
			t.Errorf("got %q, want %q", got, names)
		}
	}
	check()
	r.commit()
	check()
	commit, err := fingerprint.OfCommit(t.Context(), r.cfg, "HEAD")
	if err != nil || len(commit.Files) != len(names) {
		t.Errorf("%v %v", commit, err)
	}
}
