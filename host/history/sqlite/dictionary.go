package sqlite

import (
	"context"
	"database/sql"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
)

// learn finds the tests of results in the dictionary, and adds those that are new.
func (b *batch) learn(ctx context.Context, tx *sql.Tx, results []history.Result) error {
	var unknown []api.Test
	for _, r := range results {
		if _, ok := b.tests[r.Test]; !ok {
			b.tests[r.Test] = nil // asked for once
			unknown = append(unknown, r.Test)
		}
	}
	if err := b.find(ctx, tx, unknown); err != nil {
		return err
	}
	return b.addNew(ctx, tx, results)
}

// find looks tests up, and how many results they have in this run.
func (b *batch) find(ctx context.Context, tx *sql.Tx, tests []api.Test) error {
	values := make([]any, 0, 2*len(tests))
	for _, t := range tests {
		values = append(values, t.Suite, t.Test)
	}
	return b.statements.find.query(ctx, tx, []any{b.id, b.store.workspace, b.run.Language}, values, func(rows *sql.Rows) error {
		var t api.Test
		var e entry
		if err := rows.Scan(&e.id, &t.Suite, &t.Test, &e.root, &e.file, &e.line, &e.body, &e.next); err != nil {
			return err
		}
		b.tests[t] = &e
		return nil
	})
}

// addNew adds the tests of results that the dictionary does not have.
func (b *batch) addNew(ctx context.Context, tx *sql.Tx, results []history.Result) error {
	var values []any
	for _, r := range results {
		if b.tests[r.Test] != nil {
			continue
		}
		b.tests[r.Test] = &entry{root: r.Root, file: r.File, line: r.Line, body: r.Body}
		values = append(values, b.store.workspace, b.run.Language, r.Suite, r.Test.Test, r.Root, r.File, r.Line, r.Body,
			b.run.ID, b.run.SessionID, stamp(b.run.StartedAt))
	}
	return b.statements.add.query(ctx, tx, nil, values, func(rows *sql.Rows) error {
		var id int64
		var t api.Test
		if err := rows.Scan(&id, &t.Suite, &t.Test); err != nil {
			return err
		}
		b.tests[t].id = id
		return nil
	})
}

// shorten cuts a text between two characters.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// testColumns are what [scanTest] reads, of tests as t.
const testColumns = "t.language, t.suite, t.name, t.root, t.file, t.line, t.body, t.first_run, t.first_session, t.first_at"

// testScan reads a test of the dictionary out of a row.
type testScan struct {
	test  *history.Test
	first int64
}

func (s *testScan) into(t *history.Test) []any {
	s.test = t
	return []any{&t.Language, &t.Suite, &t.TestKey.Test.Test, &t.Root, &t.File, &t.Line, &t.Body, &t.FirstRun, &t.FirstSession, &s.first}
}

func (s *testScan) done() { s.test.FirstAt = unstamp(s.first) }
