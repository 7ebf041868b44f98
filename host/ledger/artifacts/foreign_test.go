package artifacts_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/ledger/artifacts"
	"github.com/proctorhq/proctor/internal/testfiles"
)

// copied is a workspace with a copy of another's records, and a store for it.
func copied(t *testing.T, from string) (string, *artifacts.Store) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, ".proctor"), os.DirFS(filepath.Join(from, ".proctor"))); err != nil {
		t.Fatal(err)
	}
	return dir, open(t, dir, "one")
}

// What others ran elsewhere proves nothing about this workspace.
func TestRecordsThatCameWithACopyAreNotOurs(t *testing.T) {
	from := t.TempDir()
	theirs := open(t, from, "one")
	run := newRun("go", "one")
	finished(t, theirs, run)
	dir, s := copied(t, from)
	if _, ok, err := s.Slot(""); ok || err != nil {
		t.Errorf("the copy has a last run (%v)", err)
	}
	for _, ref := range []string{run.RunID, run.RunID[:4], "last"} {
		var missing *api.UnknownRunError
		if _, err := s.Run(ref); !errors.As(err, &missing) {
			t.Errorf("Run(%s): %v, want a NoRunError", ref, err)
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, ".proctor", "sessions", "one.json"))
	if err != nil {
		t.Fatal(err)
	}
	mine := newRun("go", "one")
	if err := s.Begin(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	finished(t, s, mine)
	if slot, ok, err := s.Slot("go"); !ok || err != nil || slot.RunID != mine.RunID {
		t.Errorf("slot = %+v, %t, %v", slot, ok, err)
	}
	aside, err := filepath.Glob(filepath.Join(dir, ".proctor", "sessions", "one.json.foreign-*"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("set aside: %q, %v", aside, err)
	}
	if raw, _ := os.ReadFile(aside[0]); string(raw) != string(before) {
		t.Errorf("what was set aside is %q, was %q", raw, before)
	}
	if n := strings.Count(sessionFiles(t, dir), ".foreign-"); n != 2 { // the session's, and those of any
		t.Errorf("%s: want slots set aside once", sessionFiles(t, dir))
	}
}

// A workspace may be reached from a clone whose records are newer than ours in
// the user's state folder.
func TestACopyDoesNotHideTheRecordsInTheStateFolder(t *testing.T) {
	from, dir, home := t.TempDir(), t.TempDir(), t.TempDir()
	cfg := artifacts.Config{Workspace: dir, SessionID: "one", StateHome: home}
	blocked := filepath.Join(dir, ".proctor")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := artifacts.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	run := newRun("go", "one")
	finished(t, s, run)
	finished(t, open(t, from, "one"), newRun("go", "one"))
	if err := errors.Join(os.Remove(blocked), os.CopyFS(blocked, os.DirFS(filepath.Join(from, ".proctor")))); err != nil {
		t.Fatal(err)
	}
	found, ok := artifacts.OpenExisting(cfg)
	if !ok {
		t.Fatal("no records")
	}
	if slot, _, err := found.Slot("go"); err != nil || slot.RunID != run.RunID {
		t.Errorf("slot = %+v, %v; want ours", slot, err)
	}
}

// No file of the records, if it is a link, is followed out of the workspace.
func TestLinksAmongTheRecordsAreNotFollowed(t *testing.T) {
	for _, name := range []string{"one.lock", "one.json"} {
		for _, exists := range []bool{false, true} {
			dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
			s := open(t, dir, "one")
			if exists {
				testfiles.Write(t, victim, `{"workspace":"x"}`)
			}
			link := filepath.Join(dir, ".proctor", "sessions", name)
			if err := os.Symlink(victim, link); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			err := s.Finish(t.Context(), newRun("go", "one"))
			if _, ok := errors.AsType[*artifacts.StoreError](err); !ok {
				t.Errorf("%s: %v; want a StoreError", name, err)
			}
			if raw, err := os.ReadFile(victim); exists && string(raw) != `{"workspace":"x"}` || !exists && err == nil {
				t.Errorf("%s: the link was followed: %q", name, raw)
			}
		}
	}
}

func TestARunFolderThatIsALinkIsNotARun(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	finished(t, s, run)
	runs := filepath.Join(dir, ".proctor", "runs")
	if err := os.Symlink(filepath.Join(runs, run.RunID), filepath.Join(runs, "linked0000")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, id := range []string{"linked0000", "../runs/" + run.RunID, ".", "..", ""} {
		var missing *api.UnknownRunError
		if _, err := s.Run(id); !errors.As(err, &missing) {
			t.Errorf("Run(%q): %v", id, err)
		}
		if s.Has(id) || s.Alive(id) {
			t.Errorf("%q is on record", id)
		}
		if err := artifacts.CompleteRun(s, api.Run{RunID: id}); err == nil {
			t.Errorf("%q was written", id)
		}
	}
}

func TestAStreamThatIsALinkIsNotRead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	rec, err := artifacts.NewRecorder(s, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range artifacts.StreamNames {
		if _, err := rec.Stream(0, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	paths, ok := artifacts.StreamPaths(s, run.RunID, 0)
	if !ok {
		t.Fatal("no streams")
	}
	if err := errors.Join(os.Remove(paths[1]), os.Symlink(paths[0], paths[1])); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, ok := artifacts.StreamPaths(s, run.RunID, 0); ok {
		t.Error("a link counts as a record")
	}
}
