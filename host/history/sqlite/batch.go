package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// maxKnown bounds what is cached of the dictionaries while a run is recorded.
const maxKnown = 10_000

// derivedFlag marks a derived failure.
const derivedFlag = 1

// batch writes the results of one run.
type batch struct {
	store *Database
	id    int64
	run   history.Run
	// tests and failures cache the dictionaries, names that of measures.
	tests    map[sdk.TestID]*entry
	failures map[failure]int64
	names    map[string]int64
	// forgot reports whether a test that is not cached may have results in this run.
	forgot bool
}

// entry is a row of the dictionary of tests.
type entry struct {
	id   int64
	root string
	file string
	line int
	body string
	// next is the number of the test's next result in this run.
	next int64
}

// failure is a row of the dictionary of failures.
type failure struct{ hash, kind, excerpt string }

func newBatch(s *Database, id int64, run history.Run) *batch {
	b := &batch{store: s, id: id, run: run}
	b.clearCache()
	return b
}

// clearCache drops the cache because it is too large or may be outdated.
func (b *batch) clearCache() {
	b.tests, b.failures, b.names = map[sdk.TestID]*entry{}, map[failure]int64{}, map[string]int64{}
}

// write writes results and calls also, if not nil, in the same transaction. After an error
// the batch must not be used: its cache may be wrong.
func (b *batch) write(ctx context.Context, results []history.Result, also func(ctx context.Context, tx *sql.Tx) error) error {
	if len(b.tests) > maxKnown || len(b.failures) > maxKnown || len(b.names) > maxKnown {
		b.clearCache()
		b.forgot = true
	}
	// Whoever cancels waits for the lock no longer, but for a statement, which takes less than
	// a millisecond: to interrupt one, the driver starts a goroutine each.
	short := context.WithoutCancel(ctx)
	return b.store.write(ctx, func(tx *sql.Tx) error {
		// Another process may have ended the run, assuming that this one is dead.
		err := b.store.recount(short, tx, b.id, func() error { return b.insert(short, tx, results) })
		if err != nil || also == nil {
			return err
		}
		return also(short, tx)
	})
}

// prepare prepares the statements of many rows that most runs need; most add no tests and
// measure nothing. The connection keeps them. It must be called outside a transaction, which
// would hold the only connection.
func (b *batch) prepare(ctx context.Context) error {
	for _, m := range []bulkStatement{findTests, addResults} {
		prepared, err := b.store.writer.PrepareContext(ctx, m.text(rowsAtOnce))
		if err != nil {
			return b.store.explain(err)
		}
		prepared.Close()
	}
	return nil
}

func (b *batch) insert(ctx context.Context, tx *sql.Tx, results []history.Result) error {
	if len(results) == 0 {
		return nil
	}
	n, err := execute(ctx, tx, "UPDATE runs SET results = results + ? WHERE id = ? AND workspace = ?", len(results), b.id, b.store.workspace)
	if err != nil {
		return err
	}
	if n == 0 {
		return &history.NoRunError{Ref: b.run.ID} // it was removed
	}
	if err := b.loadTests(ctx, tx, results); err != nil {
		return err
	}
	rows := make([]any, 0, len(results)*7)
	var measures []any
	for _, r := range results {
		e := b.tests[r.TestID]
		if err := b.updateTest(ctx, tx, e, r); err != nil {
			return err
		}
		signature, err := b.findFailure(ctx, tx, r)
		if err != nil {
			return err
		}
		flags := 0
		if r.Derived {
			flags = derivedFlag
		}
		rows = append(rows, b.id, e.id, e.next, int64(r.Outcome), flags, int64(r.Duration), signature)
		e.next++
		for _, m := range r.Measures {
			name, err := b.findMeasure(ctx, tx, m.Name)
			if err != nil {
				return err
			}
			measures = append(measures, b.id, name, e.id, m.Value)
		}
	}
	if err := addResults.exec(ctx, tx, rows); err != nil {
		return err
	}
	return addMeasures.exec(ctx, tx, measures)
}

