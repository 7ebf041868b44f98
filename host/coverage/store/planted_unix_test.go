//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/proctorhq/proctor/host/coverage/store"
)

// A repository can contain links: nothing is read or written through them.
func TestNothingIsReadThroughALink(t *testing.T) {
	for _, kind := range []string{"suites", "sheets"} {
		s, dir := open(t)
		put(t, s, suiteOf("a", 0, 1))
		path := paths(t, filepath.Join(dir, kind))[0]
		aside := filepath.Join(t.TempDir(), "aside")
		if err := os.Rename(path, aside); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(aside, path); err != nil {
			t.Fatal(err)
		}
		if got := kept(t, s, "go", "plain"); len(got) != 0 {
			t.Errorf("%s: %v", kind, got)
		}
		put(t, s, suiteOf("a", 0, 1))
		if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
			t.Errorf("%s: the link is there still: %v, %v", kind, st.Mode(), err)
		}
		if got := kept(t, s, "go", "plain"); len(got) != 1 {
			t.Errorf("%s: %v after it was put again", kind, got)
		}
	}
}

func TestNothingIsWrittenThroughALink(t *testing.T) {
	elsewhere := t.TempDir()
	for _, name := range []string{"", "suites", "sheets"} {
		dir := filepath.Join(t.TempDir(), "coverage")
		link := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, link); err != nil {
			t.Fatal(err)
		}
		s := store.New(store.Config{Dir: dir})
		if err := s.Put(t.Context(), suiteOf("a", 0, 1)); err == nil {
			t.Errorf("%q: it was put through a link", name)
		}
		if got := kept(t, s, "go", "plain"); len(got) != 0 {
			t.Errorf("%q: %v", name, got)
		}
		if left := paths(t, elsewhere); len(left) != 0 {
			t.Errorf("%q: written: %q", name, left)
		}
	}
}

func TestAPipeIsNotOpened(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 0, 1))
	for _, path := range paths(t, dir) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept(t, s, "go", "plain"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
