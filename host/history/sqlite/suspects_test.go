package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// recounted is what the table of suspects has to say, found out from the results.
const recounted = `WITH point AS MATERIALIZED (
	SELECT x.test, x.run, x.outcome, x.flags & 1 AS derived, r.workspace, r.session, r.language || '|' || r.fingerprint || '|' || r.environment AS source,
		r.fingerprint <> '' AND r.mixed_state = 0 AS known
	FROM runs r JOIN results x ON x.run = r.id AND x.outcome IN (0, 1, 3) WHERE r.state = 'finished' AND r.kind <> 'triage'),
run AS MATERIALIZED (SELECT test, run, workspace, session, min(derived) = 0 AS own FROM point WHERE outcome > 0 GROUP BY test, run),
both AS MATERIALIZED (SELECT test, count(*) AS sources FROM (
	SELECT test FROM point WHERE known GROUP BY test, source HAVING min(outcome) = 0 AND max(outcome) > 0) GROUP BY test)
SELECT k.*, coalesce(b.sources, 0) FROM (
	SELECT test, workspace, max(run), count(*), sum(own), count(DISTINCT session) FROM run GROUP BY test) k LEFT JOIN both b ON b.test = k.test`

// counts fails where the suspects do not say what the results do.
func counts(t *testing.T, store *Store) {
	t.Helper()
	const kept = "SELECT test, workspace, last, runs, own, sessions, both FROM suspects"
	for what, query := range map[string]string{
		"%d suspects are not what the results say":  kept + " EXCEPT SELECT * FROM (" + recounted + ")",
		"%d suspects are not on record as they are": "SELECT * FROM (" + recounted + ") EXCEPT " + kept,
	} {
		var n int
		if err := store.reader.QueryRow("SELECT count(*) FROM (" + query + ")").Scan(&n); err != nil || n > 0 {
			t.Errorf(what+", %v", n, err)
		}
	}
}

// A process that was taken for dead may live: what it adds to its run, and takes
// back, counts like the rest.
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
		counts(t, store)
		suspects, err := other.Suspects(t.Context(), history.SuspectFilter{})
		if err != nil {
			t.Fatal(err)
		}
		var got, named []string
		for _, s := range suspects {
			got = append(got, s.TestKey.Test.Test)
		}
		for _, i := range tests {
			named = append(named, numbered(i).Test.Test)
		}
		if fmt.Sprint(got) != fmt.Sprint(named) {
			t.Fatalf("the suspects are %v, not %v", got, named)
		}
	}
	add := func(i int) {
		t.Helper()
		r.Add(numbered(i))
		if err := r.ask(t.Context(), func() error { r.flush(); return r.err }); err != nil {
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
