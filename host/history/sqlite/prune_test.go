package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/historytest"
	"github.com/proctorhq/proctor/internal/testbin"
)

func TestPruningMakesTheFileSmaller(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	scale := historytest.Scale{Tests: 100, Runs: 100} // most of the file is results
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
	before := size()
	for _, left := range []int{40, 10} {
		if err := store.Remove(t.Context(), oldest(t, store, left), nil); err != nil {
			t.Fatal(err)
		}
		after := size()
		if after > before*3/4 { // the tests themselves stay in the dictionary
			t.Fatalf("%d bytes became %d where %d runs are left", before, after, left)
		}
		t.Logf("%d bytes became %d where %d runs are left", before, after, left)
		before = after
	}
	sound(t, store)
}

// A statement that collects what it deletes does so in a table of its own, besides that of the runs.
func TestResultsAreDeletedAsTheyAreFound(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	conns, err := connectUnchecked(t.Context(), store.path)
	if err != nil {
		t.Fatal(err)
	}
	defer conns.Close()
	rows, err := conns.QueryContext(t.Context(), "EXPLAIN "+betweenQuery([]string{"1", "2", "3"}), 0, 0, 0, 1, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	steps := map[string]int{}
	for rows.Next() {
		var step string
		var rest [7]any
		if err := rows.Scan(&rest[0], &step, &rest[1], &rest[2], &rest[3], &rest[4], &rest[5], &rest[6]); err != nil {
			t.Fatal(err)
		}
		steps[step]++
	}
	if err := rows.Err(); err != nil || steps["OpenEphemeral"] != 1 || steps["Delete"] == 0 {
		t.Errorf("%v, %v", steps, err)
	}
}

// oldest returns all runs except the newest, oldest first.
func oldest(t testing.TB, store history.Store, left int) []string {
	t.Helper()
	ids, err := allBut(t.Context(), store, left)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func allBut(ctx context.Context, store history.Store, left int) (ids []string, err error) {
	runs, err := store.Runs(ctx, history.RunFilter{})
	slices.Reverse(runs)
	for _, run := range runs[:max(len(runs)-left, 0)] {
		ids = append(ids, run.ID)
	}
	return ids, err
}

func TestARemovalThatIsKilledLeavesEachRunWholeOrGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	scale := historytest.Scale{Tests: 500, Runs: 60}
	if testbin.HasRaceDetector() {
		scale.Tests = 100
	}
	long := opened(t, path) // as a server has it open all the time
	if err := historytest.Fill(t.Context(), long, scale); err != nil {
		t.Fatal(err)
	}
	before, err := long.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const left = 10
	const turns = 6
	killed := 0
	for n := range turns {
		ctx, cancel := context.WithCancel(t.Context())
		cmd := process(ctx, path, "", left)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.IntN(60*(n+1))) * time.Millisecond)
		cancel() // kills it
		if err := cmd.Wait(); err != nil {
			killed++
		}
		whole(t, long, scale, left)
		other := opened(t, path)
		whole(t, other, scale, left)
		sound(t, other)
		other.Close()
	}
	t.Logf("killed %d times of %d", killed, turns)
	if out, err := process(t.Context(), path, "", left).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole(t, long, scale, left)
	sound(t, long)
	if runs := oldest(t, long, 0); len(runs) != left {
		t.Errorf("%d runs are left", len(runs))
	}
	var results int
	if err := long.reader.QueryRowContext(t.Context(), "SELECT count(*) FROM results").Scan(&results); err != nil || results != left*scale.Tests {
		t.Errorf("%d results are left, %v", results, err)
	}
	if after, err := long.Size(t.Context()); err != nil || after > before*3/4 && !testbin.HasRaceDetector() {
		t.Errorf("%d bytes became %d, %v", before, after, err)
	}
	if err := recordParts(t, long, 1); err != nil {
		t.Error(err)
	}
}

// whole fails the test if a run on record lacks results, or if an older run than a removed
// one is still there.
func whole(t *testing.T, store *Store, scale historytest.Scale, left int) {
	t.Helper()
	runs := oldest(t, store, 0)
	if len(runs) < left {
		t.Fatalf("%d runs are left", len(runs))
	}
	for i, id := range runs {
		if want := historytest.FilledRun(scale.Runs - len(runs) + i).ID; id != want {
			t.Fatalf("%s is where %s should be", id, want)
		}
		if n := countResults(t, store, id); n != scale.Tests {
			t.Fatalf("%s has %d results", id, n)
		}
	}
}

// A process that was taken for dead may still live: it learns that its run is gone, and what
// it still adds is not left behind.
func TestARemovedRunTakesNoMoreResults(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	run := history.Run{ID: "run", SessionID: "s", Language: "l"}
	recorder, err := store.Begin(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	err = store.Remove(t.Context(), []string{"run"}, func(r history.Removal) bool { return r.Runs == 0 })
	if err != nil {
		t.Fatal(err)
	}
	recorder.Add(numbered(1))
	run.State = api.StateFinished
	var none *history.NoRunError
	if err := recorder.Finish(t.Context(), run); !errors.As(err, &none) {
		t.Errorf("it was finished: %v", err)
	}
	if err := store.Remove(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	sound(t, store)
}

func TestAStateStaysWhileARunHasIt(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	ctx := t.Context()
	var files []fingerprint.File
	for i := range 200 {
		files = append(files, fingerprint.File{Path: fmt.Sprintf("file%04d", i)})
	}
	var states []string
	for n := range 3 { // the first is what the others are told by
		files = slices.Clone(files)
		files[n].Hash[0]++
		s := fingerprint.State{ID: fingerprint.Identify(files), Files: files}
		if err := store.SaveState(ctx, s); err != nil {
			t.Fatal(err)
		}
		states = append(states, s.ID)
		run := history.Run{ID: fmt.Sprint("run", n), SessionID: "s", Language: "l", Fingerprint: s.ID}
		recorder, err := store.Begin(ctx, run)
		if err != nil {
			t.Fatal(err)
		}
		run.State = api.StateFinished
		if err := recorder.Finish(ctx, run); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (left []int) {
		for n, id := range states {
			_, ok, err := store.State(ctx, id)
			if err != nil {
				t.Fatal(err)
			}
			if ok {
				left = append(left, n)
			}
		}
		return left
	}
	if _, err := store.writer.ExecContext(ctx, "UPDATE states SET saved_at = ?", stamp(time.Now().Add(-stateRest-time.Minute))); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		remove string
		want   []int
	}{{"run0", []int{0, 1, 2}}, {"run1", []int{0, 2}}, {"run2", nil}} {
		if err := store.Remove(ctx, []string{step.remove}, nil); err != nil {
			t.Fatal(err)
		}
		if got := left(); !slices.Equal(got, step.want) {
			t.Fatalf("without %s the states %v are left, want %v", step.remove, got, step.want)
		}
	}
}

func TestNothingIsLeftOfARunThatIsRemoved(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	for n := range 3 {
		if err := recordParts(t, store, n); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Remove(t.Context(), []string{"run0", "run1", "run2"}, nil); err != nil {
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
	part.Root = listed.Test
	recorder.Add(listed)
	recorder.Add(part)
	run.State = api.StateFinished
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
	if err := store.Remove(ctx, nil, nil); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := store.reader.QueryRowContext(ctx, "SELECT count(*) FROM results").Scan(&n); err != nil || n > 0 {
		t.Fatalf("%d results are left, %v", n, err)
	}
}
