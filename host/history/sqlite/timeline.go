package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

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
		for tests := range slices.Chunk(f.Tests, min(max(resultsAtOnce/r.most, 1), rowsAtOnce)) {
			found, err := r.find(ctx, tests)
			if err == nil {
				err = r.complete(ctx, found)
			}
			if err != nil {
				return err
			}
			for _, t := range found {
				if !yield(history.Timeline{Test: t.Test, Points: r.points(t.results), Cut: t.cut}) {
					return nil
				}
			}
		}
		return nil
	})
}

// resultsAtOnce bounds the results that are read together.
const resultsAtOnce = 20_000

// timelineReader reads timelines, of many tests at once. What many points share is read once.
type timelineReader struct {
	tx *sql.Tx
	// languages are those in which a test may have its name.
	languages []string
	workspace int64
	most      int
	latest    bulkStatement
	// ends reports whether the ends of older sessions are wanted. counted are the runs that
	// count for these, in order, and seen is for which of the tests that they were looked for
	// in a session.
	ends    bool
	counted []countedRun
	seen    []int
	looked  int

	runs     map[int64]history.Point
	failures map[int64]failure
}

func (s resultStore) newTimelineReader(ctx context.Context, tx *sql.Tx, f history.TimelineFilter) (*timelineReader, error) {
	r := &timelineReader{
		tx: tx, languages: []string{f.Language}, workspace: s.workspace, most: f.Points, ends: f.Ends,
		runs: map[int64]history.Point{}, failures: map[int64]failure{},
	}
	if r.most <= 0 {
		r.most = defaultPoints
	}
	r.latest = latestOf(r.most+1, f.Before)
	var err error
	if f.Language == "" {
		r.languages, err = collect[string](ctx, tx, "SELECT DISTINCT language FROM runs WHERE workspace = ? ORDER BY language", s.workspace)
	}
	return r, err
}

// result is a result of a test. Both its run and its signature are rows.
type result struct {
	run       int64
	outcome   history.Outcome
	derived   bool
	duration  time.Duration
	signature int64
}

// listsOf are the results x of a test as numbers in a text, since a row each takes several times
// as long: a list of their runs, with how they ended, one of their durations, and one of the
// signatures of those that have one.
const listsOf = `coalesce(group_concat(x.run * 1024 + x.outcome * 4 + (x.signature IS NOT NULL) * 2 + (x.flags & 1))
	|| ';' || group_concat(x.duration) || ';' || coalesce(group_concat(x.signature), ''), ';;')`

// ofFinished are results x of finished runs. To look up the run of each takes twice as long.
const ofFinished = "x.run NOT IN (SELECT u.id FROM runs u WHERE u.state <> 'finished')"

// latestOf looks up tests, with their latest results, the newest first.
func latestOf(most int, before int64) bulkStatement {
	earlier := ""
	if before > 0 {
		earlier = fmt.Sprintf("AND x.run < %d", before)
	}
	return bulkStatement{3, func(rows int) string {
		return `WITH own (workspace, language) AS (VALUES (?, ?)), wanted (place, suite, name) AS (VALUES ` + tuples(rows, 3) + `)
SELECT w.place, t.id, ` + testColumns + `, (
	SELECT ` + listsOf + ` FROM (
		SELECT x.run, iif(x.outcome BETWEEN 0 AND 254, x.outcome, 255) AS outcome, x.flags, x.duration, x.signature
		FROM results x WHERE x.test = t.id AND ` + ofFinished + ` ` + earlier + ` ORDER BY x.run DESC, x.seq DESC LIMIT ` + strconv.Itoa(most) + `) x)
FROM own CROSS JOIN wanted w
CROSS JOIN tests t ON t.workspace = own.workspace AND t.language = own.language AND t.suite = w.suite AND t.name = w.name`
	}}
}

// conclusiveBefore returns the conclusive results of tests before a run, in the order of the
// index. IN would take twice as long.
var conclusiveBefore = bulkStatement{2, func(rows int) string {
	return `WITH wanted (test, before) AS (VALUES ` + tuples(rows, 2) + `)
SELECT w.test, (
	SELECT ` + listsOf + ` FROM results x INDEXED BY results_by_test
	WHERE x.test = w.test AND x.run < w.before AND (x.outcome BETWEEN 0 AND 1 OR x.outcome = 3))
FROM wanted w`
}}

