package sqlite

import (
	"context"
	"database/sql"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// defaultRuns is how many runs count where no number is given.
const defaultRuns = 10

// Measures yields what a measure of a test was in the last runs, the newest run
// first.
func (s *Store) Measures(ctx context.Context, f history.MeasureFilter, yield func(history.Measured) bool) error {
	if f.Runs <= 0 {
		f.Runs = defaultRuns
	}
	return s.read(ctx, func(tx *sql.Tx) error {
		runs, err := s.latest(ctx, tx, f.Language, f.Runs)
		if err != nil || len(runs) == 0 {
			return err
		}
		var c clauses
		in(&c, "m.run", runs)
		c.add("n.name = ?", f.Name)
		if len(f.Tests) > 0 && len(f.Tests) <= idsAtOnce {
			args := make([]any, 0, 2*len(f.Tests))
			for _, t := range f.Tests {
				args = append(args, t.Suite, t.Test)
			}
			c.add("(t.suite, t.name) IN (VALUES "+tuples(len(f.Tests), 2)+")", args...)
		}
		wanted := map[api.Test]bool{}
		for _, t := range f.Tests {
			wanted[t] = true
		}
		rows, err := tx.QueryContext(ctx, `SELECT t.language, t.suite, t.name, r.uid, r.started_at, m.value
FROM measure_names n CROSS JOIN measures m ON m.name = n.id JOIN tests t ON t.id = m.test JOIN runs r ON r.id = m.run
WHERE `+c.text()+` ORDER BY m.run DESC, t.suite, t.name`, c.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var m history.Measured
			var at int64
			if err := rows.Scan(&m.Language, &m.Suite, &m.TestKey.Test.Test, &m.RunID, &at, &m.Value); err != nil {
				return err
			}
			if len(wanted) > 0 && !wanted[m.Test] {
				continue
			}
			m.At = unstamp(at)
			if !yield(m) {
				return nil
			}
		}
		return rows.Err()
	})
}
