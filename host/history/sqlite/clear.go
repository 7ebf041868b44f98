package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/proctorhq/proctor/host/history/sqlite/internal/db"
)

// rowsDropped is how many rows are deleted at once: about 20 ms of the lock.
const rowsDropped = 1000

// clear removes the results of a run and their measures. forget: it also removes
// what the dictionaries had only because of them; a test that was listed stays.
func (s *Store) clear(ctx context.Context, run int64, forget bool) error {
	for more := true; more; {
		err := s.write(ctx, func(tx *sql.Tx) (err error) {
			more, err = clearSome(ctx, tx, run, forget)
			return err
		})
		if err != nil {
			return err
		}
	}
	for more := true; more; {
		err := s.write(ctx, func(tx *sql.Tx) error {
			n, err := db.New(tx).DropMeasures(ctx, db.DropMeasuresParams{Run: run, Limit: rowsDropped})
			more = n > 0
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func clearSome(ctx context.Context, tx *sql.Tx, run int64, forget bool) (more bool, err error) {
	rows, err := tx.QueryContext(ctx, `DELETE FROM results WHERE (run, test, seq) IN (
	SELECT x.run, x.test, x.seq FROM results x WHERE x.run = ? LIMIT ?) RETURNING test, coalesce(signature, 0)`, run, rowsDropped)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	tests, failures := map[int64]bool{}, map[int64]bool{}
	for rows.Next() {
		var test, signature int64
		if err := rows.Scan(&test, &signature); err != nil {
			return false, err
		}
		tests[test] = true
		if signature != 0 {
			failures[signature] = true
		}
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	if !forget {
		return len(tests) > 0, nil
	}
	return len(tests) > 0, forgetRows(ctx, tx, tests, failures)
}

// forgetRows removes those of the rows of the dictionaries that nothing refers to.
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
