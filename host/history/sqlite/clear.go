package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// rowsDropped is how many results of one run are deleted at once: about 20 ms of the
// lock.
const rowsDropped = 1000

// bulkShare: if the results of hidden runs are at least a sixteenth of all, they are
// deleted test by test. Scanning all results takes a twentieth of the time of deleting
// them in that order, and that takes half as long as run by run, since the rows of a run
// are as far apart in the index as tests are.
const bulkShare = 16

// clear removes the results of hidden runs, their measures, and what the dictionaries
// had only because of them; a listed test stays.
func (r *removal) clear(ctx context.Context, hidden []int64) error {
	err := r.repeat(ctx, measuresDropped, func(tx *sql.Tx) (int64, error) {
		return execute(ctx, tx, `DELETE FROM measures WHERE (run, name, test) IN (
	SELECT m.run, m.name, m.test FROM runs r CROSS JOIN measures m ON m.run = r.id WHERE r.workspace = 0 LIMIT ?)`, measuresDropped)
	})
	if err != nil {
		return err
	}
	var some, all int64
	err = r.store.reader.QueryRowContext(ctx, `SELECT coalesce(sum(CASE WHEN workspace = 0 THEN results END), 0), coalesce(sum(results), 0)
FROM runs`).Scan(&some, &all)
	if err != nil {
		return r.store.explain(err)
	}
	if some*bulkShare >= all {
		return r.clearByTest(ctx)
	}
	for i, run := range hidden {
		for more := true; more; {
			err := r.step(ctx, func(tx *sql.Tx) (err error) {
				more, err = clearSome(ctx, tx, run, true)
				return err
			})
			if err == nil {
				err = r.report(resultsShare * float64(i) / float64(len(hidden)))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// place is the place of a result in the index of results by test.
type place struct{ test, run, seq int64 }

// end follows all results.
var end = place{math.MaxInt64, math.MaxInt64, math.MaxInt64}

// The minimum, maximum and initial number of results of hidden runs that are deleted at
// once, whatever time that takes.
const (
	rowsAtLeast = 250
	rowsAtFirst = 2000
	rowsAtMost  = 20_000
)

// clearByTest deletes the results of hidden runs in index order.
func (r *removal) clearByTest(ctx context.Context) error {
	var lastTest, lastFailure int64
	err := r.store.reader.QueryRowContext(ctx, `SELECT coalesce((SELECT max(id) FROM tests), 0), coalesce((SELECT max(id) FROM signatures), 0)`).
		Scan(&lastTest, &lastFailure)
	if err != nil {
		return r.store.explain(err)
	}
	if err := r.clearResults(ctx, lastTest); err != nil {
		return err
	}
	if err := r.forget(ctx, forgetTests, lastTest); err != nil {
		return err
	}
	return r.forget(ctx, forgetFailures, lastFailure)
}

// clearResults deletes the results of hidden runs.
func (r *removal) clearResults(ctx context.Context, lastTest int64) error {
	conns, err := connectUnchecked(ctx, r.store.path)
	if err != nil {
		return r.store.explain(err)
	}
	defer conns.Close()
	rows := rowsAtFirst
	for from := (place{}); from != end; {
		to, err := r.skipRows(ctx, from, rows) // without the lock
		if err != nil {
			return err
		}
		var took time.Duration
		err = r.stepWith(ctx, conns, func(tx *sql.Tx) error {
			began := time.Now()
			defer func() { took = time.Since(began) }()
			return clearBetween(ctx, tx, from, to)
		})
		if err == nil {
			err = r.report(resultsShare * float64(to.test) / float64(max(lastTest, 1)))
		}
		if err != nil {
			return err
		}
		rows = min(max(int(float64(rows)*min(float64(stepTime)/float64(max(took, 1)), 2)), rowsAtLeast), rowsAtMost)
		from = to
	}
	return nil
}

// skipRows returns the place of the hidden runs' result that is this many rows ahead, or the
// end.
func (r *removal) skipRows(ctx context.Context, from place, rows int) (to place, err error) {
	err = r.store.reader.QueryRowContext(ctx, `SELECT x.test, x.run, x.seq FROM results x INDEXED BY results_by_test
WHERE (x.test, x.run, x.seq) > (?, ?, ?) AND x.run IN (SELECT r.id FROM runs r WHERE r.workspace = 0)
ORDER BY x.test, x.run, x.seq LIMIT 1 OFFSET ?`, from.test, from.run, from.seq, rows-1).Scan(&to.test, &to.run, &to.seq)
	if errors.Is(err, sql.ErrNoRows) {
		return end, nil
	}
	return to, r.store.explain(err)
}

// clearBetween deletes the results of hidden runs after one place, up to another.
func clearBetween(ctx context.Context, tx *sql.Tx, from, to place) error {
	hidden, err := collect[string](ctx, tx, "SELECT id FROM runs WHERE workspace = 0 ORDER BY id")
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, betweenQuery(hidden), from.test, from.run, from.seq, to.test, to.run, to.seq)
	return err
}

// betweenQuery deletes results of runs one by one as it finds them. With a subquery, or foreign
// keys to check, SQLite would collect all of them first, which takes twice as long.
func betweenQuery(runs []string) string {
	return `DELETE FROM results INDEXED BY results_by_test
WHERE (test, run, seq) > (?, ?, ?) AND (test, run, seq) <= (?, ?, ?) AND run IN (` + strings.Join(runs, ", ") + ")"
}

// What to drop from a range of a dictionary: what no result refers to.
const (
	forgetTests    = "DELETE FROM tests WHERE id >= ? AND id <= ? AND root <> '' AND NOT EXISTS (SELECT 1 FROM results x WHERE x.test = tests.id)"
	forgetFailures = "DELETE FROM signatures WHERE id >= ? AND id <= ? AND NOT EXISTS (SELECT 1 FROM results x WHERE x.signature = signatures.id)"
)

// forget executes a statement on the whole of a dictionary.
func (r *removal) forget(ctx context.Context, statement string, last int64) error {
	for first := int64(1); first <= last; first += entriesDropped {
		err := r.step(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, statement, first, first+entriesDropped-1)
			return err
		})
		if err == nil {
			err = r.report(resultsShare)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clear removes the results of a run in progress, and their measures. The dictionaries
// keep their entries, as the same results are about to be added again.
func (s *Database) clear(ctx context.Context, run int64) error {
	for more := true; more; {
		err := s.write(ctx, func(tx *sql.Tx) (err error) {
			more, err = clearSome(ctx, tx, run, false)
			return err
		})
		if err != nil {
			return err
		}
	}
	for n := int64(rowsDropped); n >= rowsDropped; {
		err := s.write(ctx, func(tx *sql.Tx) (err error) {
			n, err = execute(ctx, tx, `DELETE FROM measures WHERE (run, name, test) IN (
	SELECT m.run, m.name, m.test FROM measures m WHERE m.run = ? LIMIT ?)`, run, rowsDropped)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// clearSome removes some results of a run, and with forget also what the dictionaries
// had only because of them.
func clearSome(ctx context.Context, tx *sql.Tx, run int64, forget bool) (more bool, err error) {
	rows, err := tx.QueryContext(ctx, `DELETE FROM results WHERE (run, test, seq) IN (
	SELECT x.run, x.test, x.seq FROM results x WHERE x.run = ? LIMIT ?) RETURNING test, coalesce(signature, 0)`, run, rowsDropped)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	n, tests, failures := 0, map[int64]bool{}, map[int64]bool{}
	for ; rows.Next(); n++ {
		var test, signature int64
		if err := rows.Scan(&test, &signature); err != nil {
			return false, err
		}
		tests[test] = true
		if signature != 0 {
			failures[signature] = true
		}
	}
	if err := rows.Err(); err != nil || !forget {
		return n >= rowsDropped, err
	}
	return n >= rowsDropped, forgetRows(ctx, tx, tests, failures)
}

// forgetRows removes unreferenced rows of the dictionaries.
func forgetRows(ctx context.Context, tx *sql.Tx, tests, failures map[int64]bool) error {
	var t, f clauses
	in(&t, "id", slices.Collect(maps.Keys(tests)))
	_, err := tx.ExecContext(ctx, "DELETE FROM tests WHERE root <> '' AND "+t.text()+
		" AND NOT EXISTS (SELECT 1 FROM results x WHERE x.test = tests.id)", t.args...)
	if err != nil {
		return err
	}
	in(&f, "id", slices.Collect(maps.Keys(failures)))
	_, err = tx.ExecContext(ctx, "DELETE FROM signatures WHERE "+f.text()+
		" AND NOT EXISTS (SELECT 1 FROM results x WHERE x.signature = signatures.id)", f.args...)
	return err
}
