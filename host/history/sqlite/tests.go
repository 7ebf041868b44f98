package sqlite

import (
	"context"
	"database/sql"
	"strings"

	"github.com/proctorhq/proctor/host/history"
)

// Tests finds tests of the dictionary, ordered by suite and name.
func (s resultStore) Tests(ctx context.Context, f history.TestFilter) ([]history.Test, error) {
	var c clauses
	c.add("t.workspace = ?", s.workspace)
	c.equal("t.language", f.Language)
	if f.Name != "" {
		addName(&c, f.Name)
	}
	if f.File != "" {
		tail := "/" + f.File
		c.add("(t.file = ? OR substr(t.file, -length(?)) = ?)", f.File, tail, tail)
	}
	from := "tests t"
	if f.Of != "" {
		from += " INDEXED BY tests_by_file" // and not by the one in whose order they are asked for
		c.add("t.file = ? AND t.file <> ''", f.Of)
	}
	if f.OwnTo != "" {
		c.add("(t.first_session <> ? OR EXISTS (SELECT 1 FROM results x INDEXED BY results_by_test WHERE x.test = t.id AND x.run <= ?))", f.OwnTo, f.Until)
	}
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	var tests []history.Test
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		tests, err = queryTests(ctx, tx, "SELECT "+testColumns+" FROM "+from+" WHERE "+c.text()+
			" ORDER BY t.suite, t.name, t.language LIMIT ?", append(c.args, limit)...)
		return err
	})
	return tests, err
}

// addName compares a name with a test's name, its suite, both joined, and the ends of
// these. One with neither a slash nor a space cannot be the end of both joined.
func addName(c *clauses, name string) {
	tail := "/" + name
	if !strings.ContainsAny(name, "/ ") {
		c.add(`(t.name = ? OR t.suite = ? OR substr(t.name, -length(?)) = ? OR substr(t.suite, -length(?)) = ?)`,
			name, name, tail, tail, tail, tail)
		return
	}
	c.add(`(t.suite = ? OR substr(t.suite, -length(?)) = ? OR t.name <> '' AND
	(t.name = ? OR t.suite || ' ' || t.name = ? OR t.suite || '/' || t.name = ?
	OR substr(t.suite || '/' || t.name, -length(?)) = ? OR substr(t.suite || ' ' || t.name, -length(?)) = ?))`,
		name, tail, tail, name, name, name, tail, tail, tail, tail)
}

// Suites returns the suites with a test declared in a file; if there are none, those with
// tests declared in its directory.
func (s resultStore) Suites(ctx context.Context, language, file string) ([]string, error) {
	var suites []string
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		var c clauses
		c.add("workspace = ? AND file = ? AND file <> ''", s.workspace, file)
		c.equal("language", language)
		suites, err = collect[string](ctx, tx, "SELECT DISTINCT suite FROM tests WHERE "+c.text()+" ORDER BY suite", c.args...)
		if err != nil || len(suites) > 0 {
			return err
		}
		dir := file[:strings.LastIndexByte(file, '/')+1]
		c = clauses{}
		c.add("workspace = ? AND file <> '' AND file >= ? AND substr(file, 1, length(?)) = ? AND instr(substr(file, length(?) + 1), '/') = 0",
			s.workspace, dir, dir, dir, dir)
		if dir != "" {
			c.add("file < ?", dir[:len(dir)-1]+"0") // what follows the slash
		}
		c.equal("language", language)
		suites, err = collect[string](ctx, tx, "SELECT DISTINCT suite FROM tests WHERE "+c.text()+" ORDER BY suite", c.args...)
		return err
	})
	return suites, err
}

func queryTests(ctx context.Context, tx *sql.Tx, query string, args ...any) ([]history.Test, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var tests []history.Test
	for rows.Next() {
		var t history.Test
		var scan testScan
		if err := rows.Scan(scan.into(&t)...); err != nil {
			return nil, err
		}
		scan.done()
		tests = append(tests, t)
	}
	return tests, rows.Err()
}
