package sqlite

import (
	"context"
	"database/sql"
)

// freeShare is the share of free pages, an eighth, below which a database is not
// worth to be made smaller: the next runs fill them.
const freeShare = 8

// vacuumPages is how many free pages are given back at once: some 20 ms of the lock.
// vacuumWait is how long emptying the log waits for readers, in milliseconds.
const (
	vacuumPages = "1000"
	vacuumWait  = "200"
)

// shrink gives the space of what was removed back to the disk, as far as nobody
// reads what lies there.
func (r *removal) shrink(ctx context.Context) error {
	var pages, free int64
	err := r.store.reader.QueryRowContext(ctx, `SELECT (SELECT page_count FROM pragma_page_count),
	(SELECT freelist_count FROM pragma_freelist_count)`).Scan(&pages, &free)
	if err != nil || free < pages/freeShare {
		return r.store.explain(err)
	}
	first := free
	for last := int64(-1); free > 0 && free != last; {
		last = free
		err := r.step(ctx, func(tx *sql.Tx) error {
			if err := each(ctx, tx, "PRAGMA incremental_vacuum("+vacuumPages+")"); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free)
		})
		if err == nil {
			err = r.tellOf(rowsShare + (1-rowsShare)*float64(first-free)/float64(first))
		}
		if err != nil {
			return err
		}
	}
	return r.store.emptyLog(ctx)
}

// emptyLog writes the log into the database, which is what makes the file smaller:
// most of it beside other writers, and only the rest with their lock.
func (s *Store) emptyLog(ctx context.Context) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer conn.Close()
	defer each(context.WithoutCancel(ctx), conn, "PRAGMA busy_timeout = "+writerWait)
	for _, pragma := range []string{"busy_timeout = " + vacuumWait, "wal_checkpoint(PASSIVE)", "wal_checkpoint(TRUNCATE)"} {
		if err := each(ctx, conn, "PRAGMA "+pragma); err != nil {
			return s.explain(err)
		}
	}
	return nil
}

// each runs a pragma to its end: it does its work row by row.
func each(ctx context.Context, q querier, pragma string) error {
	rows, err := q.QueryContext(ctx, pragma)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
