package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/sdk"
)

// defaultPoints is how many points of a test are returned by default.
const defaultPoints = 200

// Timeline yields the records of tests, in the order of the filter.
func (s resultStore) Timeline(ctx context.Context, f history.TimelineFilter, yield func(history.Timeline) bool) error {
	return s.read(ctx, func(tx *sql.Tx) error {
		r, err := s.newTimelineReader(ctx, tx, f)
		if err != nil {
			return err
		}
		for _, test := range f.Tests {
			found, err := r.find(ctx, test)
			if err != nil {
				return err
			}
			for _, t := range found {
				points, cut, err := r.points(ctx, t.id)
				if err != nil {
					return err
				}
				if !yield(history.Timeline{Test: t.Test, Points: points, Cut: cut}) {
					return nil
				}
			}
		}
		return nil
	})
}

// timelineReader reads timelines. What many points share is read once.
type timelineReader struct {
	tx *sql.Tx
	// languages are those in which a test may have its name.
	languages []string
	workspace int64
	most      int
	// tests and results are queried for each test; they end with the transaction.
	tests, results *sql.Stmt
	// ends finds the ends of older sessions; nil if not wanted.
	ends     *sql.Stmt
	runs     map[int64]history.Point
	failures map[int64]failure
}

func (s resultStore) newTimelineReader(ctx context.Context, tx *sql.Tx, f history.TimelineFilter) (*timelineReader, error) {
	r := &timelineReader{
		tx: tx, languages: []string{f.Language}, workspace: s.workspace, most: f.Points,
		runs: map[int64]history.Point{}, failures: map[int64]failure{},
	}
	if r.most <= 0 {
		r.most = defaultPoints
	}
	var err error
	if f.Language == "" {
		r.languages, err = collect[string](ctx, tx, "SELECT DISTINCT language FROM runs WHERE workspace = ? ORDER BY language", s.workspace)
		if err != nil {
			return nil, err
		}
	}
	r.tests, err = tx.PrepareContext(ctx, "SELECT t.id, "+testColumns+
		" FROM tests t WHERE t.workspace = ? AND t.language = ? AND t.suite = ? AND t.name = ?")
	if err != nil {
		return nil, err
	}
	before := ""
	if f.Before > 0 {
		before = fmt.Sprintf("AND x.run < %d", f.Before)
	}
	// Fewer columns and parameters are faster: there may be many rows.
	r.results, err = tx.PrepareContext(ctx, fmt.Sprintf(`SELECT x.run, x.outcome * 256 + x.flags, x.duration, coalesce(x.signature, 0)
FROM results x CROSS JOIN runs r ON r.id = x.run AND r.state = 'finished'
WHERE x.test = ? %s ORDER BY x.run DESC, x.seq DESC LIMIT %d`, before, r.most+1))
	if err == nil && f.Ends {
		r.ends, err = tx.PrepareContext(ctx, endsQuery)
	}
	return r, err
}

// row is a test with its id in the dictionary.
type row struct {
	id int64
	history.Test
}

// find looks up a test; without a language there may be several.
func (r *timelineReader) find(ctx context.Context, test sdk.TestID) ([]row, error) {
	var found []row
	for _, language := range r.languages {
		var t row
		var scan testScan
		err := r.tests.QueryRowContext(ctx, r.workspace, language, test.Suite, test.Test).
			Scan(append([]any{&t.id}, scan.into(&t.Test)...)...)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		scan.done()
		found = append(found, t)
	}
	return found, nil
}

// points returns the latest results of a test, oldest first.
func (r *timelineReader) points(ctx context.Context, test int64) (points []history.Point, cut bool, err error) {
	points, signatures, err := scanPoints(r.results.QueryContext(ctx, test))
	if err != nil {
		return nil, false, err
	}
	if cut = len(points) > r.most; cut {
		points, signatures = points[:r.most], signatures[:r.most]
	}
	if cut && r.ends != nil {
		oldest := points[len(points)-1].Order
		older, causes, err := scanPoints(r.ends.QueryContext(ctx, test, oldest, mostEnds, test, oldest))
		if err != nil {
			return nil, false, err
		}
		points, signatures = append(points, older...), append(signatures, causes...)
	}
	if err := r.complete(ctx, points, signatures); err != nil {
		return nil, false, err
	}
	slices.Reverse(points)
	return points, cut, nil
}