// parseResults reads what [listsOf] wrote.
func parseResults(text string) ([]result, error) {
	codes, rest, _ := strings.Cut(text, ";")
	durations, signatures, _ := strings.Cut(rest, ";")
	all := make([]result, 0, strings.Count(codes, ",")+1)
	for n, err := range numbersIn(codes) {
		if err != nil {
			return nil, err
		}
		end, err := outcome(n >> 2 & 255)
		if err != nil {
			return nil, err
		}
		all = append(all, result{run: n >> 10, outcome: end, derived: n&derivedFlag != 0, signature: n & 2})
	}
	next := 0
	for n, err := range numbersIn(durations) {
		if err != nil || next == len(all) {
			return nil, cmp.Or(err, errLists)
		}
		all[next].duration = time.Duration(n)
		next++
	}
	if next < len(all) {
		return nil, errLists
	}
	next = 0
	for n, err := range numbersIn(signatures) {
		for next < len(all) && all[next].signature == 0 {
			next++
		}
		if err != nil || next == len(all) {
			return nil, cmp.Or(err, errLists)
		}
		all[next].signature = n
		next++
	}
	if slices.ContainsFunc(all[next:], func(x result) bool { return x.signature != 0 }) {
		return nil, errLists
	}
	return all, nil
}

// errLists is the error for a text whose lists do not belong together.
var errLists error = &damage{why: "results have more or fewer numbers than they should"}

// numbersIn yields the numbers of a list.
func numbersIn(text string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for text != "" {
			var n int64
			var err error
			if n, text, err = firstNumber(text); !yield(n, err) || err != nil {
				return
			}
		}
	}
}

// firstNumber returns the first number of a list, and the rest.
func firstNumber(text string) (n int64, rest string, err error) {
	first, rest, _ := strings.Cut(text, ",")
	if n, err = strconv.ParseInt(first, 10, 64); err != nil {
		err = &damage{why: fmt.Sprintf("a result holds %.40q in place of a number", first)}
	}
	return n, rest, err
}

// row is a test with its id in the dictionary, and its results that count, the newest first.
// cut reports whether there are older ones.
type row struct {
	id int64
	history.Test
	results []result
	cut     bool
}

