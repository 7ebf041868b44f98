package sqlite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/internal/testbin"
)

func TestThirtyProcessesAtOnceLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	const processes = 30
	count := 1200
	if testbin.HasRaceDetector() {
		count = 200
	}
	var wg sync.WaitGroup
	for n := range processes {
		wg.Go(func() {
			if out, err := process(t.Context(), path, fmt.Sprint("run", n), count).CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", n, err, out)
			}
		})
	}
	wg.Wait()
	store := opened(t, path)
	runs, err := store.Runs(t.Context(), history.RunFilter{State: api.StateFinished})
	if err != nil || len(runs) != processes {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		if n := countResults(t, store, run.ID); n != count {
			t.Errorf("%s has %d results", run.ID, n)
		}
	}
	sound(t, store)
}

func TestAKilledProcessLosesAtMostTheLastBatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	for n := range 6 { // earlier and later: each time it writes until it is killed
		name := fmt.Sprintf("run%02d", n)
		ctx, cancel := context.WithCancel(t.Context())
		cmd := process(ctx, path, name, 0)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(120*(n+1))) * time.Millisecond)
		cancel() // kills it
		cmd.Wait()
		store := opened(t, path)
		sound(t, store)
		run, err := store.Run(t.Context(), name)
		if err != nil {
			store.Close()
			continue // it did not get to begin
		}
		if run.State != api.StateRunning {
			t.Fatalf("%s is %s", name, run.State)
		}
		checkPrefix(t, store, name)
		store.Close()
	}
	store := opened(t, path)
	if runs, err := store.Runs(t.Context(), history.RunFilter{}); err != nil || len(runs) == 0 {
		t.Fatalf("no process got to begin: %v", err)
	}
}

// checkPrefix checks that the results on record are the first ones of the run, in whole
// batches, each complete.
func checkPrefix(t *testing.T, store history.Store, run string) {
	t.Helper()
	i := 0
	err := store.Results(t.Context(), run, func(r history.Result) bool {
		want := numbered(i)
		if r.TestID != want.TestID || r.Signature != want.Signature || len(r.Measures) != 1 || r.Measures[0] != want.Measures[0] {
			t.Fatalf("result %d of %s is %+v", i, run, r)
		}
		i++
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s has %d results", run, i)
}

func opened(t *testing.T, path string) *Store {
	t.Helper()
	store, err := Open(t.Context(), Config{Path: path, Root: "/w"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store.(*Store)
}

func countResults(t *testing.T, store history.Store, run string) (n int) {
	t.Helper()
	if err := store.Results(t.Context(), run, func(history.Result) bool { n++; return true }); err != nil {
		t.Fatal(err)
	}
	return n
}

// sound fails the test if SQLite finds anything wrong with the database, or if its counts do
// not match its rows.
func sound(t *testing.T, store *Store) {
	t.Helper()
	checkSuspects(t, store)
	for _, pragma := range []string{"integrity_check", "foreign_key_check"} {
		rows, err := store.reader.QueryContext(t.Context(), "PRAGMA "+pragma)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, 4)
			columns, _ := rows.Columns()
			into := []any{&values[0], &values[1], &values[2], &values[3]}[:len(columns)]
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			if values[0] != "ok" {
				t.Fatalf("%s: %v", pragma, values)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAFinishedRunIsNotWrittenAgain(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	run := history.Run{ID: "run", SessionID: "s", Language: "l"}
	begun, err := store.Begin(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	r := begun.(*recorder)
	r.Add(numbered(1))
	run.State = api.StateFinished
	// As Finish, whose caller is not scheduled for a while.
	err = r.request(t.Context(), func() error { return r.end(t.Context(), run) })
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * batchWait)
	r.Abandon()
	if n := countResults(t, store, "run"); n != 1 {
		t.Fatalf("%d results", n)
	}
}
