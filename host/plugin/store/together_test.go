package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProcessesThatInstallTheSameAtOnceAllSucceed(t *testing.T) {
	s := open(t)
	said := together(t, s.dir, "program", "program", "program", "program")
	if want := []string{"done", "done", "done", "done"}; !slices.Equal(said, want) {
		t.Error(said)
	}
	checkWhole(t, s, version)
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestOfProcessesThatInstallDifferentContentsOneSucceeds(t *testing.T) {
	s := open(t)
	said := together(t, s.dir, "a", "b", "c", "d")
	slices.Sort(said)
	if want := []string{"different", "different", "different", "done"}; !slices.Equal(said, want) {
		t.Error(said)
	}
	checkWhole(t, s, version)
	if left := staged(t, s); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// together starts processes that install these contents, and releases them at once.
func together(t *testing.T, dir string, contents ...string) []string {
	t.Helper()
	outputs := make([]bytes.Buffer, len(contents))
	var gates []func() error
	var waits []func() error
	for i, content := range contents {
		cmd := role{Do: "install", Dir: dir, Version: version, Content: content}.command(t)
		cmd.Stdout, cmd.Stderr = &outputs[i], &outputs[i]
		gate, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		gates, waits = append(gates, gate.Close), append(waits, cmd.Wait)
	}
	for _, open := range gates {
		_ = open()
	}
	var said []string
	for i, wait := range waits {
		if err := wait(); err != nil {
			t.Errorf("%v: %s", err, &outputs[i])
		}
		said = append(said, outputs[i].String())
	}
	return said
}

// TestManyAtOnce has goroutines install and remove, with their own Stores and a shared
// one, while others look: they see whole plugins or none.
func TestManyAtOnce(t *testing.T) {
	shared := open(t)
	versions := []string{"1.0.0", "1.0.1"}
	var all sync.WaitGroup
	for n := range 20 {
		s, v := shared, versions[n/2%2]
		if n%3 == 0 {
			s = Open(shared.dir)
		}
		all.Go(func() {
			var missing *NotInstalledError
			for range 3 {
				if _, err := install(t.Context(), s, v, "program "+v, receipt()); err != nil {
					t.Error(err)
				}
				if _, err := s.Lookup(name, v); err != nil && !errors.As(err, &missing) {
					t.Error(err)
				}
				if _, rejected, err := s.List(t.Context()); len(rejected) > 0 || err != nil {
					t.Error(rejected, err)
				}
				if n%2 == 0 {
					if err := remove(t.Context(), s, v); err != nil && !errors.As(err, &missing) {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	for _, v := range versions {
		mustInstall(t, shared, v, "program "+v)
	}
	checkWhole(t, shared, versions...)
	if diff := cmp.Diff([]string(nil), staged(t, shared)); diff != "" {
		t.Error("left behind:", diff)
	}
}

func BenchmarkHash(b *testing.B) {
	s := open(b)
	content := string(bytes.Repeat([]byte("0123456789abcdef"), 1<<20))
	got := mustInstall(b, s, version, content)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if hash, err := Hash(b.Context(), got.Path); err != nil || hash != got.Receipt.Bin {
			b.Fatal(hash, err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	s := open(b)
	mustInstall(b, s, version, "program")
	for b.Loop() {
		if _, err := s.Lookup(name, version); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	s := open(b)
	for n := range 10 {
		mustInstall(b, s, fmt.Sprintf("1.%d.0", n), "program")
	}
	for b.Loop() {
		if found, _, err := s.List(b.Context()); err != nil || len(found) != 10 {
			b.Fatal(len(found), err)
		}
	}
}
