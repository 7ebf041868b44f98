package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"github.com/proctorhq/proctor/host/history"
)

// stateRest is how long a source state without a run stays: it is recorded before the
// run refers to it.
const stateRest = time.Hour

// A step of a removal blocks other writers for about stepTime. After heldMost of that,
// the lock is free for a while, longer than a waiting writer sleeps between two
// attempts.
const (
	stepTime = 60 * time.Millisecond
	heldMost = 20 * time.Millisecond
	letIn    = 30 * time.Millisecond
)

// How many rows a step takes if the cost is known.
const (
	measuresDropped = 5000
	entriesDropped  = 2000
	runsDropped     = 200
	statesDropped   = 100
)

// The shares of a removal's work that are done once results, and what belongs to them,
// are gone.
const (
	resultsShare = 0.9
	rowsShare    = 0.95
)

// errStopped means that the caller stopped the removal.
var errStopped = errors.New("stopped")

// Remove removes runs. It first hides them, which removes them for all readers. What
// belongs to hidden runs is then deleted, by this removal or the next.
func (s runStore) Remove(ctx context.Context, runIDs []string, tell func(history.Removal) bool) error {
	r := &removal{store: s.Database, tell: tell}
	err := r.hide(ctx, runIDs)
	if err == nil {
		err = r.sweep(ctx)
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// removal is a removal of runs in progress.
type removal struct {
	store    *Database
	tell     func(history.Removal) bool
	progress history.Removal
	held     time.Duration // since others were let in
	done     bool          // something was removed
}

// step does something in a transaction, and lets others in.
func (r *removal) step(ctx context.Context, do func(tx *sql.Tx) error) error {
	return r.stepWith(ctx, r.store.writer, do)
}

// stepWith is step on other connections.
func (r *removal) stepWith(ctx context.Context, conns *sql.DB, do func(tx *sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var began time.Time
	err := r.store.transact(ctx, conns, func(tx *sql.Tx) error {
		began = time.Now() // with the lock
		return do(tx)
	})
	if err != nil {
		return r.store.explain(err)
	}
	if r.held += time.Since(began); r.held > heldMost {
		r.held = 0
		select {
		case <-time.After(letIn):
		case <-ctx.Done():
		}
	}
	return nil
}

// report reports progress.
func (r *removal) report(cleared float64) error {
	r.progress.Cleared = max(r.progress.Cleared, min(cleared, 1))
	if r.tell != nil && !r.tell(r.progress) {
		return errStopped
	}
	return nil
}

// repeat takes steps until one drops fewer rows than it may.
func (r *removal) repeat(ctx context.Context, most int64, drop func(tx *sql.Tx) (int64, error)) error {
	for n := most; n >= most; {
		err := r.step(ctx, func(tx *sql.Tx) (err error) {
			n, err = drop(tx)
			return err
		})
		if err == nil {
			err = r.report(0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hide hides runs and takes them out of the suspects.
func (r *removal) hide(ctx context.Context, uids []string) error {
	for len(uids) > 0 {
		var n int
		err := r.step(ctx, func(tx *sql.Tx) error {
			n = 0
			for began := time.Now(); n < len(uids) && (n == 0 || time.Since(began) < stepTime/2); n++ {
				if err := r.hideRun(ctx, tx, uids[n]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		uids = uids[n:]
		r.progress.Runs += n
		if err := r.report(0); err != nil {
			return err
		}
	}
	return nil
}

func (r *removal) hideRun(ctx context.Context, tx *sql.Tx, uid string) error {
	id, err := r.store.runKey(ctx, tx, uid)
	if _, ok := errors.AsType[*history.NoRunError](err); ok {
		return nil
	}
	if err != nil {
		return err
	}
	r.done = true
	return r.store.recount(ctx, tx, id, func() error {
		_, err := tx.ExecContext(ctx, "UPDATE runs SET workspace = 0, state = 'removed', uid = CAST(id AS TEXT) WHERE id = ? AND workspace = ?",
			id, r.store.workspace)
		return err
	})
}

// sweep removes what belongs to hidden runs and what nothing refers to any more, and frees
// the space. A process that ended too early may have hidden them.
func (r *removal) sweep(ctx context.Context) error {
	hidden, err := collect[int64](ctx, r.store.reader, "SELECT id FROM runs WHERE workspace = 0 ORDER BY id")
	if err != nil {
		return r.store.explain(err)
	}
	if len(hidden) > 0 {
		if err := r.clear(ctx, hidden); err != nil {
			return err
		}
	}
	if len(hidden) > 0 || r.done {
		if err := r.dropRows(ctx); err != nil {
			return err
		}
	}
	if err := r.shrink(ctx); err != nil {
		return err
	}
	return r.report(1)
}

// dropRows drops the emptied hidden runs, sessions without a run, and states without a run.
func (r *removal) dropRows(ctx context.Context) error {
	before, workspace := stamp(time.Now().Add(-stateRest)), r.store.workspace
	for _, rows := range []struct {
		most      int64
		statement string
		args      []any
	}{
		{runsDropped, `DELETE FROM runs WHERE id IN (
	SELECT r.id FROM runs r WHERE r.workspace = 0 AND NOT EXISTS (SELECT 1 FROM results x WHERE x.run = r.id)
		AND NOT EXISTS (SELECT 1 FROM measures m WHERE m.run = r.id) LIMIT ?)`, []any{runsDropped}},
		{statesDropped, `DELETE FROM states WHERE id IN (
	SELECT s.id FROM states s WHERE s.workspace = ? AND s.saved_at < ? AND s.base IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace = s.workspace AND r.fingerprint = s.uid) LIMIT ?)`, []any{workspace, before, statesDropped}},
		{statesDropped, `DELETE FROM states WHERE id IN (
	SELECT s.id FROM states s WHERE s.workspace = ? AND s.saved_at < ? AND s.base IS NULL
		AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.workspace = s.workspace AND r.fingerprint = s.uid)
		AND NOT EXISTS (SELECT 1 FROM states d WHERE d.base = s.id) LIMIT ?)`, []any{workspace, before, statesDropped}},
		{math.MaxInt64, `DELETE FROM sessions WHERE workspace = ?
	AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session = sessions.id)`, []any{workspace}}, // all at once
	} {
		err := r.repeat(ctx, rows.most, func(tx *sql.Tx) (int64, error) { return execute(ctx, tx, rows.statement, rows.args...) })
		if err != nil {
			return err
		}
	}
	return r.report(rowsShare)
}

// freeShare is the share of free pages, an eighth, below which shrinking a database is
// not worthwhile: the next runs fill them.
const freeShare = 8

// vacuumPages is how many free pages are released at once: some 20 ms of the lock.
// vacuumWait is how long emptying the log waits for readers, in milliseconds.
const (
	vacuumPages = "1000"
	vacuumWait  = "200"
)

// shrink returns free pages to the file system, as far as readers permit.
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
			if err := runPragma(ctx, tx, "PRAGMA incremental_vacuum("+vacuumPages+")"); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free)
		})
		if err == nil {
			err = r.report(rowsShare + (1-rowsShare)*float64(first-free)/float64(first))
		}
		if err != nil {
			return err
		}
	}
	return r.store.emptyLog(ctx)
}

// emptyLog writes the log to the database, which is what shrinks the file: most of it
// concurrently with other writers, and only the rest with their lock.
func (s *Database) emptyLog(ctx context.Context) error {
	s.unsynced.Store(true)
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return s.explain(err)
	}
	defer conn.Close()
	defer runPragma(context.WithoutCancel(ctx), conn, "PRAGMA busy_timeout = "+writerWait)
	for _, pragma := range []string{"busy_timeout = " + vacuumWait, "wal_checkpoint(PASSIVE)", "wal_checkpoint(TRUNCATE)"} {
		if err := runPragma(ctx, conn, "PRAGMA "+pragma); err != nil {
			return s.explain(err)
		}
	}
	return nil
}

// runPragma runs a pragma that works row by row to its end.
func runPragma(ctx context.Context, q querier, pragma string) error {
	rows, err := q.QueryContext(ctx, pragma)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
