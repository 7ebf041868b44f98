package artifacts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/ledger/artifacts"
)

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

func TestASessionWithARunWithoutAKnownEndIsNotForgotten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	run := newRun("go", "one")
	rec, err := artifacts.NewRecorder(s, run)
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
	artifacts.ForgetSessions(s, time.Now().Add(60*24*time.Hour))
	if slot, ok, _ := s.Slot("go"); !ok || len(slot.Running) != 1 || !s.Has(run.RunID) {
		t.Errorf("slot %+v, on record: %t; want the killed run", slot, s.Has(run.RunID))
	}
}

func TestAnUnusedSessionIsForgotten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	if err := s.Finish(t.Context(), newRun("go", "one")); err != nil {
		t.Fatal(err)
	}
	artifacts.ForgetSessions(s, time.Now())
	if sessionFiles(t, dir) == "" {
		t.Error("a session in use is gone")
	}
	age(t, dir)
	artifacts.ForgetSessions(s, time.Now())
	if got := sessionFiles(t, dir); got != "" {
		t.Errorf("%q is left", got)
	}
}

func TestPruningIsDueAfterATimeOrSomeRuns(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	s := open(t, dir, "one")
	for _, step := range []struct {
		after time.Duration
		most  int
		want  bool
	}{{0, 5, true}, {time.Minute, 5, false}, {time.Minute, 1, true}, {time.Minute, 0, false}, {3 * time.Hour, 5, true}, {3 * time.Hour, 5, false}} {
		if got := artifacts.IsPruneDue(s, now.Add(step.after), time.Hour, step.most); got != step.want {
			t.Errorf("after %v, at most %d runs: %t", step.after, step.most, got)
		}
		finished(t, s, newRun("go", "one"))
	}
}

func TestAnUnfinishedPruneIsDueAgainAtOnce(t *testing.T) {
	s, now := open(t, t.TempDir(), "one"), time.Now()
	for i, want := range []bool{true, false} {
		if got := artifacts.IsPruneDue(s, now, time.Hour, 5); got != want {
			t.Errorf("look %d: %t", i, got)
		}
	}
	artifacts.PruneSoon(s)
	if !artifacts.IsPruneDue(s, now, time.Hour, 5) {
		t.Error("what is left waits for an hour")
	}
}

func TestForgettingTakesLocksWithoutASession(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, "one")
	if err := os.WriteFile(filepath.Join(dir, ".proctor", "sessions", "gone.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	artifacts.ForgetSessions(s, time.Now())
	if got := sessionFiles(t, dir); got != "" {
		t.Errorf("%q is left", got)
	}
}