// mostEnds bounds how many earlier sessions are examined.
const mostEnds = 1000

// endsQuery finds, before a run, the last conclusive result of each session and the
// last pass. SQLite takes bare columns from the row with the maximum.
const endsQuery = `SELECT run, code, duration, signature FROM (
    SELECT x.run, x.outcome * 256 + x.flags AS code, x.duration, coalesce(x.signature, 0) AS signature, max(x.run * 1048576 + x.seq) AS place
    FROM results x CROSS JOIN runs r ON r.id = x.run AND r.state = 'finished' AND r.kind <> 'triage'
    WHERE x.test = ? AND x.run < ? AND x.outcome IN (0, 1, 3) GROUP BY r.session ORDER BY place DESC LIMIT ?)
UNION
SELECT run, code, duration, signature FROM (
    SELECT x.run, x.outcome * 256 + x.flags AS code, x.duration, coalesce(x.signature, 0) AS signature
    FROM results x CROSS JOIN runs r ON r.id = x.run AND r.state = 'finished' AND r.kind <> 'triage'
    WHERE x.test = ? AND x.run < ? AND x.outcome = 0 ORDER BY x.run DESC, x.seq DESC LIMIT 1)
ORDER BY 1 DESC`

// scanPoints reads results, newest first, with the ids of their signatures.
func scanPoints(rows *sql.Rows, err error) (points []history.Point, signatures []int64, _ error) {
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p history.Point
		var code, signature int64
		if err := rows.Scan(&p.Order, &code, (*int64)(&p.Duration), &signature); err != nil {
			return nil, nil, err
		}
		if p.Outcome, err = outcome(code >> 8); err != nil {
			return nil, nil, err
		}
		p.Derived = code&derivedFlag != 0
		points, signatures = append(points, p), append(signatures, signature)
	}
	return points, signatures, rows.Err()
}

// complete fills in the points' runs and failures.
func (r *timelineReader) complete(ctx context.Context, points []history.Point, signatures []int64) error {
	var runs, failures []int64
	for i, p := range points {
		if _, ok := r.runs[p.Order]; !ok {
			r.runs[p.Order] = history.Point{}
			runs = append(runs, p.Order)
		}
		if id := signatures[i]; id != 0 {
			if _, ok := r.failures[id]; !ok {
				r.failures[id] = failure{}
				failures = append(failures, id)
			}
		}
	}
	if err := r.loadRuns(ctx, runs); err != nil {
		return err
	}
	if err := r.loadFailures(ctx, failures); err != nil {
		return err
	}
	for i := range points {
		p, f := r.runs[points[i].Order], r.failures[signatures[i]]
		p.Outcome, p.Duration, p.Derived = points[i].Outcome, points[i].Duration, points[i].Derived
		p.Signature, p.Kind, p.Excerpt = f.hash, f.kind, f.excerpt
		points[i] = p
	}
	return nil
}

// idsAtOnce bounds the ids in one query.
const idsAtOnce = 1000

func (r *timelineReader) loadRuns(ctx context.Context, ids []int64) error {
	for chunk := range slices.Chunk(ids, idsAtOnce) {
		var c clauses
		in(&c, "r.id", chunk)
		rows, err := r.tx.QueryContext(ctx, `SELECT r.id, r.uid, u.uid, r.started_at, r.fingerprint, r.mixed_state, r.environment, r.seed, r.kind
FROM runs r JOIN sessions u ON u.id = r.session WHERE `+c.text(), c.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p history.Point
			var started int64
			err := rows.Scan(&p.Order, &p.RunID, &p.SessionID, &started, &p.Fingerprint, &p.MixedState, &p.Environment, &p.Seed, &p.RunKind)
			if err != nil {
				return err
			}
			p.At = unstamp(started)
			r.runs[p.Order] = p
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (r *timelineReader) loadFailures(ctx context.Context, ids []int64) error {
	for chunk := range slices.Chunk(ids, idsAtOnce) {
		var c clauses
		in(&c, "g.id", chunk)
		rows, err := r.tx.QueryContext(ctx, "SELECT g.id, g.hash, g.kind, g.excerpt FROM signatures g WHERE "+c.text(), c.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var f failure
			if err := rows.Scan(&id, &f.hash, &f.kind, &f.excerpt); err != nil {
				return err
			}
			r.failures[id] = f
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return nil
}
