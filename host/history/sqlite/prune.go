package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/proctorhq/proctor/host/history"
	"github.com/proctorhq/proctor/host/history/sqlite/internal/db"
)

// stateRest is how long a source state stays although no run has it: it is put on
// record before the run says so.
const stateRest = time.Hour

// Remove takes runs off the record. Each goes in small steps, so that nobody waits
// long for the lock.
func (s *Store) Remove(ctx context.Context, runIDs []string) error {
	removed := false
	for _, uid := range runIDs {
		var id int64
		err := s.read(ctx, func(tx *sql.Tx) (err error) {
			id, err = s.runKey(ctx, tx, uid)
			return err
		})
		var none *history.NoRunError
		if errors.As(err, &none) {
			continue
		}
		if err == nil {
			err = s.remove(ctx, id)
		}
		if err != nil {
			return err
		}
		removed = true
	}
	return s.sweep(ctx, removed)
}

// remove removes a run: first from sight, then what belongs to it.
func (s *Store) remove(ctx context.Context, run int64) error {
	var hidden int64
	err := s.write(ctx, func(tx *sql.Tx) error {
		return s.recount(ctx, tx, run, func() (err error) {
			hidden, err = db.New(tx).HideRun(ctx, db.HideRunParams{ID: run, Workspace: s.workspace})
			return err
		})
	})
	if err != nil || hidden == 0 {
		return err // another process was faster
	}
	return s.drop(ctx, run)
}

func (s *Store) drop(ctx context.Context, run int64) error {
	if err := s.clear(ctx, run, true); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error { return db.New(tx).DropRun(ctx, run) })
}

// sweep removes what nothing refers to any more, and gives the space back, where
// runs were removed: now, or by a process that ended too early.
func (s *Store) sweep(ctx context.Context, removed bool) error {
	hidden, err := db.New(s.reader).HiddenRuns(ctx)
	if err != nil {
		return s.explain(err)
	}
	for _, id := range hidden {
		if err := s.drop(ctx, id); err != nil {
			return err
		}
	}
	if !removed && len(hidden) == 0 {
		return nil
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		q := db.New(tx)
		before := stamp(time.Now().Add(-stateRest))
		return errors.Join(
			q.DropDeltas(ctx, db.DropDeltasParams{Workspace: s.workspace, SavedAt: before}),
			q.DropKeyframes(ctx, db.DropKeyframesParams{Workspace: s.workspace, SavedAt: before}),
			q.DropSessions(ctx, s.workspace),
		)
	})
	if err != nil {
		return err
	}
	return s.shrink(ctx)
}