// updateTest updates a test's entry in the dictionary.
func (b *batch) updateTest(ctx context.Context, tx *sql.Tx, e *entry, r history.Result) error {
	if b.run.Foreign() {
		return nil // its files are of another machine
	}
	file, line, body := e.file, e.line, e.body
	if r.File != "" {
		file, line, body = r.File, r.Line, r.Body
	}
	if e.root == r.Root && e.file == file && e.line == line && e.body == body {
		return nil
	}
	e.root, e.file, e.line, e.body = r.Root, file, line, body
	_, err := tx.ExecContext(ctx, "UPDATE tests SET root = ?, file = ?, line = ?, body = ? WHERE id = ?", e.root, e.file, e.line, e.body, e.id)
	return err
}

// maxExcerpt bounds the stored text of a failure.
const maxExcerpt = 1000

// findFailure returns the row of a result's failure, adding it if new, or nil if there is
// none.
func (b *batch) findFailure(ctx context.Context, tx *sql.Tx, r history.Result) (any, error) {
	f := failure{hash: r.Signature, kind: r.Kind, excerpt: prose.Head(r.Excerpt, maxExcerpt)}
	if f == (failure{}) {
		return nil, nil
	}
	if id, ok := b.failures[f]; ok {
		return id, nil
	}
	id, err := findOrAdd(ctx, tx, "SELECT id FROM signatures WHERE workspace = ? AND hash = ? AND kind = ? AND excerpt = ?",
		"INSERT INTO signatures (workspace, hash, kind, excerpt) VALUES (?, ?, ?, ?) RETURNING id", b.store.workspace, f.hash, f.kind, f.excerpt)
	if err == nil {
		b.failures[f] = id
	}
	return id, err
}

// findMeasure returns the row of a measure's name, adding it if new.
func (b *batch) findMeasure(ctx context.Context, tx *sql.Tx, name string) (int64, error) {
	if id, ok := b.names[name]; ok {
		return id, nil
	}
	id, err := findOrAdd(ctx, tx, "SELECT id FROM measure_names WHERE name = ?", "INSERT INTO measure_names (name) VALUES (?) RETURNING id", name)
	if err == nil {
		b.names[name] = id
	}
	return id, err
}

func findOrAdd(ctx context.Context, tx *sql.Tx, find, add string, args ...any) (int64, error) {
	id, err := pick[int64](ctx, tx, find, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return pick[int64](ctx, tx, add, args...)
	}
	return id, err
}

// reset discards what was written.
func (b *batch) reset(ctx context.Context) error {
	b.clearCache()
	err := b.store.write(ctx, func(tx *sql.Tx) error {
		return b.store.recount(ctx, tx, b.id, func() error {
			_, err := tx.ExecContext(ctx, "UPDATE runs SET state = 'running' WHERE id = ? AND state = 'finished'", b.id)
			return err
		})
	})
	if err != nil {
		return err
	}
	if err := b.store.clear(ctx, b.id); err != nil {
		return err
	}
	b.forgot = false // it has no results any more
	return b.store.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET results = 0 WHERE id = ?", b.id)
		return err
	})
}

// loadTests finds the tests of results in the dictionary, and adds new ones.
func (b *batch) loadTests(ctx context.Context, tx *sql.Tx, results []history.Result) error {
	var unknown []sdk.TestID
	for _, r := range results {
		if _, ok := b.tests[r.TestID]; !ok {
			b.tests[r.TestID] = nil // look it up once
			unknown = append(unknown, r.TestID)
		}
	}
	if err := b.findTests(ctx, tx, unknown); err != nil {
		return err
	}
	return b.addTests(ctx, tx, results)
}

// findTests looks up tests, and how many results they have in this run.
func (b *batch) findTests(ctx context.Context, tx *sql.Tx, tests []sdk.TestID) error {
	values := make([]any, 0, 2*len(tests))
	for _, t := range tests {
		values = append(values, t.Suite, t.Test)
	}
	find := findTests
	if b.forgot {
		find = findTestsAgain
	}
	return find.query(ctx, tx, []any{b.id, b.store.workspace, b.run.Language}, values, func(rows *sql.Rows) error {
		var t sdk.TestID
		var e entry
		if err := rows.Scan(&e.id, &t.Suite, &t.Test, &e.root, &e.file, &e.line, &e.body, &e.next); err != nil {
			return err
		}
		b.tests[t] = &e
		return nil
	})
}

