package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
)

// SaveState stores the files of a source state, once.
func (s noteStore) SaveState(ctx context.Context, state fingerprint.State) error {
	known, err := pick[bool](ctx, s.reader, "SELECT EXISTS (SELECT 1 FROM states WHERE workspace = ? AND uid = ?)", s.workspace, state.ID)
	if known || err != nil {
		return s.explain(err)
	}
	whole := fingerprint.Encode(state.Files)
	return s.write(ctx, func(tx *sql.Tx) error {
		base, files, err := s.delta(ctx, tx, state.Files, whole)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO states (workspace, uid, base, kind, top, git_commit, git_branch, worktree, dirty, saved_at, files)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			s.workspace, state.ID, base, state.Kind, state.Top, state.Commit, state.Branch, state.Worktree, state.Dirty, stamp(time.Now()), files)
		return err
	})
}

// deltaShare: a delta is stored instead of all files if it is at most an eighth of their
// size.
const deltaShare = 8

// delta returns files as the difference from the latest state stored whole, if that is
// small, or else as they are.
func (s noteStore) delta(ctx context.Context, tx *sql.Tx, files []fingerprint.File, whole []byte) (base sql.NullInt64, coded []byte, err error) {
	var id int64
	var keyframe []byte
	err = tx.QueryRowContext(ctx, "SELECT id, files FROM states WHERE workspace = ? AND base IS NULL ORDER BY id DESC LIMIT 1", s.workspace).
		Scan(&id, &keyframe)
	if errors.Is(err, sql.ErrNoRows) {
		return base, whole, nil
	}
	if err != nil {
		return base, nil, err
	}
	before, err := fingerprint.Decode(keyframe)
	if err != nil {
		return base, whole, nil // that state is unreadable
	}
	if delta := fingerprint.Delta(before, files); len(delta) <= len(whole)/deltaShare {
		return sql.NullInt64{Int64: id, Valid: true}, delta, nil
	}
	return base, whole, nil
}

// State returns a source state with its files.
func (s noteStore) State(ctx context.Context, id string) (state fingerprint.State, ok bool, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		found := fingerprint.State{ID: id}
		var base sql.NullInt64
		var coded []byte
		err := tx.QueryRowContext(ctx, `SELECT base, kind, top, git_commit, git_branch, worktree, dirty, files
FROM states WHERE workspace = ? AND uid = ?`, s.workspace, id).
			Scan(&base, &found.Kind, &found.Top, &found.Commit, &found.Branch, &found.Worktree, &found.Dirty, &coded)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		state, ok = found, true
		if !base.Valid {
			state.Files, err = fingerprint.Decode(coded)
			return garbledError(id, err)
		}
		whole, err := pick[[]byte](ctx, tx, "SELECT files FROM states WHERE id = ?", base.Int64)
		if err != nil {
			return err
		}
		files, err := fingerprint.Decode(whole)
		if err == nil {
			state.Files, err = fingerprint.Apply(files, coded)
		}
		return garbledError(id, err)
	})
	return state, ok, err
}

// garbledError reports a state that cannot be read.
func garbledError(id string, err error) error {
	if err != nil {
		return fmt.Errorf("the files of state %s: %w", id, err)
	}
	return nil
}
