package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"strings"
)

// tables are those that the migrations create and queries need.
var tables = [...]string{
	"workspaces", "sessions", "runs", "tests", "signatures", "results", "suspects", "measure_names", "measures", "states",
	"outstanding", "entries", "deferrals", "answers",
}

// checkSchema refuses a database that lacks a table, or has triggers or views: proctor
// creates none, and they could change what is written.
func (s *Database) checkSchema(ctx context.Context) error {
	var programs, found int
	err := s.reader.QueryRowContext(ctx, `SELECT coalesce(sum(type IN ('trigger', 'view')), 0),
coalesce(sum(type = 'table' AND name IN ('`+strings.Join(tables[:], "', '")+`')), 0) FROM sqlite_schema`).Scan(&programs, &found)
	switch {
	case err != nil:
		return err
	case programs > 0:
		return &damage{why: "it has triggers or views, which proctor never creates"}
	case found != len(tables):
		return &damage{why: fmt.Sprintf("it has %d of %d tables", found, len(tables))}
	}
	return nil
}

// applicationID marks the file as ours ("prct"), schemaVersion is that of the last
// migration.
const (
	applicationID = 0x70726374
	schemaVersion = 4
)

//go:embed migrations/*.sql
var migrations embed.FS

// create creates a new database under another name, so that one in place is always
// complete. lost reports whether there was another one before. The caller holds the
// lock.
func create(ctx context.Context, cfg Config, lost bool) error {
	path := cfg.Path + newSuffix
	removeAll(path) // left by a process that ended too early
	if err := build(ctx, path, cfg, lost); err != nil {
		removeAll(path)
		return err
	}
	return os.Rename(path, cfg.Path)
}

func build(ctx context.Context, path string, cfg Config, lost bool) error {
	conn, err := openPool(dsn(path, "rwc", "immediate", lockedWait, "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)"))
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetMaxOpenConns(1)
	if err := migrate(ctx, conn); err != nil {
		return err
	}
	if _, err := addWorkspace(ctx, conn, cfg, lost); err != nil {
		return err
	}
	if err := conn.Close(); err != nil { // empties the log and removes it
		return err
	}
	if fileExists(path + companions[0]) {
		return errors.New("the new database could not be written completely; check whether the disk is full")
	}
	return nil
}

// upgrade upgrades a database. The caller holds the lock.
func upgrade(ctx context.Context, path string) error {
	conn, err := openPool(dsn(path, "rw", "immediate", lockedWait))
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetMaxOpenConns(1)
	return migrate(ctx, conn)
}

// migrate executes the migrations that a database lacks, each in one transaction with the
// version it leads to, so that a migration is applied entirely or not at all.
func migrate(ctx context.Context, conn *sql.DB) error {
	var version int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	files, err := migrations.ReadDir("migrations") // sorted, and numbered from 1
	if err != nil {
		return err
	}
	for number := version + 1; number <= schemaVersion; number++ {
		name := files[number-1].Name()
		text, err := migrations.ReadFile("migrations/" + name)
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "\nPRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, number)
		if err := execInTransaction(ctx, conn, string(text)); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return nil
}

// execInTransaction executes statements in one transaction.
func execInTransaction(ctx context.Context, conn *sql.DB, statements string) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // a no-op after a commit
	if _, err := tx.ExecContext(ctx, statements); err != nil {
		return err
	}
	return tx.Commit()
}

// addWorkspace adds a workspace and returns its row. lost reports whether there was a
// record of it before.
func addWorkspace(ctx context.Context, q querier, cfg Config, lost bool) (int64, error) {
	return pick[int64](ctx, q, "INSERT INTO workspaces (root, worktree, lost) VALUES (?, ?, ?) RETURNING id", cfg.Root, cfg.Worktree, lost)
}
