package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/outstanding"
	"github.com/proctorhq/proctor/sdk"
)

func TestAReadOnlyHistorySeesTheWritersLastWrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := Config{Path: filepath.Join(dir, "history.db"), Root: "/ws"}
	if _, err := OpenReadOnly(t.Context(), cfg); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("without a history: %v", err)
	}
	opened, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	writer := opened.(*Store)
	put := func(test string) {
		_, err := writer.UpdateOutstanding(t.Context(), "go", func(s outstanding.Set, _, _ bool) outstanding.Set {
			s.Entries = append(s.Entries, outstanding.Entry{TestID: sdk.TestID{Suite: "s", Test: test}, Reason: outstanding.ReasonFailed})
			return s
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(what string, cfg Config, want int) {
		t.Helper()
		s, err := OpenReadOnly(t.Context(), cfg)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		defer s.(*Store).Close()
		set, known, _, err := s.Outstanding(t.Context(), "go")
		if err != nil || !known || set.Len() != want {
			t.Errorf("%s: %d outstanding, want %d; known %v, %v", what, set.Len(), want, known, err)
		}
		if err := s.Put(t.Context(), "k", nil); err == nil && s.(*Store).copied == "" {
			t.Errorf("%s: it can be written", what)
		}
	}
	put("TestA")
	read("while it is written", cfg, 1)
	// Its process died, leaving the journal, which no process uses.
	dead := t.TempDir()
	for _, suffix := range []string{"", companions[0]} {
		raw, err := os.ReadFile(cfg.Path + suffix)
		if err == nil {
			err = os.WriteFile(filepath.Join(dead, "history.db"+suffix), raw, 0o444)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read("after its process died", Config{Path: filepath.Join(dead, "history.db"), Root: "/ws"}, 1)
	put("TestB")
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	read("when it was closed", cfg, 2)
	if left, _ := filepath.Glob(filepath.Join(dead, "*")); len(left) != 2 {
		t.Errorf("made beside it: %q", left)
	}
	if _, err := OpenReadOnly(t.Context(), Config{Path: cfg.Path, Root: "/other"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of another workspace: %v", err)
	}
}
