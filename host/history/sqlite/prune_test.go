package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/host/record"
)

func TestPruningMakesTheFileSmaller(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	scale := historytest.Scale{Tests: 1000, Runs: 100}
	if raced {
		scale.Tests = 100
	}
	if err := historytest.Fill(t.Context(), store, scale); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		n, err := store.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	store.shrink(t.Context()) // nothing is free: it does nothing
	before := size()
	if _, err := store.Prune(t.Context(), history.Retention{Runs: 40}, time.Now(), nil); err != nil {
		t.Fatal(err)
	}
	after := size()
	if after > before/2 {
		t.Fatalf("%d bytes became %d", before, after)
	}
	limit := after * 2 / 3
	removed, err := store.Prune(t.Context(), history.Retention{Bytes: limit}, time.Now(), nil)
	if err != nil || len(removed) == 0 || len(removed) == 40 {
		t.Fatalf("removed %v of 40, %v", removed, err)
	}
	if n := size(); n > limit+limit/freeShare {
		t.Fatalf("%d bytes, where %d are allowed", n, limit)
	}
	sound(t, store)
	t.Logf("%d, %d, %d bytes", before, after, size())
}

func TestNothingIsLeftOfARunThatIsRemoved(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	for n := range 3 {
		if err := recordParts(t, store, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Remove(t.Context(), []string{"run0", "run1", "run2"}); err != nil {
		t.Fatal(err)
	}
	for table, want := range map[string]int{"runs": 0, "sessions": 0, "results": 0, "measures": 0, "signatures": 0, "tests": 1} {
		var n int
		if err := store.reader.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != want {
			t.Errorf("%d rows in %s, %v", n, table, err)
		}
	}
}

func recordParts(t *testing.T, store *Store, n int) error {
	t.Helper()
	run := history.Run{ID: fmt.Sprint("run", n), SessionID: fmt.Sprint("s", n), Language: "l"}
	recorder, err := store.Begin(t.Context(), run)
	if err != nil {
		return err
	}
	listed, part := numbered(1), numbered(n+2)
	part.Root = listed.Test.Test
	recorder.Add(listed)
	recorder.Add(part)
	run.State = record.StateFinished
	return recorder.Finish(t.Context(), run)
}

func TestARunThatWasHalfRemovedIsRemovedByTheNext(t *testing.T) {
	store := opened(t, filled(t))
	ctx := t.Context()
	if _, err := store.writer.ExecContext(ctx, "UPDATE runs SET workspace = 0, state = 'removed', uid = id"); err != nil {
		t.Fatal(err)
	}
	if runs, err := store.Runs(ctx, history.RunFilter{}); err != nil || len(runs) > 0 {
		t.Fatal(runs, err)
	}
	if _, err := store.Prune(ctx, history.Retention{}, time.Now(), nil); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := store.reader.QueryRowContext(ctx, "SELECT count(*) FROM results").Scan(&n); err != nil || n > 0 {
		t.Fatalf("%d results are left, %v", n, err)
	}
}
