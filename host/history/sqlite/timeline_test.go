package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// plainEnds says in one statement what [timelineReader.addEnds] adds. SQLite takes bare
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
				r.Duration = time.Duration(random.IntN(100))
				if random.IntN(2) == 0 {
					r.Signature = fmt.Sprint("signature", random.IntN(3))
				}
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
			want, err := list(ctx, tx, func(rows *sql.Rows, x *result) error {
				var code int
				err := rows.Scan(&x.run, &code, &x.duration, &x.signature)
				x.outcome, x.derived = history.Outcome(code>>8), code&derivedFlag != 0
				return err
			}, plainEnds, test+1, before, mostEnds)
			if err != nil {
				return err
			}
			tests := []row{{id: test + 1, cut: true, results: []result{{run: before}}}}
			if err := r.addEnds(ctx, tests); err != nil {
				return err
			}
			got := tests[0].results[1:]
			if !slices.Equal(got, want) {
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

func TestAResultThatIsNoResultIsDamage(t *testing.T) {
	for _, change := range []string{
		"results SET duration = 'long'", "results SET duration = '1,2'", "results SET duration = 1.5", "results SET duration = ''", "results SET signature = 'none'", "results SET signature = ''",
		"results SET outcome = 6", "results SET outcome = 256", "results SET outcome = -1", "results SET outcome = 'no'",
		"runs SET session = 99",
	} {
		for run, readers := range []string{"the latest results", "the ends of older sessions"} {
			store := opened(t, filepath.Join(t.TempDir(), "history.db"))
			test := sdk.TestID{Suite: "s", Test: "t"}
			for n := range 2 {
				run := history.Run{ID: fmt.Sprint("run", n), SessionID: fmt.Sprint("s", n), Kind: api.KindRun, Language: "l"}
				recorder, err := store.Begin(t.Context(), run)
				if err != nil {
					t.Fatal(err)
				}
				recorder.Add(history.Result{TestID: test, Outcome: history.Failed, Signature: "f"})
				run.State = api.StateFinished
				if err := recorder.Finish(t.Context(), run); err != nil {
					t.Fatal(err)
				}
			}
			filter := history.TimelineFilter{Language: "l", Tests: []sdk.TestID{test}, Points: 1, Ends: true}
			read := func() error {
				return store.Timeline(t.Context(), filter, func(on history.Timeline) bool {
					if len(on.Points) != 2 {
						t.Errorf("%d results", len(on.Points))
					}
					return true
				})
			}
			if err := read(); err != nil {
				t.Fatal(err)
			}
			key := map[bool]string{true: "id", false: "run"}[strings.HasPrefix(change, "runs")]
			_, err := store.writer.ExecContext(t.Context(), "PRAGMA foreign_keys = OFF")
			if err == nil {
				_, err = store.writer.ExecContext(t.Context(), "UPDATE "+change+" WHERE "+key+" = ?", 2-run)
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := read(); !isDamage(err) && !(run == 1 && strings.Contains(change, "outcome")) { // an inconclusive one ends nothing
				t.Errorf("%s with %s: %v", readers, change, err)
			}
		}
	}
}

func TestTimelinesOfAllLanguagesKeepTheOrderOfTheFilter(t *testing.T) {
	store := opened(t, filepath.Join(t.TempDir(), "history.db"))
	var tests []sdk.TestID
	for i := range 2*rowsAtOnce + 1 {
		tests = append(tests, sdk.TestID{Suite: "s", Test: fmt.Sprint(i*7%31, " ", i)})
	}
	var want []history.TestKey
	for _, language := range []string{"b", "a"} {
		run := history.Run{ID: language, SessionID: "s", Kind: api.KindRun, Language: language}
		recorder, err := store.Begin(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range tests {
			recorder.Add(history.Result{TestID: test})
		}
		run.State = api.StateFinished
		if err := recorder.Finish(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range tests {
		want = append(want, history.TestKey{Language: "a", TestID: test}, history.TestKey{Language: "b", TestID: test})
	}
	var got []history.TestKey
	err := store.Timeline(t.Context(), history.TimelineFilter{Tests: tests, Points: 1000}, func(on history.Timeline) bool {
		got = append(got, on.TestKey)
		return len(got) < len(want)-1
	})
	if err != nil || !slices.Equal(got, want[:len(want)-1]) {
		t.Errorf("%d of %d timelines: %v\n%v", len(got), len(want), err, got)
	}
}

func TestADurationThatIsNoNumberIsDamage(t *testing.T) {
	for _, set := range []string{"'long'", "''", "'1,2'"} {
		store := opened(t, filepath.Join(t.TempDir(), "history.db"))
		run := history.Run{ID: "run", SessionID: "s", Kind: api.KindRun, Language: "l"}
		recorder, err := store.Begin(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		recorder.Add(history.Result{TestID: sdk.TestID{Suite: "s", Test: "t"}, Duration: 7})
		recorder.Add(history.Result{TestID: sdk.TestID{Suite: "s", Test: "u"}, Duration: 5})
		run.State = api.StateFinished
		if err := recorder.Finish(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		all, total, err := store.Durations(t.Context(), history.DurationFilter{})
		if err != nil || total != 2 || all[0].Mean != 7 || all[1].Last != 5 {
			t.Fatalf("%v of %d: %v", all, total, err)
		}
		if _, err := store.writer.ExecContext(t.Context(), "UPDATE results SET duration = "+set+" WHERE test = 2"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := store.Durations(t.Context(), history.DurationFilter{}); !isDamage(err) {
			t.Errorf("a duration of %s: %v", set, err)
		}
	}
}
