//go:build unix

package mcpconfig

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestALinkIsFollowedWithinItsPlaceAndNowhereElse(t *testing.T) {
	each(t, func(t *testing.T, w Where, e Entry) {
		place := w.Project
		if e.Scope == User {
			place = w.Home
		}
		inside := filepath.Join(place, "dotfiles", "mine")
		put(t, inside, others(e))
		link(t, inside, e.Path)
		if change, err := e.Write(); change != Added || err != nil {
			t.Fatal(change, err)
		}
		holds(t, e)
		if st, _ := os.Lstat(e.Path); st.Mode()&os.ModeSymlink == 0 {
			t.Error("the link was replaced")
		}

		outside := filepath.Join(filepath.Dir(place), "outside", filepath.Base(e.Path))
		put(t, outside, others(e))
		for name, target := range map[string]string{"outside": outside, "nowhere": filepath.Join(place, "nothing")} {
			os.Remove(e.Path)
			link(t, target, e.Path)
			var fe *FileError
			if _, err := e.Write(); !errors.As(err, &fe) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if read(t, outside) != others(e) {
			t.Error("what lies outside was changed")
		}
		if _, err := os.Lstat(filepath.Join(place, "nothing")); err == nil {
			t.Error("what a link dangled to was made")
		}
	})
}

func TestADirectoryThatLeadsOutOfAProjectIsNotFollowed(t *testing.T) {
	w := machine(t)
	outside := filepath.Join(filepath.Dir(w.Project), "outside")
	if err := os.Mkdir(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, outside, filepath.Join(w.Project, ".gemini"))
	_, err := plan(t, w, "gemini", Project).Write()
	if err == nil || !strings.Contains(err.Error(), outside) {
		t.Errorf("%v does not name where it leads", err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("%v was written there", left)
	}
}

func TestAReadOnlyFileIsNotWritten(t *testing.T) {
	w := machine(t)
	e := plan(t, w, "claude", Project)
	put(t, e.Path, "{}")
	if err := os.Chmod(e.Path, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Error(err)
	}
	os.Remove(e.Path)
	if err := os.Mkdir(e.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Write(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

func TestAFileOfAUserIsReadableOnlyByThatUser(t *testing.T) {
	w := machine(t)
	for name, want := range map[string]os.FileMode{"codex": 0o600, "claude": 0o644} {
		e := plan(t, w, name, "")
		if _, err := e.Write(); err != nil {
			t.Fatal(err)
		}
		if st, _ := os.Stat(e.Path); st.Mode().Perm() != want {
			t.Errorf("%s: %v", e.Path, st.Mode())
		}
	}
}
