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

// Prune removes what is beyond the limits. Each run goes in small steps, so that
// nobody waits long for the lock.
func (s *Store) Prune(ctx context.Context, limits history.Retention, now time.Time, keep func(runID string) bool) ([]string, error) {
	runs, err := db.New(s.reader).Removable(ctx, s.workspace)
	if err != nil {
		return nil, s.explain(err)
	}
	p := pruning{store: s, limits: limits, now: now}
	for i := len(runs) - 1; i >= 0; i-- { // the oldest first
		if keep != nil && keep(runs[i].Uid) {
			continue
		}
		beyond := limits.Runs > 0 && i >= limits.Runs ||
			limits.Age > 0 && now.Sub(unstamp(runs[i].StartedAt)) > limits.Age
		if !beyond {
			if beyond, err = p.tooLarge(ctx); err != nil {
				break
			}
		}
		if !beyond {
			continue
		}
		if err = p.remove(ctx, runs[i].ID, runs[i].Uid); err != nil {
			break
		}
	}
	if err == nil {
		err = p.sweep(ctx)
	}
	return p.removed, err
}

// pruning is one call of Prune.
type pruning struct {
	store   *Store
	limits  history.Retention
	now     time.Time
	removed []string
	// fits: it is known that the record is not too large.
	fits bool
}

// tooLarge tells whether the record takes more than it may. What other
// workspaces have in the same file does not count: it cannot be removed from
// here.
func (p *pruning) tooLarge(ctx context.Context) (bool, error) {
	if p.limits.Bytes <= 0 || p.fits {
		return false, nil
	}
	var pages, free, size int64
	err := p.store.reader.QueryRowContext(ctx, `SELECT (SELECT page_count FROM pragma_page_count),
	(SELECT freelist_count FROM pragma_freelist_count), (SELECT page_size FROM pragma_page_size)`).Scan(&pages, &free, &size)
	if err != nil {
		return false, p.store.explain(err)
	}
	used := (pages - free) * size
	if p.fits = used <= p.limits.Bytes; p.fits {
		return false, nil
	}
	share, err := db.New(p.store.reader).Share(ctx, p.store.workspace)
	if err != nil {
		return false, p.store.explain(err)
	}
	if share.Every > 0 {
		used = int64(float64(used) * float64(share.Own) / float64(share.Every))
	}
	p.fits = used <= p.limits.Bytes
	return !p.fits, nil
}

// sweep removes what nothing refers to any more, and gives the space back.
func (p *pruning) sweep(ctx context.Context) error {
	s := p.store
	hidden, err := db.New(s.reader).HiddenRuns(ctx)
	if err != nil {
		return s.explain(err)
	}
	for _, id := range hidden { // of a process that ended too early
		if err := s.drop(ctx, id); err != nil {
			return err
		}
	}
	if len(p.removed)+len(hidden) == 0 {
		return nil
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		q := db.New(tx)
		before := stamp(p.now.Add(-stateRest))
		deltas := q.DropDeltas(ctx, db.DropDeltasParams{Workspace: s.workspace, SavedAt: before})
		keyframes := q.DropKeyframes(ctx, db.DropKeyframesParams{Workspace: s.workspace, SavedAt: before})
		var answers error
		if p.limits.Age > 0 {
			answers = q.DropAnswers(ctx, db.DropAnswersParams{Workspace: s.workspace, At: stamp(p.now.Add(-p.limits.Age))})
		}
		return errors.Join(deltas, keyframes, answers, q.DropSessions(ctx, s.workspace))
	})
	if err != nil {
		return err
	}
	return s.shrink(ctx)
}

// Remove takes runs off the record. What is not on it is not missed.
func (s *Store) Remove(ctx context.Context, runIDs []string) error {
	p := pruning{store: s, now: time.Now()}
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
			err = p.remove(ctx, id, uid)
		}
		if err != nil {
			return err
		}
	}
	return p.sweep(ctx)
}

// remove removes a run: first from sight, then what belongs to it.
func (p *pruning) remove(ctx context.Context, run int64, uid string) error {
	var hidden int64
	err := p.store.write(ctx, func(tx *sql.Tx) error {
		return p.store.recount(ctx, tx, run, func() (err error) {
			hidden, err = db.New(tx).HideRun(ctx, db.HideRunParams{ID: run, Workspace: p.store.workspace})
			return err
		})
	})
	if err != nil || hidden == 0 {
		return err // another process was faster
	}
	p.removed = append(p.removed, uid)
	return p.store.drop(ctx, run)
}

func (s *Store) drop(ctx context.Context, run int64) error {
	if err := s.clear(ctx, run, true); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error { return db.New(tx).DropRun(ctx, run) })
}
