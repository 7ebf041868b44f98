package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/proctorhq/proctor/host/api"
	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/outstanding"
)

// Outstanding returns what is outstanding of a language.
func (s noteStore) Outstanding(ctx context.Context, language string) (set outstanding.Set, known, lost bool, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		set, known, lost, err = s.outstanding(ctx, tx, language)
		return err
	})
	return set, known, lost, err
}

// OutstandingLanguages returns the languages whose outstanding set is on record.
func (s noteStore) OutstandingLanguages(ctx context.Context) (languages []string, lost bool, err error) {
	languages, err = collect[string](ctx, s.reader, "SELECT language FROM outstanding WHERE workspace = ? ORDER BY language", s.workspace)
	return languages, s.lost, s.explain(err)
}

// UpdateOutstanding replaces what is outstanding in a language. update must not use the
// store, which is locked.
func (s noteStore) UpdateOutstanding(ctx context.Context, language string, update func(set outstanding.Set, known, lost bool) outstanding.Set) (outstanding.Set, error) {
	var set outstanding.Set
	err := s.write(ctx, func(tx *sql.Tx) error {
		before, known, lost, err := s.outstanding(ctx, tx, language)
		if err != nil {
			return err
		}
		set = update(before, known, lost)
		value, err := json.Marshal(set)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO outstanding (workspace, language, value) VALUES (?, ?, ?)
ON CONFLICT (workspace, language) DO UPDATE SET value = excluded.value`, s.workspace, language, value)
		return err
	})
	return set, err
}

func (s noteStore) outstanding(ctx context.Context, tx *sql.Tx, language string) (set outstanding.Set, known, lost bool, err error) {
	value, err := pick[[]byte](ctx, tx, "SELECT value FROM outstanding WHERE workspace = ? AND language = ?", s.workspace, language)
	if errors.Is(err, sql.ErrNoRows) {
		return set, false, s.lost, nil
	}
	if err != nil {
		return set, false, false, err
	}
	if err := set.UnmarshalJSON(value); err != nil { // json.Unmarshal would read it twice
		return outstanding.Set{}, false, false, &damage{why: "the outstanding set of " + language + " is not readable: " + err.Error()}
	}
	return set, true, false, nil
}

// PutEntries records how files stand at the end of a session. If most is 0, there is no
// limit.
func (s noteStore) PutEntries(ctx context.Context, entries []api.Entry, most int) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		const put = `INSERT INTO entries (workspace, session_uid, file, status, classification, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (workspace, session_uid, file) DO UPDATE SET status = excluded.status, classification = excluded.classification, at = excluded.at`
		for _, e := range entries {
			_, err := tx.ExecContext(ctx, put, s.workspace, e.SessionID, e.File, e.Status, e.Classification, stamp(e.Timestamp))
			if err != nil {
				return err
			}
		}
		if most <= 0 {
			return nil
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM entries WHERE id IN (
	SELECT e.id FROM entries e WHERE e.workspace = ? ORDER BY e.at DESC, e.id DESC LIMIT -1 OFFSET ?)`, s.workspace, most)
		return err
	})
}

// Entries returns all entries, oldest first.
func (s noteStore) Entries(ctx context.Context) ([]api.Entry, error) {
	entries, err := list(ctx, s.reader, func(rows *sql.Rows, e *api.Entry) error {
		var at int64
		err := rows.Scan(&e.SessionID, &e.File, &e.Status, &e.Classification, &at)
		e.Timestamp = unstamp(at)
		return err
	}, "SELECT session_uid, file, status, classification, at FROM entries WHERE workspace = ? ORDER BY at, id", s.workspace)
	return entries, s.explain(err)
}

// Defer defers a test, or updates its deferral.
func (s noteStore) Defer(ctx context.Context, d history.Deferral) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO deferrals (workspace, language, suite, name, file, digest, session_uid, at, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, language, suite, name) DO UPDATE SET
	file = excluded.file, digest = excluded.digest, session_uid = excluded.session_uid, at = excluded.at, reason = excluded.reason`,
			s.workspace, d.Language, d.Suite, d.Test, d.File, d.Digest, d.SessionID, stamp(d.At), d.Reason)
		return err
	})
}

// Undefer removes a deferral.
func (s noteStore) Undefer(ctx context.Context, t history.TestKey) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM deferrals WHERE workspace = ? AND language = ? AND suite = ? AND name = ?",
			s.workspace, t.Language, t.Suite, t.Test)
		return err
	})
}

// Deferrals returns all deferrals, ordered by test.
func (s noteStore) Deferrals(ctx context.Context) ([]history.Deferral, error) {
	deferrals, err := list(ctx, s.reader, func(rows *sql.Rows, d *history.Deferral) error {
		var at int64
		err := rows.Scan(&d.Language, &d.Suite, &d.TestKey.Test, &d.File, &d.Digest, &d.SessionID, &at, &d.Reason)
		d.At = unstamp(at)
		return err
	}, `SELECT language, suite, name, file, digest, session_uid, at, reason FROM deferrals
WHERE workspace = ? ORDER BY language, suite, name`, s.workspace)
	return deferrals, s.explain(err)
}

// Put stores an answer under a key.
func (s noteStore) Put(ctx context.Context, key string, value []byte) error {
	return s.PutAll(ctx, map[string][]byte{key: value})
}

// PutAll stores several answers at once.
func (s noteStore) PutAll(ctx context.Context, answers map[string][]byte) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for key, value := range answers {
			if value == nil {
				value = []byte{}
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO answers (workspace, name, value, at) VALUES (?, ?, ?, ?)
ON CONFLICT (workspace, name) DO UPDATE SET value = excluded.value, at = excluded.at`, s.workspace, key, value, stamp(time.Now()))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Get returns the answer stored under a key.
func (s noteStore) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	value, err = pick[[]byte](ctx, s.reader, "SELECT value FROM answers WHERE workspace = ? AND name = ?", s.workspace, key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return value, err == nil, s.explain(err)
}

// DropAnswers drops answers with a key prefix that were stored before a time.
func (s noteStore) DropAnswers(ctx context.Context, beginning string, before time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM answers WHERE workspace = ? AND name >= ? AND name < ? AND at < ?",
			s.workspace, beginning, beginning+string(utf8.MaxRune), stamp(before))
		return err
	})
}
