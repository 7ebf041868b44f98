package sqlite

import (
	"context"
	"database/sql"

	"github.com/proctorhq/proctor/host/history"
)

// Results yields every result of a run.
func (s *Store) Results(ctx context.Context, runID string, yield func(history.Result) bool) error {
	return s.read(ctx, func(tx *sql.Tx) error {
		id, err := s.runKey(ctx, tx, runID)
		if err != nil {
			return err
		}
		measures, err := s.runMeasures(ctx, tx, id)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT t.id, t.suite, t.name, t.file, t.line, t.body, t.root, x.outcome, x.flags, x.duration,
	coalesce(g.hash, ''), coalesce(g.kind, ''), coalesce(g.excerpt, '')
FROM results x JOIN tests t ON t.id = x.test LEFT JOIN signatures g ON g.id = x.signature
WHERE x.run = ? ORDER BY t.suite, t.name, t.id, x.seq`, id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var r history.Result
			var test, end int64
			var flags int
			err := rows.Scan(&test, &r.Suite, &r.Test.Test, &r.File, &r.Line, &r.Body, &r.Root, &end, &flags, (*int64)(&r.Duration),
				&r.Signature, &r.Kind, &r.Excerpt)
			if err != nil {
				return err
			}
			if r.Outcome, err = outcome(end); err != nil {
				return err
			}
			r.Derived = flags&derivedFlag != 0
			r.Measures = measures[test]
			if !yield(r) {
				return nil
			}
		}
		return rows.Err()
	})
}

// runMeasures are the measures of a run by test.
func (s *Store) runMeasures(ctx context.Context, tx *sql.Tx, run int64) (map[int64][]history.Measure, error) {
	rows, err := tx.QueryContext(ctx, `SELECT m.test, n.name, m.value FROM measures m JOIN measure_names n ON n.id = m.name
WHERE m.run = ? ORDER BY m.test, n.name`, run)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	measures := map[int64][]history.Measure{}
	for rows.Next() {
		var test int64
		var m history.Measure
		if err := rows.Scan(&test, &m.Name, &m.Value); err != nil {
			return nil, err
		}
		measures[test] = append(measures[test], m)
	}
	return measures, rows.Err()
}
