package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/record"
)

// defaultRuns is how many runs count where no number is given.
const defaultRuns = 10

// Durations sums up how long tests took when they passed, the slowest first.
func (s *Store) Durations(ctx context.Context, f history.DurationFilter) ([]history.Duration, error) {
	if f.Runs <= 0 {
		f.Runs = defaultRuns
	}
	if f.Limit <= 0 {
		f.Limit = -1
	}
	var all []history.Duration
	err := s.read(ctx, func(tx *sql.Tx) error {
		runs, err := s.latest(ctx, tx, f.Language, f.Runs)
		if err != nil || len(runs) == 0 {
			return err
		}
		var c, again clauses
		in(&c, "x.run", runs)
		in(&again, "e.run", runs)
		// SQLite takes the duration from the row that has the highest run. Only a test
		// with several results in one run may have passed more often than there are runs.
		rows, err := tx.QueryContext(ctx, `SELECT `+testColumns+`, k.mean, k.duration, CASE WHEN k.later = 0 THEN k.passes ELSE
	(SELECT count(DISTINCT e.run) FROM results e WHERE e.test = k.test AND `+again.text()+` AND e.outcome = 0) END
FROM (SELECT x.test AS test, avg(x.duration) AS mean, max(x.run), x.duration AS duration, count(*) AS passes, sum(x.seq) AS later
	FROM results x WHERE `+c.text()+` AND x.outcome = 0 GROUP BY x.test ORDER BY mean DESC, test LIMIT ?) k
JOIN tests t ON t.id = k.test ORDER BY k.mean DESC, t.suite, t.name`, slices.Concat(again.args, c.args, []any{f.Limit})...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var d history.Duration
			var scan testScan
			var mean float64
			var last int64
			if err := rows.Scan(append(scan.into(&d.Test), &mean, &last, &d.Runs)...); err != nil {
				return err
			}
			scan.done()
			d.Mean, d.Last = time.Duration(mean), time.Duration(last)
			all = append(all, d)
		}
		return rows.Err()
	})
	return all, err
}

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
		wanted := map[record.Test]bool{}
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
