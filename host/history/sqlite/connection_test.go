package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// keptBy returns the texts that a connection keeps, the latest last.
func keptBy(t *testing.T, pool *sql.DB) []string {
	t.Helper()
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var texts []string
	err = conn.Raw(func(c any) error {
		for _, s := range c.(*connection).kept {
			texts = append(texts, s.text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// newPool returns a pool with one connection to a new database with a table of numbers.
func newPool(t *testing.T) (pool *sql.DB, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "db")
	pool, err := openPool(dsn(path, "rwc", "immediate", lockedWait, "journal_mode(WAL)"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	pool.SetMaxOpenConns(1)
	if _, err := pool.Exec("CREATE TABLE t (n INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	return pool, path
}

func TestAConnectionKeepsItsStatements(t *testing.T) {
	pool, _ := newPool(t)
	const query = "SELECT count(*) FROM t WHERE n > ?"
	for i := range 3 {
		if _, err := execute(t.Context(), pool, "INSERT INTO t VALUES (?)", i); err != nil {
			t.Fatal(err)
		}
		// What was bound before must not count.
		for least := range 3 {
			if n, err := pick[int](t.Context(), pool, query, least-1); err != nil || n != max(0, i+1-least) {
				t.Errorf("with %d rows, %d are at least %d, %v", i+1, n, least, err)
			}
		}
	}
	kept := keptBy(t, pool)
	if want := []string{"CREATE TABLE t (n INTEGER PRIMARY KEY)", "INSERT INTO t VALUES (?)", query}; fmt.Sprint(kept) != fmt.Sprint(want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
	for i := range 2 * maxKept {
		if _, err := pick[int](t.Context(), pool, fmt.Sprintf("SELECT %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if kept := keptBy(t, pool); len(kept) != maxKept || kept[len(kept)-1] != fmt.Sprintf("SELECT %d", 2*maxKept-1) {
		t.Errorf("kept %d statements, want %d; the last is %q", len(kept), maxKept, kept[len(kept)-1])
	}
}

func TestAStatementInUseIsNotSharedAndAFailedOneNotKept(t *testing.T) {
	pool, _ := newPool(t)
	tx, err := pool.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	const insert, all = "INSERT INTO t VALUES (?)", "SELECT n FROM t ORDER BY n"
	for i := range 3 {
		if _, err := tx.Exec(insert, i); err != nil {
			t.Fatal(err)
		}
	}
	var pairs []string
	err = queryEach(t.Context(), tx, all, func(a int) error {
		return queryEach(t.Context(), tx, all, func(b int) error { pairs = append(pairs, fmt.Sprint(a, b)); return nil })
	})
	if err != nil || len(pairs) != 9 {
		t.Errorf("nine pairs, but got %q, %v", pairs, err)
	}
	if _, err := tx.Exec(insert, 1); primary(err) == 0 {
		t.Errorf("the same key twice: %v", err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if kept := keptBy(t, pool); slices.Contains(kept, insert) || !slices.Contains(kept, all) {
		t.Errorf("kept %q", kept)
	}
	if _, err := pool.Exec(insert, 7); err != nil {
		t.Errorf("after an error: %v", err)
	}
	if n, err := pick[int](t.Context(), pool, "SELECT sum(n) FROM t"); err != nil || n != 10 {
		t.Errorf("the sum is %d, want 10, %v", n, err)
	}
}

func queryEach(ctx context.Context, tx *sql.Tx, query string, do func(n int) error) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := errors.Join(rows.Scan(&n), do(n)); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Another process may change everything between two uses of a statement.
func TestAKeptStatementSeesWhatOthersDid(t *testing.T) {
	pool, path := newPool(t)
	const query = "SELECT count(*) FROM t"
	if n, err := pick[int](t.Context(), pool, query); err != nil || n != 0 {
		t.Fatal(n, err)
	}
	other, err := openPool(dsn(path, "rw", "immediate", lockedWait))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i, change := range []string{"INSERT INTO t VALUES (1)", "DROP TABLE t", "CREATE TABLE t (x, y, n); INSERT INTO t VALUES (1, 2, 3), (4, 5, 6)"} {
		if _, err := other.Exec(change); err != nil {
			t.Fatal(err)
		}
		n, err := pick[int](t.Context(), pool, query)
		if i == 1 {
			if err == nil {
				t.Errorf("a table that is gone has %d rows", n)
			}
		} else if err != nil || n != max(1, i) {
			t.Errorf("after %s there are %d rows, %v", change, n, err)
		}
	}
	// A statement that holds the database would keep the log.
	other.Close()
	pool.Close()
	if fileExists(path + companions[0]) {
		t.Error("the closed database still has a log: a statement was left open")
	}
}
