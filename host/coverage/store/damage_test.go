package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/proctorhq/proctor/host/coverage/store"
	"github.com/proctorhq/proctor/internal/property"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// A damaged file costs the suites in it and no others, and is removed.
func TestADamagedFileLosesOnlyItsSuite(t *testing.T) {
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[(at+len(b))%len(b)] ^= 0x10; return b }
	}
	for name, damage := range map[string]func([]byte) []byte{
		"empty":           func([]byte) []byte { return nil },
		"cut":             func(b []byte) []byte { return b[:len(b)/2] },
		"cut by a byte":   func(b []byte) []byte { return b[:len(b)-1] },
		"longer":          func(b []byte) []byte { return append(b, 'x') },
		"first byte":      flip(0),
		"version":         func(b []byte) []byte { return bytes.Replace(b, []byte(" 2\n"), []byte(" 1\n"), 1) },
		"checksum":        flip(25),
		"somewhere":       flip(60),
		"last byte":       flip(-1),
		"of another kind": func([]byte) []byte { return []byte("proctor coverage other 1\n0123456789abcdefxyz") },
	} {
		for _, kind := range []string{"suites", "sheets"} {
			s, dir := open(t)
			put(t, s, suiteOf("a", 0, 1), suiteOf("b", 0, 1))
			for _, path := range paths(t, filepath.Join(dir, kind))[:1] {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, damage(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := kept(t, s, "go", "plain"); len(got) != 1 {
				t.Errorf("%s, %s: %d suites, want the other one", kind, name, len(got))
			}
			if left := paths(t, filepath.Join(dir, "suites")); len(left) != 1 {
				t.Errorf("%s, %s: left %q", kind, name, left)
			}
			put(t, s, suiteOf("a", 0, 1), suiteOf("b", 0, 1))
			if got := kept(t, s, "go", "plain"); len(got) != 2 {
				t.Errorf("%s, %s: %d suites after they were put again", kind, name, len(got))
			}
		}
	}
}

func TestASuiteWithoutItsSheetIsNotMeasured(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 3, 1))
	if err := os.Remove(paths(t, filepath.Join(dir, "sheets"))[0]); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, "go", "plain"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestASuiteMeasuredElsewhereDoesNotCount(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 1, 1))
	copied := filepath.Join(t.TempDir(), "coverage")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, store.New(store.Config{Dir: copied}), "go", "plain"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestASuiteUnderAnothersNameIsDamaged(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 1, 1))
	path := paths(t, filepath.Join(dir, "suites"))[0]
	if err := os.Rename(path, filepath.Join(filepath.Dir(path), strings.Repeat("0", 32))); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, "go", "plain"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestFilesOfOthersAreLeftAlone(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 1, 1))
	language := filepath.Dir(paths(t, filepath.Join(dir, "suites"))[0])
	note := filepath.Join(language, "note.txt")
	testfiles.Write(t, note, "x")
	if got := kept(t, s, "go", "plain"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	if _, err := os.Lstat(note); err != nil {
		t.Error(err)
	}
}

// Content with a valid checksum may still be nonsense: anybody can write files.
func TestNoFileContentCausesAPanic(t *testing.T) {
	s, dir := open(t)
	put(t, s, suiteOf("a", 1, 2))
	suite, sheet := paths(t, filepath.Join(dir, "suites"))[0], paths(t, filepath.Join(dir, "sheets"))[0]
	before := map[string][]byte{}
	for _, path := range []string{suite, sheet} {
		before[path], _ = os.ReadFile(path)
	}
	property.Check(t, func(rt *rapid.T) {
		for path, data := range before {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path := rapid.SampledFrom([]string{suite, sheet}).Draw(rt, "path")
		content := store.Unpacked(before[path])
		edits := rapid.IntRange(1, 4).Draw(rt, "edits")
		for range edits {
			content[rapid.IntRange(0, len(content)-1).Draw(rt, "at")] = rapid.Byte().Draw(rt, "byte")
		}
		content = content[:rapid.IntRange(0, len(content)).Draw(rt, "length")]
		file := store.Packed(before[path], content)
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, got := range kept(t, s, "go", "plain") {
			if err := got.Check(); err != nil {
				rt.Fatal(err)
			}
		}
		if err := s.Drop(t.Context(), "go", func(string) bool { return true }); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestASuiteWithInvalidBlocksIsDamaged(t *testing.T) {
	s, _ := open(t)
	suite := suiteOf("a", 1, 1)
	suite.Whole = suite.Whole.Add(1000)
	put(t, s, suite)
	if got := kept(t, s, "go", "plain"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestASuiteThatWasWrittenAgainMeanwhileIsNotRemovedForADamagedOne(t *testing.T) {
	s, _ := open(t)
	put(t, s, suiteOf("a", 1, 1))
	if err := s.Damaged(t.Context(), "go", func() { put(t, s, suiteOf("a", 1, 2)) }); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, "go", "plain"); len(got) != 1 {
		t.Errorf("what was written meanwhile: %v", got)
	}
	if err := s.Damaged(t.Context(), "go", func() {}); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, s, "go", "plain"); len(got) != 0 {
		t.Errorf("a damaged one: %v", got)
	}
}
