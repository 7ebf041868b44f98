package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/record"
	"github.com/proctorhq/proctor/host/rerun"
	"github.com/proctorhq/proctor/host/session"
)

func TestPruneKeepsTheNewestAndWhatSlotsName(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	old := newRun("go", "one")
	finished(t, s, old) // in the slot of go
	for range 120 {
		finished(t, s, newRun("forge", "one"))
	}
	long := time.Now().Add(-40 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, ".proctor", "runs", old.RunID), long, long); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(time.Now()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, ".proctor", "runs"))
	if err != nil || len(entries) > 100 || len(entries) < 90 {
		t.Errorf("%d runs are left, %v", len(entries), err)
	}
	if _, err := s.Run(old.RunID); err != nil {
		t.Errorf("the run in a slot is gone: %v", err)
	}
	if err := s.Prune(time.Now().Add(60 * 24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, ".proctor", "runs")); len(entries) > 0 {
		t.Errorf("%d runs outlived their age and their session", len(entries))
	}
}

// age makes a session's files old.
func age(t *testing.T, dir string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, ".proctor", "sessions", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no session files", err)
	}
	long := time.Now().Add(-40 * 24 * time.Hour)
	for _, p := range paths {
		if err := os.Chtimes(p, long, long); err != nil {
			t.Fatal(err)
		}
	}
}

func sessionFiles(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".proctor", "sessions"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// A long run with much output is in no slot, and may be larger than all records
// are allowed to be.
func TestPruneLeavesARunThatGoesOn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	rec, err := s.Record(run)
	if err != nil {
		t.Fatal(err)
	}
	st, err := rec.Stream(0, session.StreamNames[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(st.Path(), 2<<30); err != nil {
		t.Skip("no sparse files here:", err)
	}
	if err := open(t, dir, "two").Prune(time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(run.RunID); err != nil {
		t.Errorf("the run is gone: %v", err)
	}
	if err := rec.Finish(run); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(time.Now()); err != nil {
		t.Fatal(err)
	}
	if s.Has(run.RunID) {
		t.Error("a run that is over, in no slot and too large is still there")
	}
}

func TestPruneLeavesARunWhoseEndNobodyHasSeen(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	rec, err := s.Record(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(run); err != nil { // killed: still in the slot
		t.Fatal(err)
	}
	age(t, dir)
	if err := s.Prune(time.Now().Add(60 * 24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	if slot, ok, _ := s.Slot("go"); !ok || len(slot.Running) != 1 || !s.Has(run.RunID) {
		t.Errorf("slot %+v, on record: %t; want the killed run", slot, s.Has(run.RunID))
	}
}

func TestAnOldSessionGoesOnlyWithNothingOutstanding(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	outstanding := rerun.Set{Entries: []rerun.Entry{{Test: record.Test{Suite: "p", Test: "A"}}}}
	for _, tc := range []struct {
		set  rerun.Set
		want string
	}{
		{outstanding, "one.json one.lock one.outstanding.json"},
		{rerun.Set{}, ""},
	} {
		if _, err := s.Finish(t.Context(), run, rerun.Set{}, func(rerun.Set) rerun.Set { return tc.set }); err != nil {
			t.Fatal(err)
		}
		if err := s.Prune(time.Now()); err != nil {
			t.Fatal(err)
		}
		if sessionFiles(t, dir) == "" {
			t.Error("a session in use is gone")
		}
		age(t, dir)
		if err := s.Prune(time.Now()); err != nil {
			t.Fatal(err)
		}
		if got := sessionFiles(t, dir); got != tc.want {
			t.Errorf("%d outstanding: %q is left, want %q", tc.set.Len(), got, tc.want)
		}
	}
}

func TestPruneTakesLocksWithoutASession(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	if err := os.WriteFile(filepath.Join(dir, ".proctor", "sessions", "gone.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Prune(time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := sessionFiles(t, dir); got != "" {
		t.Errorf("%q is left", got)
	}
}
