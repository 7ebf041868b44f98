package sqlite

import (
	"context"
	"database/sql"
	"strings"
)

// clauses are the conditions of a query that has some or others.
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

// marks are the places of n values in a list.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?,", n), ",") }

// tuples are the places of n tuples of so many values.
func tuples(n, width int) string {
	return strings.TrimSuffix(strings.Repeat("("+marks(width)+"),", n), ",")
}

// collect returns the one column of a query.
func collect[T any](ctx context.Context, tx *sql.Tx, query string, args ...any) ([]T, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}
