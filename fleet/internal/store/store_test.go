package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// testStore checks what every store guarantees.
func testStore(t *testing.T, s Store) {
	ctx := context.Background()
	if _, err := s.Get(ctx, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing object: %v", err)
	}
	if names, err := s.List(ctx, "none/"); err != nil || len(names) > 0 {
		t.Errorf("a list of nothing: %v, %v", names, err)
	}
	var wins atomic.Int32
	var writers sync.WaitGroup
	for n := range 8 {
		writers.Go(func() {
			stored, err := s.Put(ctx, "jobs/a/one", fmt.Append(nil, n))
			if err != nil {
				t.Error(err)
			}
			if stored {
				wins.Add(1)
			}
		})
	}
	writers.Wait()
	first, err := s.Get(ctx, "jobs/a/one")
	if wins.Load() != 1 || err != nil || len(first) != 1 {
		t.Errorf("%d of 8 writers were first; %q, %v", wins.Load(), first, err)
	}
	if stored, err := s.Put(ctx, "jobs/a/one", []byte("later")); stored || err != nil {
		t.Errorf("a second write: %t, %v", stored, err)
	}
	if again, _ := s.Get(ctx, "jobs/a/one"); !bytes.Equal(first, again) {
		t.Errorf("a second write changed the object from %q to %q", first, again)
	}
	for _, name := range []string{"jobs/a/two/x", "jobs/b"} {
		if _, err := s.Put(ctx, name, nil); err != nil {
			t.Error(err)
		}
	}
	if names, err := s.List(ctx, "jobs/a/"); err != nil || !slices.Equal(names, []string{"jobs/a/one", "jobs/a/two/x"}) {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range []string{"", ".", "/etc/x", "../x", "a/../../x"} {
		if _, err := s.Put(ctx, name, nil); err == nil {
			t.Errorf("%q was stored", name)
		}
	}
	large := bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16)
	name, err := PutSum(ctx, s, "jobs/a/sources/", large)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := GetSum(ctx, s, name); err != nil || !bytes.Equal(got, large) {
		t.Errorf("%d bytes of %d, %v", len(got), len(large), err)
	}
	c := s.(Cleaned)
	ages, err := c.Ages(ctx, "jobs/a/")
	if at := ages["jobs/a/two/x"]; err != nil || len(ages) != 3 || time.Since(at).Abs() > time.Hour {
		t.Errorf("%v, %v", ages, err)
	}
	if err := errors.Join(c.Remove(ctx, "jobs/a/one"), c.Remove(ctx, "jobs/a/one"), c.Remove(ctx, "none"), c.Remove(ctx, "none/")); err != nil {
		t.Error(err)
	}
	if names, err := s.List(ctx, "jobs/a/"); err != nil || len(names) != 2 {
		t.Errorf("%q, %v", names, err)
	}
	if err := c.Remove(ctx, "jobs/a/"); err != nil {
		t.Error(err)
	}
	if names, err := s.List(ctx, "jobs/"); err != nil || !slices.Equal(names, []string{"jobs/b"}) {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range []string{"", "/", "../", "jobs/../"} {
		if err := c.Remove(ctx, name); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
}

// A full disk is one fact, however many objects it keeps from being stored.
func TestADirectoryThatCannotBeWrittenIsNamedOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s, err := Open(t.Context(), root, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "jobs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"jobs/a/1", "jobs/a/2"} {
		if _, err := s.Put(t.Context(), name, nil); err == nil || err.Error() != "the store "+root+" cannot be written: not a directory" {
			t.Errorf("%v", err)
		}
	}
}

func TestADirectoryIsAStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	testStore(t, s)
	name, err := PutSum(t.Context(), s, "jobs/a/", []byte("sources"))
	if err == nil {
		err = os.WriteFile(dir+"/"+name, []byte("other sources"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := GetSum(t.Context(), s, name); err == nil {
		t.Error("damaged sources were read")
	}
}
