package sqlite

import (
	"errors"
	"fmt"

	driver3 "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// NewerError reports that a newer proctor made the database.
type NewerError struct {
	Path          string
	Version, Ours int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("the history %s was made by a newer proctor (schema %d, this one knows %d): use that one here",
		e.Path, e.Version, e.Ours)
}

// fileError adds the database to an error.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string {
	text := "the history " + e.path + ": " + e.err.Error()
	switch primary(e.err) {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		// SQLite's code names the step that failed, but not why.
		text += "; check whether its disk is full, and whether it is writable"
	}
	return text
}

func (e *fileError) Unwrap() error { return e.err }

// nameFile adds the path of the database to an error, once.
func nameFile(path string, err error) error {
	var file *fileError
	var newer *NewerError
	if err == nil || errors.As(err, &file) || errors.As(err, &newer) {
		return err
	}
	return &fileError{path: path, err: err}
}

// damage reports that a database is unreadable, besides what SQLite says.
type damage struct{ why string }

func (d *damage) Error() string { return d.why }

// isDamage reports whether the database itself is broken, and not its use.
func isDamage(err error) bool {
	if _, ok := errors.AsType[*damage](err); ok {
		return true
	}
	code := primary(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// isDoubtful reports whether an error may come from a file that was replaced or
// overwritten since it was opened: reopening it tells. For example, a table can be
// missing. Another process at work, or a full disk, is no reason for doubt.
func isDoubtful(err error) bool {
	if isDamage(err) {
		return true
	}
	switch primary(err) {
	case 0, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CONSTRAINT:
		return false
	}
	return true
}

// primary returns the primary result code of SQLite, or 0.
func primary(err error) int {
	var e *driver3.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}
