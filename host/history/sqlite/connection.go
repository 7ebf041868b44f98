package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	driver3 "modernc.org/sqlite"
)

// openPool returns a pool of connections that keep their statements. Preparing one costs
// as much as executing it, and a run executes the same few again and again.
func openPool(dsn string) (*sql.DB, error) {
	c, err := driver3.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{c}), nil
}

// connector makes the connections of a pool.
type connector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{driverConn: conn.(driverConn)}, nil
}

// driverConn is what the driver's connections can do and package sql makes use of.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// driverStmt is the same of its statements.
type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

const (
	// maxKept bounds the statements that a connection keeps: a run executes some thirty
	// on each.
	maxKept = 48
	// maxKeptText bounds their text. Longer ones are of many rows, and seldom the same.
	maxKeptText = 4 << 10
)

// connection is a connection that keeps the statements that it prepared last. Package sql
// uses it from one goroutine at a time. SQLite itself prepares a statement again where the
// schema has changed, and one that is not being executed holds no lock.
type connection struct {
	driverConn
	// kept are those that are not in use, the latest last.
	kept []*statement
}

// statement is a prepared statement, in use.
type statement struct {
	driverStmt
	text string
	of   *connection
	// failed reports whether it must not be kept.
	failed bool
}

// prepare returns a statement that was kept, or a new one.
func (c *connection) prepare(ctx context.Context, text string) (*statement, error) {
	for i, s := range slices.Backward(c.kept) {
		if s.text == text {
			c.kept = slices.Delete(c.kept, i, i+1)
			return s, nil
		}
	}
	s, err := c.driverConn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return &statement{driverStmt: s.(driverStmt), text: text, of: c}, nil
}

// Close keeps the statement, or frees it.
func (s *statement) Close() error {
	c := s.of
	if s.failed || len(s.text) > maxKeptText {
		return s.driverStmt.Close()
	}
	c.kept = append(c.kept, s)
	if len(c.kept) <= maxKept {
		return nil
	}
	oldest := c.kept[0]
	c.kept = slices.Delete(c.kept, 0, 1)
	return oldest.driverStmt.Close()
}

// ExecContext implements [driver.StmtExecContext].
func (s *statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	result, err := s.driverStmt.ExecContext(ctx, args)
	s.failed = s.failed || err != nil
	return result, err
}

// QueryContext implements [driver.StmtQueryContext].
func (s *statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.driverStmt.QueryContext(ctx, args)
	s.failed = s.failed || err != nil
	return rows, err
}

// PrepareContext implements [driver.ConnPrepareContext].
func (c *connection) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	s, err := c.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ExecContext implements [driver.ExecerContext].
func (c *connection) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, args)
	if closing := s.Close(); err == nil {
		err = closing
	}
	return result, err
}

// QueryContext implements [driver.QueryerContext].
func (c *connection) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, err
	}
	return &ownRows{rows, s}, nil
}

// ownRows are the rows of a statement that nobody else holds.
type ownRows struct {
	driver.Rows
	of *statement
}

// Close implements [driver.Rows].
func (r *ownRows) Close() error {
	err := r.Rows.Close()
	r.of.failed = r.of.failed || err != nil
	if closing := r.of.Close(); err == nil {
		err = closing
	}
	return err
}

// Close implements [driver.Conn]. The driver would leave a connection with statements open.
func (c *connection) Close() error {
	var errs []error
	for _, s := range c.kept {
		errs = append(errs, s.driverStmt.Close())
	}
	c.kept = nil
	return errors.Join(append(errs, c.driverConn.Close())...)
}
