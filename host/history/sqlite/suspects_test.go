package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// checkSuspects fails the test if the suspects do not follow from the results.
func checkSuspects(t *testing.T, store *Store) {
	t.Helper()
	miscounted, err := os.ReadFile(filepath.Join("testdata", "recounted.sql"))
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := store.reader.QueryRow("SELECT count(*) FROM (" + string(miscounted) + ")").Scan(&n); err != nil || n > 0 {
		t.Errorf("%d suspects are not what the results say, %v", n, err)
	}
}

// A process that was taken for dead may still live: what it adds to its run, or discards,
// counts like the rest.
func TestARunThatAnotherProcessEndedCountsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	store, other := opened(t, path), opened(t, path)
	run := history.Run{ID: "run", SessionID: "s", Language: "l", Fingerprint: "f"}
	begun, err := store.Begin(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	r := begun.(*recorder)
	want := func(tests ...int) {
		t.Helper()
		checkSuspects(t, store)
		suspects, err := other.Suspects(t.Context(), history.SuspectFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var got, nameFile []string
		for _, s := range suspects {
			got = append(got, s.TestKey.Test)
		}
		for _, i := range tests {
			nameFile = append(nameFile, numbered(i).Test)
		}
		if fmt.Sprint(got) != fmt.Sprint(nameFile) {
			t.Fatalf("the suspects are %v, not %v", got, nameFile)
		}
	}
	add := func(i int) {
		t.Helper()
		r.Add(numbered(i))
		if err := r.request(t.Context(), func() error { r.flush(); return r.err }); err != nil {
			t.Fatal(err)
		}
	}
	add(1)
	want()
	run.State = api.StateFinished
	if err := other.Amend(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	want(1)
	add(2)
	want(1, 2)
	if err := r.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	want()
	add(3)
	want()
	if err := r.Finish(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	want(3)
	if err := other.Remove(t.Context(), []string{"run"}, nil); err != nil {
		t.Fatal(err)
	}
	want()
}
