package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// durationSum sums up a test's passes.
type durationSum struct {
	test, run   int64 // run is the last one that it passed in
	sum, last   int64
	passes, ran int
}

func (t durationSum) mean() float64 { return float64(t.sum) / float64(t.passes) }

// Durations sums up how long tests took when they passed, slowest first, and counts the
// tests with a known duration.
func (s resultStore) Durations(ctx context.Context, f history.DurationFilter) (all []history.Duration, total int, err error) {
	if f.Runs <= 0 {
		f.Runs = defaultRuns
	}
	err = s.read(ctx, func(tx *sql.Tx) error {
		runs, err := s.latest(ctx, tx, f.Language, f.Runs)
		if err != nil {
			return err
		}
		slices.Sort(runs)
		suites, err := s.suites(ctx, tx, f.Language)
		if err != nil {
			return err
		}
		sums, err := addUp(ctx, tx, runs)
		if err != nil {
			return err
		}
		sums = slices.DeleteFunc(sums, func(t durationSum) bool { return suites[t.test] })
		slices.SortFunc(sums, func(a, b durationSum) int {
			return cmp.Or(-cmp.Compare(a.mean(), b.mean()), cmp.Compare(a.test, b.test))
		})
		if total = len(sums); f.Limit > 0 {
			sums = sums[:min(total, f.Limit)]
		}
		all, err = loadDurations(ctx, tx, sums)
		return err
	})
	return all, total, err
}

// suites returns the dictionary's entries that stand for a suite or a run. These take longer
// than any of their tests, and would crowd them out.
func (s resultStore) suites(ctx context.Context, tx *sql.Tx, language string) (map[int64]bool, error) {
	rows, err := tx.QueryContext(ctx, "SELECT id FROM tests WHERE workspace = ? AND language = ? AND name = ''", s.workspace, language)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	suites := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		suites[id] = true
	}
	return suites, rows.Err()
}

// addUp reads the passes of runs. To group them SQLite would sort them all, which takes
// several times as long as reading them.
func addUp(ctx context.Context, tx *sql.Tx, runs []int64) ([]durationSum, error) {
	var sums []durationSum
	at := map[int64]int{}
	for _, run := range runs {
		var texts [2]string
		err := tx.QueryRowContext(ctx, passesOf, run).Scan(&texts[0], &texts[1])
		if err != nil {
			return nil, err
		}
		tests, durations := texts[0], texts[1]
		for tests != "" || durations != "" {
			var test, duration int64
			if test, tests, err = firstNumber(tests); err != nil {
				return nil, err
			}
			if duration, durations, err = firstNumber(durations); err != nil {
				return nil, err
			}
			i, ok := at[test]
			if !ok {
				i = len(sums)
				at[test], sums = i, append(sums, durationSum{test: test})
			}
			t := &sums[i]
			t.sum, t.last = t.sum+duration, duration
			t.passes++
			if t.run != run {
				t.run = run
				t.ran++
			}
		}
	}
	return sums, nil
}

// passesOf are the passes of a run, as numbers in texts: which tests, and how long each took. A
// row each takes twice as long.
const passesOf = `SELECT coalesce(group_concat(test), ''), coalesce(group_concat(duration), '') FROM (
	SELECT x.test, x.duration FROM results x WHERE x.run = ? AND x.outcome = 0 ORDER BY x.test, x.seq)`

// loadDurations looks up the tests of sums.
func loadDurations(ctx context.Context, tx *sql.Tx, sums []durationSum) ([]history.Duration, error) {
	all := make([]history.Duration, 0, len(sums))
	query, err := tx.PrepareContext(ctx, "SELECT "+testColumns+" FROM tests t WHERE t.id = ?")
	if err != nil {
		return nil, err
	}
	for _, sum := range sums {
		d := history.Duration{Mean: time.Duration(sum.mean()), Last: time.Duration(sum.last), Runs: sum.ran}
		var scan testScan
		if err := query.QueryRowContext(ctx, sum.test).Scan(scan.into(&d.Test)...); err != nil {
			return nil, err
		}
		scan.done()
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b history.Duration) int {
		return cmp.Or(-cmp.Compare(a.Mean, b.Mean), cmp.Compare(a.Suite, b.Suite), cmp.Compare(a.TestKey.Test, b.TestKey.Test))
	})
	return all, nil
}

// defaultRuns is how many runs count by default.
const defaultRuns = 10

// Measures yields the values of a measure in the last runs, newest run first.
func (s resultStore) Measures(ctx context.Context, f history.MeasureFilter, yield func(history.MeasurePoint) bool) error {
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
		wanted := map[sdk.TestID]bool{}
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
			var m history.MeasurePoint
			var at int64
			if err := rows.Scan(&m.Language, &m.Suite, &m.TestKey.Test, &m.RunID, &at, &m.Value); err != nil {
				return err
			}
			if len(wanted) > 0 && !wanted[m.TestID] {
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
