package sqlite

import (
	"context"
	"database/sql"
)

// freeShare is the share of free pages, an eighth, below which a database is not
// worth to be made smaller: the next runs fill them.
const freeShare = 8

// vacuumPages is how many free pages are given back at once, vacuumWait how long
// emptying the log waits for readers, in milliseconds.
const (
	vacuumPages = "1000"
	vacuumWait  = "200"
)

// shrink gives the space of what was removed back to the disk, as far as nobody
// reads what lies there.
func (s *Store) shrink(ctx context.Context) error {
	var pages, free int64
	err := s.reader.QueryRowContext(ctx, `SELECT (SELECT page_count FROM pragma_page_count),
	(SELECT freelist_count FROM pragma_freelist_count)`).Scan(&pages, &free)
	if err != nil || free < pages/freeShare {
		return s.explain(err)
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer conn.Close()
	for last := int64(-1); ; {
		if err := conn.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil {
			return s.explain(err)
		}
		if free == 0 || free == last {
			break
		}
		last = free
		if err := each(ctx, conn, "PRAGMA incremental_vacuum("+vacuumPages+")"); err != nil {
			return s.explain(err)
		}
	}
	defer each(context.WithoutCancel(ctx), conn, "PRAGMA busy_timeout = 2000")
	if err := each(ctx, conn, "PRAGMA busy_timeout = "+vacuumWait); err != nil {
		return s.explain(err)
	}
	return s.explain(each(ctx, conn, "PRAGMA wal_checkpoint(TRUNCATE)"))
}

// each runs a pragma to its end: it does its work row by row.
func each(ctx context.Context, conn *sql.Conn, pragma string) error {
	rows, err := conn.QueryContext(ctx, pragma)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
