package sqlite

import (
	"context"
	"database/sql"
)

// rowsAtOnce is how many rows one statement takes: more make it no faster.
const rowsAtOnce = 100

// A many is a statement that takes several rows at once. To prepare it for that
// many costs more than to run it, so it is prepared once for [rowsAtOnce].
type many struct {
	text  func(rows int) string
	width int
	full  *sql.Stmt
}

// statements are those that a batch consists of.
type statements struct{ find, add, results, measures many }

func newStatements() statements {
	return statements{
		find: many{width: 2, text: func(rows int) string {
			return `WITH own (run, workspace, language) AS (VALUES (?, ?, ?)), wanted (suite, name) AS (VALUES ` + tuples(rows, 2) + `)
SELECT t.id, t.suite, t.name, t.root, t.file, t.line, t.body,
	coalesce((SELECT max(x.seq) + 1 FROM results x WHERE x.run = own.run AND x.test = t.id), 0)
FROM own CROSS JOIN wanted w
CROSS JOIN tests t ON t.workspace = own.workspace AND t.language = own.language AND t.suite = w.suite AND t.name = w.name`
		}},
		add: many{width: 11, text: func(rows int) string {
			return `INSERT INTO tests (workspace, language, suite, name, root, file, line, body, first_run, first_session, first_at)
VALUES ` + tuples(rows, 11) + ` RETURNING id, suite, name`
		}},
		results: many{width: 7, text: func(rows int) string {
			return `INSERT INTO results (run, test, seq, outcome, flags, duration, signature) VALUES ` + tuples(rows, 7)
		}},
		measures: many{width: 4, text: func(rows int) string {
			return `INSERT OR REPLACE INTO measures (run, name, test, value) VALUES ` + tuples(rows, 4)
		}},
	}
}

func (s *statements) all() []*many { return []*many{&s.find, &s.add, &s.results, &s.measures} }

// prepare prepares what is not, outside of a transaction, which would have the
// only connection.
func (s *statements) prepare(ctx context.Context, writer *sql.DB) error {
	for _, m := range s.all() {
		if m.full != nil {
			continue
		}
		var err error
		if m.full, err = writer.PrepareContext(ctx, m.text(rowsAtOnce)); err != nil {
			return err
		}
	}
	return nil
}

// close gives back what was prepared.
func (s *statements) close() {
	for _, m := range s.all() {
		if m.full != nil {
			m.full.Close()
		}
	}
}

// query asks for the rows of values, each of the width, and calls do with each
// row of the answers. lead are values that stand once before the others.
func (m *many) query(ctx context.Context, tx *sql.Tx, lead, values []any, do func(rows *sql.Rows) error) error {
	for len(values) > 0 {
		n := min(rowsAtOnce, len(values)/m.width)
		args := append(lead[:len(lead):len(lead)], values[:n*m.width]...)
		values = values[n*m.width:]
		if err := m.some(ctx, tx, n, args, do); err != nil {
			return err
		}
	}
	return nil
}

func (m *many) some(ctx context.Context, tx *sql.Tx, n int, args []any, do func(rows *sql.Rows) error) error {
	var rows *sql.Rows
	var err error
	if n == rowsAtOnce && m.full != nil {
		rows, err = tx.StmtContext(ctx, m.full).QueryContext(ctx, args...)
	} else {
		rows, err = tx.QueryContext(ctx, m.text(n), args...)
	}
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

// exec does the same where there is no answer.
func (m *many) exec(ctx context.Context, tx *sql.Tx, values []any) error {
	return m.query(ctx, tx, nil, values, func(*sql.Rows) error { return nil })
}
