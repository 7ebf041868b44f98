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
	"github.com/proctorhq/proctor/host/history/sqlite/internal/db"
	"github.com/proctorhq/proctor/host/outstanding"
)

// Outstanding returns what is outstanding of a language.
func (s *Store) Outstanding(ctx context.Context, language string) (set outstanding.Set, known, lost bool, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		set, known, lost, err = s.outstanding(ctx, tx, language)
		return err
	})
	return set, known, lost, err
}

// OutstandingLanguages are those of which that is on record.
func (s *Store) OutstandingLanguages(ctx context.Context) (languages []string, lost bool, err error) {
	languages, err = db.New(s.reader).OutstandingLanguages(ctx, s.workspace)
	return languages, s.lost, s.explain(err)
}

// UpdateOutstanding replaces what is outstanding of a language. update must not
// use the store.
func (s *Store) UpdateOutstanding(ctx context.Context, language string, update func(set outstanding.Set, known, lost bool) outstanding.Set) (outstanding.Set, error) {
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
		return db.New(tx).SetOutstanding(ctx, db.SetOutstandingParams{Workspace: s.workspace, Language: language, Value: value})
	})
	return set, err
}

func (s *Store) outstanding(ctx context.Context, tx *sql.Tx, language string) (set outstanding.Set, known, lost bool, err error) {
	value, err := db.New(tx).Outstanding(ctx, db.OutstandingParams{Workspace: s.workspace, Language: language})
	if errors.Is(err, sql.ErrNoRows) {
		return set, false, s.lost, nil
	}
	if err != nil {
		return set, false, false, err
	}
	if err := json.Unmarshal(value, &set); err != nil {
		return outstanding.Set{}, false, false, &damage{why: "what is outstanding of " + language + " is not readable: " + err.Error()}
	}
	return set, true, false, nil
}

// PutEntries sets how files stand at the end of a session. most of 0 is no limit.
func (s *Store) PutEntries(ctx context.Context, entries []api.Entry, most int) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		q := db.New(tx)
		for _, e := range entries {
			err := q.SetEntry(ctx, db.SetEntryParams{
				Workspace: s.workspace, SessionUid: e.SessionID, File: e.File, Status: string(e.Status),
				Classification: string(e.Classification), At: stamp(e.Timestamp),
			})
			if err != nil {
				return err
			}
		}
		if most <= 0 {
			return nil
		}
		return q.DropEntries(ctx, db.DropEntriesParams{Workspace: s.workspace, Offset: int64(most)})
	})
}

// Entries returns them, the oldest first.
func (s *Store) Entries(ctx context.Context) ([]api.Entry, error) {
	rows, err := db.New(s.reader).Entries(ctx, s.workspace)
	if err != nil {
		return nil, s.explain(err)
	}
	entries := make([]api.Entry, len(rows))
	for i, r := range rows {
		entries[i] = api.Entry{
			File: r.File, Status: api.EntryStatus(r.Status), SessionID: r.SessionUid,
			Timestamp: unstamp(r.At), Classification: api.Classification(r.Classification),
		}
	}
	return entries, nil
}

// Defer sets a test aside, or changes that.
func (s *Store) Defer(ctx context.Context, d history.Deferral) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		return db.New(tx).SetDeferral(ctx, db.SetDeferralParams{
			Workspace: s.workspace, Language: d.Language, Suite: d.Suite, Name: d.Test.Test, File: d.File, Digest: d.Digest,
			SessionUid: d.SessionID, At: stamp(d.At), Reason: d.Reason,
		})
	})
}

// Undefer takes it back.
func (s *Store) Undefer(ctx context.Context, t history.TestKey) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		return db.New(tx).DropDeferral(ctx, db.DropDeferralParams{
			Workspace: s.workspace, Language: t.Language, Suite: t.Suite, Name: t.Test.Test,
		})
	})
}

// Deferrals returns them, ordered by test.
func (s *Store) Deferrals(ctx context.Context) ([]history.Deferral, error) {
	rows, err := db.New(s.reader).Deferrals(ctx, s.workspace)
	if err != nil {
		return nil, s.explain(err)
	}
	deferrals := make([]history.Deferral, len(rows))
	for i, r := range rows {
		deferrals[i] = history.Deferral{
			TestKey: history.TestKey{Language: r.Language, Test: api.Test{Suite: r.Suite, Test: r.Name}},
			File:    r.File, Digest: r.Digest, SessionID: r.SessionUid, At: unstamp(r.At), Reason: r.Reason,
		}
	}
	return deferrals, nil
}

// Put keeps a small answer.
func (s *Store) Put(ctx context.Context, key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		return db.New(tx).SetAnswer(ctx, db.SetAnswerParams{Workspace: s.workspace, Name: key, Value: value, At: stamp(time.Now())})
	})
}

// Get returns it.
func (s *Store) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	value, err = db.New(s.reader).Answer(ctx, db.AnswerParams{Workspace: s.workspace, Name: key})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return value, err == nil, s.explain(err)
}

// DropAnswers drops answers that were put before a time.
func (s *Store) DropAnswers(ctx context.Context, beginning string, before time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		return db.New(tx).DropAnswers(ctx, db.DropAnswersParams{
			Workspace: s.workspace, Beginning: beginning, Beyond: beginning + string(utf8.MaxRune), Before: stamp(before),
		})
	})
}
