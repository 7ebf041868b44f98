package sqlite

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

func TestAFullDiskIsAPlainError(t *testing.T) {
	path := filled(t)
	store := opened(t, path)
	if _, err := store.writer.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // no more than there are
		t.Fatal(err)
	}
	run := history.Run{ID: "more", SessionID: "s", Language: "l"}
	recorder, err := store.Begin(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20_000 {
		recorder.Add(numbered(i + 100_000))
	}
	run.State = api.StateFinished
	plainError(t, recorder.Finish(t.Context(), run), path, "full")
}

func TestADatabaseThatStaysLockedIsAPlainError(t *testing.T) {
	path := filled(t)
	one, two := opened(t, path), opened(t, path)
	tx, err := one.writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := two.writer.ExecContext(t.Context(), "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	two.patience = 0
	plainError(t, two.Put(t.Context(), "key", nil), path, "locked")
	if n := countResults(t, two, "run"); n != 2000 {
		t.Fatalf("a reader sees %d results", n)
	}
}

// Of a run with more tests than are cached, one that ran early and runs again is not new.
func TestATestThatRunsAgainAfterManyOthersKeepsItsFirstResult(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	run := history.Run{ID: "run", SessionID: "s", Language: "l"}
	recorder, err := store.Begin(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	record := func(tests int) {
		for i := range tests {
			recorder.Add(numbered(i))
		}
		recorder.Add(numbered(0))
	}
	record(maxKnown + batchSize)
	if err := recorder.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	record(maxKnown + 2*batchSize)
	run.State = api.StateFinished
	if err := recorder.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	if n, want := countResults(t, store, "run"), maxKnown+2*batchSize+1; n != want {
		t.Errorf("%d results are on record, want %d", n, want)
	}
}

// plainError fails the test unless an error names the file and the reason, and the database
// is not considered damaged.
func plainError(t *testing.T, err error, path, why string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), why) || isDamage(err) {
		t.Fatalf("%v", err)
	}
	if names, _ := filepath.Glob(path + ".*"); len(names) != 1 || names[0] != path+lockSuffix {
		t.Fatalf("%v", names)
	}
}
