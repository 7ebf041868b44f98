package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/proctorhq/proctor/host/fingerprint"
	"github.com/proctorhq/proctor/host/history/sqlite/internal/db"
)

// SaveState keeps the files of a source state, once.
func (s *Store) SaveState(ctx context.Context, state fingerprint.State) error {
	known, err := db.New(s.reader).HasState(ctx, db.HasStateParams{Workspace: s.workspace, Uid: state.ID})
	if known > 0 || err != nil {
		return s.explain(err)
	}
	whole := fingerprint.Encode(state.Files)
	return s.write(ctx, func(tx *sql.Tx) error {
		q := db.New(tx)
		base, files, err := s.delta(ctx, q, state.Files, whole)
		if err != nil {
			return err
		}
		return q.AddState(ctx, db.AddStateParams{
			Workspace: s.workspace, Uid: state.ID, Base: base, Kind: state.Kind, Top: state.Top, GitCommit: state.Commit,
			GitBranch: state.Branch, Worktree: state.Worktree, Dirty: int64(state.Dirty), SavedAt: stamp(time.Now()), Files: files,
		})
	})
}

// deltaShare is how small a delta has to be to be kept instead of all files: an
// eighth of them.
const deltaShare = 8

// delta returns files as what differs from the latest that stand for themselves,
// where that is little, or else as they are.
func (s *Store) delta(ctx context.Context, q *db.Queries, files []fingerprint.File, whole []byte) (base sql.NullInt64, coded []byte, err error) {
	key, err := q.LatestKeyframe(ctx, s.workspace)
	if errors.Is(err, sql.ErrNoRows) {
		return base, whole, nil
	}
	if err != nil {
		return base, nil, err
	}
	before, err := fingerprint.Decode(key.Files)
	if err != nil {
		return base, whole, nil // nobody can read that one
	}
	if delta := fingerprint.Delta(before, files); len(delta) <= len(whole)/deltaShare {
		return sql.NullInt64{Int64: key.ID, Valid: true}, delta, nil
	}
	return base, whole, nil
}

// State returns a source state with its files.
func (s *Store) State(ctx context.Context, id string) (state fingerprint.State, ok bool, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		row, err := db.New(tx).State(ctx, db.StateParams{Workspace: s.workspace, Uid: id})
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		state = fingerprint.State{
			ID: id, Kind: row.Kind, Top: row.Top, Commit: row.GitCommit, Branch: row.GitBranch, Worktree: row.Worktree, Dirty: int(row.Dirty),
		}
		if !row.Base.Valid {
			state.Files, err = fingerprint.Decode(row.Files)
			return garbled(id, err)
		}
		whole, err := db.New(tx).StateFiles(ctx, row.Base.Int64)
		if err != nil {
			return err
		}
		base, err := fingerprint.Decode(whole)
		if err == nil {
			state.Files, err = fingerprint.Apply(base, row.Files)
		}
		return garbled(id, err)
	})
	return state, ok, err
}

// garbled says which state cannot be read.
func garbled(id string, err error) error {
	if err != nil {
		return fmt.Errorf("the files of state %s: %w", id, err)
	}
	return nil
}