// addTests adds the tests that the dictionary lacks.
func (b *batch) addTests(ctx context.Context, tx *sql.Tx, results []history.Result) error {
	var values []any
	for _, r := range results {
		if b.tests[r.TestID] != nil {
			continue
		}
		b.tests[r.TestID] = &entry{root: r.Root, file: r.File, line: r.Line, body: r.Body}
		values = append(values, b.store.workspace, b.run.Language, r.Suite, r.Test, r.Root, r.File, r.Line, r.Body,
			b.run.ID, b.run.SessionID, stamp(b.run.StartedAt))
	}
	return addTests.query(ctx, tx, nil, values, func(rows *sql.Rows) error {
		var id int64
		var t sdk.TestID
		if err := rows.Scan(&id, &t.Suite, &t.Test); err != nil {
			return err
		}
		b.tests[t].id = id
		return nil
	})
}

// testColumns are what [testScan] reads, of tests as t.
const testColumns = "t.language, t.suite, t.name, t.root, t.file, t.line, t.body, t.first_run, t.first_session, t.first_at"

// testScan scans a row into a test of the dictionary.
type testScan struct {
	test  *history.Test
	first int64
}

func (s *testScan) into(t *history.Test) []any {
	s.test = t
	return []any{&t.Language, &t.Suite, &t.TestKey.Test, &t.Root, &t.File, &t.Line, &t.Body, &t.FirstRun, &t.FirstSession, &s.first}
}

func (s *testScan) done() { s.test.FirstAt = unstamp(s.first) }

// rowsAtOnce is how many rows one statement takes; more would be no faster.
const rowsAtOnce = 100

// bulkStatement is a statement that takes several rows at once, width values each.
type bulkStatement struct {
	width int
	text  func(rows int) string
}

var (
	// Looking for results in this run takes as long as finding the test: see [batch.forgot].
	findTests      = findTestsWith("0")
	findTestsAgain = findTestsWith("coalesce((SELECT max(x.seq) + 1 FROM results x WHERE x.run = own.run AND x.test = t.id), 0)")
	addTests       = bulkStatement{11, func(rows int) string {
		return `INSERT INTO tests (workspace, language, suite, name, root, file, line, body, first_run, first_session, first_at)
VALUES ` + tuples(rows, 11) + ` RETURNING id, suite, name`
	}}
	addResults = bulkStatement{7, func(rows int) string {
		return `INSERT INTO results (run, test, seq, outcome, flags, duration, signature) VALUES ` + tuples(rows, 7)
	}}
	addMeasures = bulkStatement{4, func(rows int) string {
		return `INSERT OR REPLACE INTO measures (run, name, test, value) VALUES ` + tuples(rows, 4)
	}}
)

func findTestsWith(next string) bulkStatement {
	return bulkStatement{2, func(rows int) string {
		return `WITH own (run, workspace, language) AS (VALUES (?, ?, ?)), wanted (suite, name) AS (VALUES ` + tuples(rows, 2) + `)
SELECT t.id, t.suite, t.name, t.root, t.file, t.line, t.body, ` + next + `
FROM own CROSS JOIN wanted w
CROSS JOIN tests t ON t.workspace = own.workspace AND t.language = own.language AND t.suite = w.suite AND t.name = w.name`
	}}
}

// query runs the statement on values, and calls do with each row of the answers. lead are
// arguments that precede the rows of each execution.
func (m bulkStatement) query(ctx context.Context, tx *sql.Tx, lead, values []any, do func(rows *sql.Rows) error) error {
	for len(values) > 0 {
		n := min(rowsAtOnce, len(values)/m.width)
		args := append(lead[:len(lead):len(lead)], values[:n*m.width]...)
		values = values[n*m.width:]
		if err := m.queryRows(ctx, tx, n, args, do); err != nil {
			return err
		}
	}
	return nil
}

func (m bulkStatement) queryRows(ctx context.Context, tx *sql.Tx, n int, args []any, do func(rows *sql.Rows) error) error {
	rows, err := tx.QueryContext(ctx, m.text(n), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// exec is query for statements that return no rows.
func (m bulkStatement) exec(ctx context.Context, tx *sql.Tx, values []any) error {
	return m.query(ctx, tx, nil, values, func(*sql.Rows) error { return nil })
}
