package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

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
	// endings and ends find the ends of older sessions; nil if not wanted. sessions are those of
	// the runs that count.
	endings, ends *sql.Stmt
	sessions      map[int64]int64

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
		r.endings, err = tx.PrepareContext(ctx, endingsQuery)
	}
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
		older, causes, err := r.olderEnds(ctx, test, points[len(points)-1].Order)
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

// What there is one of for each run on record comes as numbers in one text: a row each takes
// several times as long.
const (
	// sessionsQuery returns the runs that count, with their sessions.
	sessionsQuery = `SELECT coalesce(group_concat(r.id * 4294967296 + r.session), '') FROM runs r
WHERE r.workspace = ? AND r.state = 'finished' AND r.kind <> 'triage'`
	// endingsQuery returns the runs before another in which a test had a conclusive result, with its
	// outcome. IN would take twice as long.
	endingsQuery = `SELECT coalesce(group_concat(x.run * 4 + x.outcome), '') FROM results x
WHERE x.test = ? AND x.run < ? AND ` + conclusive
	conclusive = "(x.outcome BETWEEN 0 AND 1 OR x.outcome = 3)"
)

// endsQuery returns the conclusive results of a test in some runs, in their order, the last of a
// run first.
const endsQuery = `SELECT x.run, x.outcome * 256 + x.flags, x.duration, coalesce(x.signature, 0)
FROM json_each(?) j CROSS JOIN results x INDEXED BY results_by_test ON x.test = ? AND x.run = j.value
WHERE ` + conclusive + " ORDER BY j.key, x.seq DESC"

// numbersIn yields the numbers of a list.
func numbersIn(text string) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for text != "" {
			var number string
			number, text, _ = strings.Cut(text, ",")
			if n, err := strconv.ParseInt(number, 10, 64); err != nil || !yield(n) {
				return
			}
		}
	}
}

// loadSessions reads the sessions of runs, once.
func (r *timelineReader) loadSessions(ctx context.Context) error {
	if r.sessions != nil {
		return nil
	}
	text, err := pick[string](ctx, r.tx, sessionsQuery, r.workspace)
	r.sessions = map[int64]int64{}
	for n := range numbersIn(text) {
		r.sessions[n>>32] = n & (1<<32 - 1)
	}
	return err
}

// olderEnds returns, before a run, the last conclusive result of each session and the last
// pass, newest first.
func (r *timelineReader) olderEnds(ctx context.Context, test, before int64) (ends []history.Point, signatures []int64, err error) {
	if err := r.loadSessions(ctx); err != nil {
		return nil, nil, err
	}
	var text string
	if err := r.endings.QueryRowContext(ctx, test, before).Scan(&text); err != nil {
		return nil, nil, err
	}
	last, passed := map[int64]int64{}, int64(0) // the runs, by session, and that of the last pass
	for n := range numbersIn(text) {
		run := n / 4
		session, ok := r.sessions[run]
		if !ok {
			continue
		}
		last[session] = max(last[session], run)
		if history.Outcome(n%4) == history.Passed {
			passed = max(passed, run)
		}
	}
	runs := slices.Sorted(maps.Values(last))
	runs = runs[max(len(runs)-mostEnds, 0):]
	at, isEnd := slices.BinarySearch(runs, passed)
	if passed != 0 && !isEnd {
		runs = slices.Insert(runs, at, passed)
	}
	slices.Reverse(runs)
	list, err := json.Marshal(runs)
	if err != nil {
		return nil, nil, err
	}
	all, causes, err := scanPoints(r.ends.QueryContext(ctx, string(list), test))
	if err != nil {
		return nil, nil, err
	}
	take := func(i int) { ends, signatures = append(ends, all[i]), append(signatures, causes[i]) }
	for i, p := range all {
		if i > 0 && all[i-1].Order == p.Order {
			continue // only the last one of a run ends it
		}
		if p.Order == passed {
			pass := slices.IndexFunc(all[i:], func(p history.Point) bool { return p.Outcome == history.Passed })
			if pass > 0 {
				take(i + pass)
			}
			if pass > 0 && !isEnd {
				continue
			}
		}
		take(i)
	}
	return ends, signatures, nil
}

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
