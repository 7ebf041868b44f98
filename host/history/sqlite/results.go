package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// Results yields every result of a run.
func (s resultStore) Results(ctx context.Context, runID string, yield func(history.Result) bool) error {
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
			err := rows.Scan(&test, &r.Suite, &r.Test, &r.File, &r.Line, &r.Body, &r.Root, &end, &flags, (*int64)(&r.Duration),
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

// runMeasures returns the measures of a run by test.
func (s resultStore) runMeasures(ctx context.Context, tx *sql.Tx, run int64) (map[int64][]history.Measure, error) {
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

// rank orders outcomes from best to worst: passed, skipped, never started, unfinished,
// failed. A cached pass is a pass.
const rank = "CASE x.outcome WHEN 0 THEN 0 WHEN 5 THEN 0 WHEN 2 THEN 1 WHEN 4 THEN 2 WHEN 3 THEN 3 ELSE 4 END"

// ranked are the outcomes by their rank.
var ranked = [...]history.Outcome{history.Passed, history.Skipped, history.NeverStarted, history.Unfinished, history.Failed}

// outcome converts an outcome of the database, which may have come from anywhere.
func outcome(n int64) (history.Outcome, error) {
	if n < 0 || n > int64(history.Cached) {
		return 0, &damage{why: fmt.Sprintf("a result has the unknown outcome %d", n)}
	}
	return history.Outcome(n), nil
}

// Files sums up a run by the files that declare its tests.
func (s resultStore) Files(ctx context.Context, runID string) ([]history.FileCount, error) {
	var files []history.FileCount
	err := s.read(ctx, func(tx *sql.Tx) error {
		id, err := s.runKey(ctx, tx, runID)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `WITH worst (test, rank) AS (SELECT x.test, max(`+rank+`) FROM results x WHERE x.run = ?1 GROUP BY x.test),
own (uid) AS (SELECT u.uid FROM runs r JOIN sessions u ON u.id = r.session WHERE r.id = ?1)
SELECT t.file, sum(w.rank = 0), sum(w.rank >= 3), sum(w.rank = 1), sum(w.rank = 2), sum(t.first_session = (SELECT uid FROM own))
FROM worst w JOIN tests t ON t.id = w.test WHERE t.file <> '' GROUP BY t.file ORDER BY t.file`, id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var f history.FileCount
			if err := rows.Scan(&f.File, &f.Passed, &f.Bad, &f.Skipped, &f.Else, &f.New); err != nil {
				return err
			}
			files = append(files, f)
		}
		return rows.Err()
	})
	return files, err
}

// FilesOf returns the files that declare the tests of some runs.
func (s resultStore) FilesOf(ctx context.Context, orders []int64) ([]history.SourceFile, error) {
	found := map[history.SourceFile]bool{}
	err := s.read(ctx, func(tx *sql.Tx) error {
		for chunk := range slices.Chunk(orders, idsAtOnce) {
			var c clauses
			in(&c, "x.run", chunk)
			rows, err := tx.QueryContext(ctx, `SELECT DISTINCT t.language, t.file FROM (SELECT DISTINCT x.test FROM results x WHERE `+c.text()+`) d
CROSS JOIN tests t ON t.id = d.test AND t.workspace = ? AND t.file <> ''`, append(c.args, s.workspace)...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var f history.SourceFile
				if err := rows.Scan(&f.Language, &f.File); err != nil {
					return err
				}
				found[f] = true
			}
			if err := rows.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return slices.SortedFunc(maps.Keys(found), func(a, b history.SourceFile) int {
		return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.File, b.File))
	}), err
}

// SuitesOf returns the suites of a run.
func (s resultStore) SuitesOf(ctx context.Context, runID string, most int) (suites []api.ExpectedSuite, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		id, err := s.runKey(ctx, tx, runID)
		if err == nil {
			suites, err = list(ctx, tx, func(rows *sql.Rows, s *api.ExpectedSuite) error { return rows.Scan(&s.Suite, &s.File) },
				`SELECT t.suite, max(t.file) FROM results x JOIN tests t ON t.id = x.test
WHERE x.run = ? AND t.suite <> '' GROUP BY t.suite ORDER BY t.suite LIMIT ?`, id, most)
		}
		return err
	})
	return suites, err
}

// FilesNamed returns the test files with a base name.
func (s resultStore) FilesNamed(ctx context.Context, name string) (files []string, err error) {
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		files, err = collect[string](ctx, tx, `SELECT DISTINCT file FROM tests INDEXED BY tests_by_file_name
WHERE workspace = ? AND file <> '' AND substr(file, length(rtrim(file, replace(file, '/', ''))) + 1) = ? ORDER BY file`, s.workspace, name)
		return err
	})
	return files, err
}

// outcomes selects the outcomes of a run's tests, a cached pass as a pass: otherwise every
// test of a run from the cache would differ from the run before.
const outcomes = "SELECT test, CASE outcome WHEN 5 THEN 0 ELSE outcome END AS outcome FROM results WHERE run = "

// compare finds the tests that have some outcome in only one of two runs, and returns those
// whose worst outcome differs.
const compare = `WITH other (test) AS (
	SELECT b.test FROM (` + outcomes + `?1 EXCEPT ` + outcomes + `?2 ORDER BY test, outcome) b
	UNION
	SELECT n.test FROM (` + outcomes + `?2 EXCEPT ` + outcomes + `?1 ORDER BY test, outcome) n),
worst (test, before, now) AS MATERIALIZED (SELECT o.test,
	(SELECT max(` + rank + `) FROM results x WHERE x.run = ?1 AND x.test = o.test),
	(SELECT max(` + rank + `) FROM results x WHERE x.run = ?2 AND x.test = o.test) FROM other o)
SELECT ` + testColumns + `, w.before, w.now,
	(SELECT x.duration FROM results x WHERE x.run = ?1 AND x.test = w.test ORDER BY ` + rank + ` DESC, x.seq LIMIT 1),
	(SELECT x.duration FROM results x WHERE x.run = ?2 AND x.test = w.test ORDER BY ` + rank + ` DESC, x.seq LIMIT 1)
FROM worst w JOIN tests t ON t.id = w.test WHERE w.before IS NOT w.now ORDER BY t.suite, t.name, t.language`

// Compare yields the tests that ended differently in two runs, with how long the worst
// result of each took.
func (s resultStore) Compare(ctx context.Context, beforeID, nowID string, yield func(history.Change) bool) error {
	return s.read(ctx, func(tx *sql.Tx) error {
		before, err := s.runKey(ctx, tx, beforeID)
		if err != nil {
			return err
		}
		now, err := s.runKey(ctx, tx, nowID)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, compare, before, now)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c history.Change
			var scan testScan
			var wasRank, isRank, wasLong, isLong sql.NullInt64
			if err := rows.Scan(append(scan.into(&c.Test), &wasRank, &isRank, &wasLong, &isLong)...); err != nil {
				return err
			}
			scan.done()
			c.InBefore, c.InNow = wasRank.Valid, isRank.Valid
			c.Before, c.Now = ranked[wasRank.Int64], ranked[isRank.Int64]
			c.DurationBefore, c.DurationNow = time.Duration(wasLong.Int64), time.Duration(isLong.Int64)
			if !yield(c) {
				return nil
			}
		}
		return rows.Err()
	})
}