// find looks up tests and their results; without a language there may be several of a name.
func (r *timelineReader) find(ctx context.Context, tests []sdk.TestID) ([]row, error) {
	values := make([]any, 0, 3*len(tests))
	for i, t := range tests {
		values = append(values, i, t.Suite, t.Test)
	}
	type placed struct {
		row
		place int
	}
	all := make([]placed, 0, len(tests))
	for _, language := range r.languages {
		err := r.latest.query(ctx, r.tx, []any{r.workspace, language}, values, func(rows *sql.Rows) error {
			var t placed
			var scan testScan
			var text string
			err := rows.Scan(append(append([]any{&t.place, &t.id}, scan.into(&t.Test)...), &text)...)
			if err != nil {
				return err
			}
			scan.done()
			t.results, err = parseResults(text)
			if t.cut = len(t.results) > r.most; t.cut {
				t.results = t.results[:r.most]
			}
			all = append(all, t)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	found := make([]row, len(all))
	for i, t := range all {
		found[i] = t.row
	}
	return found, r.addEnds(ctx, found)
}

// addEnds adds to tests with older results those that end a session.
func (r *timelineReader) addEnds(ctx context.Context, tests []row) error {
	var values []any
	at := map[int64][]*row{} // a test may have been asked for twice
	for i := range tests {
		t := &tests[i]
		if !t.cut || !r.ends {
			continue
		}
		if at[t.id] == nil {
			values = append(values, t.id, t.results[len(t.results)-1].run)
		}
		at[t.id] = append(at[t.id], t)
	}
	if len(values) == 0 {
		return nil
	}
	if err := r.loadCounted(ctx); err != nil {
		return err
	}
	return conclusiveBefore.query(ctx, r.tx, nil, values, func(rows *sql.Rows) error {
		var id int64
		var text string
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		older, err := parseResults(text)
		if err != nil {
			return err
		}
		ends := r.olderEnds(older)
		for _, t := range at[id] {
			t.results = append(t.results, ends...)
		}
		return nil
	})
}

// countedRun is a finished run that is no triage, and the place of its session in
// [timelineReader.seen].
type countedRun struct {
	run     int64
	session int
}

// loadCounted reads the runs that count, once.
func (r *timelineReader) loadCounted(ctx context.Context) error {
	if r.counted != nil {
		return nil
	}
	text, err := pick[string](ctx, r.tx, `SELECT coalesce(group_concat(r.id * 4294967296 + r.session), '') FROM runs r
WHERE r.workspace = ? AND `+counted, r.workspace)
	if err != nil {
		return err
	}
	at := map[int64]int{}
	r.counted = []countedRun{}
	for n, err := range numbersIn(text) {
		if err != nil {
			return err
		}
		session, ok := at[n&(1<<32-1)]
		if !ok {
			session = len(at)
			at[n&(1<<32-1)] = session
		}
		r.counted = append(r.counted, countedRun{n >> 32, session})
	}
	slices.SortFunc(r.counted, func(a, b countedRun) int { return cmp.Compare(a.run, b.run) })
	r.seen = make([]int, len(at))
	return nil
}

// mostEnds bounds how many earlier sessions are examined.
const mostEnds = 1000

// olderEnds returns, of a test's conclusive results, the last one of each session and the last
// pass, newest first.
func (r *timelineReader) olderEnds(all []result) []result {
	r.looked++
	var ends []result
	sessions, passed := 0, false // how many sessions were found, and whether the last pass was
	counted := r.counted
	for len(all) > 0 && (sessions < mostEnds || !passed) {
		last := all[len(all)-1]
		var pass *result // the last one in this run
		for ; len(all) > 0 && all[len(all)-1].run == last.run; all = all[:len(all)-1] {
			if x := &all[len(all)-1]; x.outcome == history.Passed && pass == nil {
				pass = x
			}
		}
		for len(counted) > 0 && counted[len(counted)-1].run > last.run {
			counted = counted[:len(counted)-1]
		}
		if len(counted) == 0 || counted[len(counted)-1].run != last.run {
			continue // it does not count
		}
		session := &r.seen[counted[len(counted)-1].session]
		isEnd := *session != r.looked && sessions < mostEnds
		if *session = r.looked; isEnd {
			sessions++
		}
		if pass != nil && !passed {
			passed = true
			if ends = append(ends, *pass); last.outcome == history.Passed {
				continue // it is the pass
			}
		}
		if isEnd {
			ends = append(ends, last)
		}
	}
	return ends
}

// complete reads the runs and the failures of results.
func (r *timelineReader) complete(ctx context.Context, tests []row) error {
	var runs, failures []int64
	for _, t := range tests {
		for _, x := range t.results {
			if _, ok := r.runs[x.run]; !ok {
				r.runs[x.run] = history.Point{}
				runs = append(runs, x.run)
			}
			if _, ok := r.failures[x.signature]; !ok && x.signature != 0 {
				r.failures[x.signature] = failure{}
				failures = append(failures, x.signature)
			}
		}
	}
	if err := r.loadRuns(ctx, runs); err != nil {
		return err
	}
	for _, id := range runs {
		if r.runs[id].Order != id {
			return &damage{why: fmt.Sprintf("a result is of the unknown run %d", id)}
		}
	}
	return r.loadFailures(ctx, failures)
}

// points converts the results of a test, and puts the oldest first.
func (r *timelineReader) points(results []result) []history.Point {
	points := make([]history.Point, len(results))
	for i, x := range results {
		p := &points[len(points)-1-i]
		*p = r.runs[x.run]
		p.Outcome, p.Derived, p.Duration = x.outcome, x.derived, x.duration
		if x.signature != 0 {
			f := r.failures[x.signature]
			p.Signature, p.Kind, p.Excerpt = f.hash, f.kind, f.excerpt
		}
	}
	return points
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
