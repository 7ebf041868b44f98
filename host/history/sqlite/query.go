package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// clauses are the optional conditions of a query.
type clauses struct {
	conditions []string
	args       []any
}

func (c *clauses) add(condition string, args ...any) {
	c.conditions = append(c.conditions, condition)
	c.args = append(c.args, args...)
}

// equal compares a column, unless the value is empty.
func (c *clauses) equal(column, value string) {
	if value != "" {
		c.add(column+" = ?", value)
	}
}

// in compares a column with several values.
func in[T any](c *clauses, column string, values []T) {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	c.add(column+" IN ("+marks(len(values))+")", args...)
}

func (c *clauses) text() string {
	if len(c.conditions) == 0 {
		return "1"
	}
	return strings.Join(c.conditions, " AND ")
}

// marks returns the placeholders of n values in a list.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// tuples returns the placeholders of n tuples of this width.
func tuples(n, width int) string {
	return strings.TrimSuffix(strings.Repeat("("+marks(width)+"),", n), ",")
}

// querier queries the database: a transaction, a connection or all of them.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// list returns the rows of a query as read by scan.
func list[T any](ctx context.Context, q querier, scan func(rows *sql.Rows, v *T) error, query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// collect returns the only column of a query.
func collect[T any](ctx context.Context, q querier, query string, args ...any) ([]T, error) {
	return list(ctx, q, func(rows *sql.Rows, v *T) error { return rows.Scan(v) }, query, args...)
}

// pick returns the only value of a query; if there is none, the error is
// [sql.ErrNoRows].
func pick[T any](ctx context.Context, q querier, query string, args ...any) (v T, err error) {
	err = q.QueryRowContext(ctx, query, args...).Scan(&v)
	return v, err
}

// execute executes a statement and returns how many rows it changed.
func execute(ctx context.Context, q querier, statement string, args ...any) (int64, error) {
	result, err := q.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
