package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// maxKnown bounds what is remembered of the dictionaries while a run is recorded.
const maxKnown = 10_000

// derivedFlag marks a derived failure.
const derivedFlag = 1

// batch writes the results of one run.
type batch struct {
	store *Store
	id    int64
	run   history.Run
	// tests and failures are what is known of the dictionaries, names of those of
	// measures.
	tests    map[api.Test]*entry
	failures map[failure]int64
	names    map[string]int64

	statements statements
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

func newBatch(s *Store, id int64, run history.Run) *batch {
	b := &batch{store: s, id: id, run: run, statements: newStatements()}
	b.forget()
	return b
}

// forget drops what is known: it is too much, or may not be true any more.
func (b *batch) forget() {
	b.tests, b.failures, b.names = map[api.Test]*entry{}, map[failure]int64{}, map[string]int64{}
}

// write writes results and does what belongs to them, if anything, as one. After
// an error the batch is of no more use: what it knows may not be true.
func (b *batch) write(ctx context.Context, results []history.Result, and func(tx *sql.Tx) error) error {
	if len(b.tests) > maxKnown || len(b.failures) > maxKnown || len(b.names) > maxKnown {
		b.forget()
	}
	if len(results) >= rowsAtOnce {
		if err := b.statements.prepare(ctx, b.store.writer); err != nil {
			return b.store.explain(err)
		}
	}
	return b.store.write(ctx, func(tx *sql.Tx) error {
		// Another process may have ended the run, because it took this one for dead.
		err := b.store.recount(ctx, tx, b.id, func() error { return b.insert(ctx, tx, results) })
		if err != nil || and == nil {
			return err
		}
		return and(tx)
	})
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
	if err := b.learn(ctx, tx, results); err != nil {
		return err
	}
	rows := make([]any, 0, len(results)*7)
	var measures []any
	for _, r := range results {
		e := b.tests[r.Test]
		if err := b.update(ctx, tx, e, r); err != nil {
			return err
		}
		signature, err := b.signature(ctx, tx, r)
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
			name, err := b.measure(ctx, tx, m.Name)
			if err != nil {
				return err
			}
			measures = append(measures, b.id, name, e.id, m.Value)
		}
	}
	if err := b.statements.results.exec(ctx, tx, rows); err != nil {
		return err
	}
	return b.statements.measures.exec(ctx, tx, measures)
}

// update tells the dictionary what it did not know of a test.
func (b *batch) update(ctx context.Context, tx *sql.Tx, e *entry, r history.Result) error {
	if b.run.Foreign() {
		return nil // the files here are not those of the place where it was made
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

// maxExcerpt bounds the text of a failure that is kept.
const maxExcerpt = 1000

// signature returns the row of a failure in its dictionary; nil is none.
func (b *batch) signature(ctx context.Context, tx *sql.Tx, r history.Result) (any, error) {
	f := failure{hash: r.Signature, kind: r.Kind, excerpt: shorten(r.Excerpt, maxExcerpt)}
	if f == (failure{}) {
		return nil, nil
	}
	if id, ok := b.failures[f]; ok {
		return id, nil
	}
	id, err := findOrAdd(ctx, tx,
		"SELECT id FROM signatures WHERE workspace = ? AND hash = ? AND kind = ? AND excerpt = ?",
		"INSERT INTO signatures (workspace, hash, kind, excerpt) VALUES (?, ?, ?, ?) RETURNING id",
		b.store.workspace, f.hash, f.kind, f.excerpt)
	if err == nil {
		b.failures[f] = id
	}
	return id, err
}

// measure returns the row of the name of a measure.
func (b *batch) measure(ctx context.Context, tx *sql.Tx, name string) (int64, error) {
	if id, ok := b.names[name]; ok {
		return id, nil
	}
	id, err := findOrAdd(ctx, tx, "SELECT id FROM measure_names WHERE name = ?",
		"INSERT INTO measure_names (name) VALUES (?) RETURNING id", name)
	if err == nil {
		b.names[name] = id
	}
	return id, err
}

func findOrAdd(ctx context.Context, tx *sql.Tx, find, add string, args ...any) (id int64, err error) {
	err = tx.QueryRowContext(ctx, find, args...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.QueryRowContext(ctx, add, args...).Scan(&id)
	}
	return id, err
}

// reset takes back what was written.
func (b *batch) reset(ctx context.Context) error {
	b.forget()
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
	return b.store.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET results = 0 WHERE id = ?", b.id)
		return err
	})
}
