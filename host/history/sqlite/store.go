package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/proctorhq/proctor/host/history"
)

var _ history.Store = (*Store)(nil)

// Store is a history in a SQLite database. See [history.Store].
type Store struct {
	*Database
	runStore
	resultStore
	noteStore
}

// The parts of a Store: the runs, their results, and what is stored besides.
type (
	runStore    struct{ *Database }
	resultStore struct{ *Database }
	noteStore   struct{ *Database }
)

func newStore(db *Database) *Store {
	return &Store{Database: db, runStore: runStore{db}, resultStore: resultStore{db}, noteStore: noteStore{db}}
}

// Database is an open database, in which a [Store] reads and writes the records of one
// workspace. Everything in progress with a Store refers to it, so that it becomes garbage
// when no Store needs it any more.
type Database struct {
	path string
	// file is what was opened; another may have replaced it since.
	file           os.FileInfo
	writer, reader *sql.DB
	// workspace is the row of the workspace that it was opened for.
	workspace int64
	// lost reports whether the database replaces one that was set aside.
	lost     bool
	patience time.Duration
	// readOnly is the state of a read-only file; nil for any other. copied is the directory
	// of a copy of it, or of what stands in for one that is missing.
	readOnly map[string]int64
	copied   string
	// unsynced reports whether something was written since the last sync.
	unsynced atomic.Bool
	// doubted reports whether an error may have been the file's own fault.
	doubted atomic.Bool
	// closed ends the recorders in progress.
	closed    chan struct{}
	once      sync.Once
	recorders sync.WaitGroup
}

// Close closes the database. Unfinished recorders write no more.
func (s *Database) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.recorders.Wait()
	err := errors.Join(s.reader.Close(), s.writer.Close())
	if s.copied != "" {
		err = errors.Join(err, os.RemoveAll(s.copied))
	}
	return err
}

const (
	// maxLog bounds a log that is left to the next process, which has to read all of it:
	// 1 MiB takes 0.6 ms.
	maxLog = 4 << 20
	// longLog is how long a log is moved into the database while a run goes on. A run of a
	// few hundred tests writes 1 MiB where the results of each lie on a page of their own.
	longLog = 1 << 19
)

// Leave closes the database for a process that is about to end. An orderly close would move
// the log into the database and remove it, with two syncs, and two more when the next run
// creates another. SQLite recovers the log of a process that did not close just as well, so
// unless the log has become large, it stays, synced.
func (s *Database) Leave() error {
	s.once.Do(func() { close(s.closed) })
	s.recorders.Wait()
	log, err := os.Lstat(s.path + companions[0])
	if s.readOnly != nil || s.copied != "" || err == nil && log.Size() > maxLog {
		return s.Close()
	}
	return s.Sync()
}

// shortenLog moves the log into the database if it is long. Other processes read and write
// meanwhile, and the next write starts the log over. It is best effort: [Database.Leave]
// deals with a log that grew nevertheless.
func (s *Database) shortenLog(ctx context.Context) {
	if log, err := os.Lstat(s.path + companions[0]); err == nil && log.Size() > longLog {
		_ = runPragma(ctx, s.writer, "PRAGMA wal_checkpoint(PASSIVE)")
	}
}

// Sync makes what was committed survive a power failure. A commit only writes to the log,
// since syncing each would cost every run several syncs. Those of one run are synced once,
// together, before anybody is told its verdict; see [dsn].
func (s *Database) Sync() error {
	if !s.unsynced.Swap(false) {
		return nil
	}
	path := s.path + companions[0]
	err := noLink(path)
	var log *os.File
	if err == nil {
		log, err = os.OpenFile(path, os.O_RDWR, 0)
	}
	if err == nil {
		err = errors.Join(log.Sync(), log.Close())
	}
	if err != nil {
		s.unsynced.Store(true)
		return &fileError{path: s.path, err: err}
	}
	return nil
}

// InPlace reports whether the database is still the one at its path, and nothing was
// found wrong with it. Otherwise callers must reopen it: what is written to a file that
// was removed or set aside is lost.
func (s *Database) InPlace() bool {
	if s.readOnly != nil && !maps.Equal(s.readOnly, sizesOf(s.path)) {
		return false
	}
	st, err := os.Lstat(s.path)
	return err == nil && os.SameFile(st, s.file) && !s.doubted.Load() && !fileExists(s.path+damageSuffix)
}

// Size returns the size of the record on disk, in bytes.
func (s *Database) Size(ctx context.Context) (int64, error) {
	var size int64
	for i, suffix := range append([]string{""}, companions...) {
		st, err := os.Stat(s.path + suffix)
		if err != nil && i == 0 {
			return 0, err
		}
		if err == nil {
			size += st.Size()
		}
	}
	return size, ctx.Err()
}

// write calls do in a transaction that excludes other writers.
func (s *Database) write(ctx context.Context, do func(tx *sql.Tx) error) error {
	return s.explain(s.transact(ctx, s.writer, do))
}

// read calls do in a transaction that sees one state of the database.
func (s *Database) read(ctx context.Context, do func(tx *sql.Tx) error) error {
	return s.explain(s.transact(ctx, s.reader, do))
}

func (s *Database) transact(ctx context.Context, conns *sql.DB, do func(tx *sql.Tx) error) error {
	tx, err := s.begin(ctx, conns)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after a commit
	if conns != s.reader {
		s.unsynced.Store(true)
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// patience is how long a writer waits for its turn: thirty processes on a slow machine take
// a while, and SQLite has no queue.
const patience = 2 * time.Minute

// begin begins a transaction as soon as it gets the lock, if it needs one.
func (s *Database) begin(ctx context.Context, conns *sql.DB) (*sql.Tx, error) {
	for deadline := time.Now().Add(s.patience); ; {
		tx, err := conns.BeginTx(ctx, nil)
		if primary(err) != sqlite3.SQLITE_BUSY || ctx.Err() != nil || time.Now().After(deadline) {
			return tx, err
		}
	}
}

// explain adds the database's path to its errors, and marks a damaged one so that the next
// process to open it sets it aside.
func (s *Database) explain(err error) error {
	if isDoubtful(err) {
		s.doubted.Store(true)
	}
	if isDamage(err) {
		return errors.Join(nameFile(s.path, err), s.markDamaged(err))
	}
	if primary(err) != 0 {
		return nameFile(s.path, err)
	}
	return err
}

// markDamaged marks the database as damaged, if it is still in place. Only the existence of
// the mark counts, not its content.
func (s *Database) markDamaged(found error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	return withLock(ctx, s.path, func() error {
		st, err := os.Lstat(s.path)
		if err != nil || !os.SameFile(st, s.file) {
			return nil // another process was faster
		}
		mark, err := os.OpenFile(s.path+damageSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = mark.WriteString(found.Error() + "\n")
		return errors.Join(err, mark.Close())
	})
}

// earliest and latest are the limits of nanoseconds in 64 bits.
var earliest, latest = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// stamp converts a time for the database; 0 means none. A clock beyond its range must
// not make the newest run the oldest, which would then be removed.
func stamp(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.After(latest):
		return math.MaxInt64
	case t.Before(earliest):
		return math.MinInt64
	}
	return t.UnixNano()
}

func unstamp(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}
