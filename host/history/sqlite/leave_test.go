package sqlite

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

func TestTheNextProcessFindsWhatTheLastLeftInTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	if err := writeRun(path, "one", 3); err != nil {
		t.Fatal(err)
	}
	store := opened(t, path)
	run := history.Run{ID: "two", SessionID: "s", Language: "l", StartedAt: time.Now()}
	rec, err := store.Begin(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		rec.Add(numbered(i))
	}
	run.State = api.StateFinished
	if err := rec.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if !store.unsynced.Load() {
		t.Error("the write was not noted")
	}
	if err := store.Leave(); err != nil {
		t.Fatal(err)
	}
	if store.unsynced.Load() {
		t.Error("what was written would not survive a power failure")
	}
	// The files as the process leaves them; its end changes nothing.
	left := filepath.Join(t.TempDir(), "history.db")
	for _, suffix := range append([]string{""}, companions...) {
		raw, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatalf("%v: the log is to stay", err)
		}
		if err := os.WriteFile(left+suffix, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	next := opened(t, left)
	sound(t, next)
	for run, want := range map[string]int{"one": 3, "two": 5} {
		if n := countResults(t, next, run); n != want {
			t.Errorf("run %s has %d results, want %d", run, n, want)
		}
	}
}

func TestALargeLogIsNotLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	if err := writeRun(path, "one", 1); err != nil {
		t.Fatal(err)
	}
	store := opened(t, path)
	if err := store.Put(t.Context(), "large", make([]byte, maxLog)); err != nil {
		t.Fatal(err)
	}
	if err := store.Leave(); err != nil {
		t.Fatal(err)
	}
	if fileExists(path + companions[0]) {
		t.Error("the next process has to read all of the log")
	}
}

func TestARunMovesALongLogIntoTheDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	if err := writeRun(path, "one", 1); err != nil {
		t.Fatal(err)
	}
	store := opened(t, path)
	if err := store.Put(t.Context(), "long", make([]byte, longLog)); err != nil {
		t.Fatal(err)
	}
	rec, err := store.Begin(t.Context(), history.Run{ID: "two", SessionID: "s", Language: "l", StartedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	rec.Add(numbered(1))
	if err := rec.Finish(t.Context(), history.Run{ID: "two", State: api.StateFinished}); err != nil {
		t.Fatal(err)
	}
	// What the database holds without its log.
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "history.db")
	if err := os.WriteFile(alone, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, found, err := opened(t, alone).Get(t.Context(), "long"); !found || err != nil {
		t.Errorf("every process still has to read it from the log: %v", err)
	}
}

func TestWhatStandsInForAMissingDatabaseIsRemoved(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, end := range map[string]func(history.Store) error{"close": history.Store.Close, "leave": history.Store.Leave} {
		store, err := OpenEmpty(t.Context(), Config{Path: filepath.Join(temp, "gone", "history.db"), Root: "/w"})
		if err == nil {
			err = store.Put(t.Context(), "k", nil)
		}
		if err == nil {
			err = end(store)
		}
		if left, _ := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left (%v)", name, left, err)
		}
	}
}
