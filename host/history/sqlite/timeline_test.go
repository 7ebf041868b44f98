package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// plainEnds says in one statement what [timelineReader.olderEnds] returns. SQLite takes bare
// columns from the row with the maximum.
const plainEnds = `SELECT run, code, duration, signature FROM (
    SELECT x.run, x.outcome * 256 + x.flags AS code, x.duration, coalesce(x.signature, 0) AS signature, max(x.run * 1048576 + x.seq) AS place
    FROM results x CROSS JOIN runs r ON r.id = x.run AND r.state = 'finished' AND r.kind <> 'triage'
    WHERE x.test = ?1 AND x.run < ?2 AND x.outcome IN (0, 1, 3) GROUP BY r.session ORDER BY place DESC LIMIT ?3)
UNION
SELECT run, code, duration, signature FROM (
    SELECT x.run, x.outcome * 256 + x.flags AS code, x.duration, coalesce(x.signature, 0) AS signature
    FROM results x CROSS JOIN runs r ON r.id = x.run AND r.state = 'finished' AND r.kind <> 'triage'
    WHERE x.test = ?1 AND x.run < ?2 AND x.outcome = 0 ORDER BY x.run DESC, x.seq DESC LIMIT 1)
ORDER BY 1 DESC`

func TestTheEndsOfOlderSessionsAreThoseOfAPlainStatement(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	const tests, runs, sessions = 4, 80, 12
	for n := range runs {
		run := history.Run{
			ID: fmt.Sprint("run", n), SessionID: fmt.Sprint("s", max(n*sessions/runs-random.IntN(3), 0)), // interleaved
			Kind: api.KindRun, Language: "l",
		}
		if random.IntN(10) == 0 {
			run.Kind = api.KindTriage
		}
		recorder, err := store.Begin(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tests {
			for range random.IntN(4) {
				r := history.Result{TestID: sdk.TestID{Suite: "s", Test: fmt.Sprint(i)}, Outcome: history.Outcome(random.IntN(6))}
				if i == 0 && n > 9 {
					r.Outcome = history.Failed // its last pass is old
				}
				r.Derived = r.Outcome.Bad() && random.IntN(2) == 0
				recorder.Add(r)
			}
		}
		if random.IntN(10) == 0 {
			recorder.Abandon()
			continue
		}
		run.State = api.StateFinished
		if err := recorder.Finish(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	err := store.read(t.Context(), func(tx *sql.Tx) error { return compareEnds(t.Context(), t, store, tx, tests, runs) })
	if err != nil {
		t.Fatal(err)
	}
}

func compareEnds(ctx context.Context, t *testing.T, store *Store, tx *sql.Tx, tests, runs int) error {
	r, err := store.newTimelineReader(ctx, tx, history.TimelineFilter{Language: "l", Ends: true})
	if err != nil {
		return err
	}
	found := 0
	for test := range int64(tests) {
		for before := range int64(runs) {
			want, wantCauses, err := scanPoints(tx.QueryContext(ctx, plainEnds, test+1, before, mostEnds))
			if err != nil {
				return err
			}
			got, causes, err := r.olderEnds(ctx, test+1, before)
			if err != nil {
				return err
			}
			if !slices.Equal(got, want) || !slices.Equal(causes, wantCauses) {
				t.Errorf("of test %d before run %d:\n%v\n%v", test+1, before, got, want)
			}
			found += len(got)
		}
	}
	if found < tests*runs {
		t.Errorf("only %d ends", found)
	}
	return nil
}
