package host

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/proctorhq/proctor/host/config"
	"github.com/proctorhq/proctor/host/history"
)

// pruneEvery is how often records are looked at for what is too old: looking at
// all of them takes longer than a small run.
const pruneEvery = time.Hour

// score is how many of the newest runs no age removes.
const score = 20

// retention are the limits of what is kept.
type retention struct {
	Runs  int
	Age   time.Duration
	Bytes int64
}

// retentionOf are the limits that the user set.
func retentionOf(s config.History) retention {
	return retention{Runs: s.Runs, Age: s.Age, Bytes: s.Bytes}
}

// prune removes what is beyond the limits, when it is time for that.
func (m *memory) prune(ctx context.Context, limits retention) error {
	if m.renewed {
		m.retell(ctx) // the run that has just ended began in another one
	}
	now := m.host.cfg.Now()
	if !m.store.PruneDue(now, pruneEvery, limits.Runs) {
		return nil
	}
	m.store.Forget(now)
	weighed, err := m.weigh(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody has removed them all
	}
	if err != nil {
		return err
	}
	if err := m.removeSome(ctx, weighed.beyond(limits, weighed.today(now))); err != nil {
		return err
	}
	if err := m.removeRemnants(ctx, weighed.remnantsBeyond(limits, now)); err != nil {
		return err
	}
	return m.history.DropAnswers(ctx, triageKeys, now.Add(-maxAnswerAge))
}

// removeSome takes runs off the record, as many as there is time for at the end of a
// run. The next run takes the others.
func (m *memory) removeSome(ctx context.Context, runs []weighedRun) error {
	began, whole := time.Now(), false
	_, err := m.remove(ctx, runs, func(r history.Removal) bool {
		whole = r.Cleared == 1
		return whole || time.Since(began) < atOnce
	})
	if !whole {
		m.store.PruneSoon()
	}
	return err
}

// today is from when the age of runs is reckoned: now, but no later than the run
// that has a score of newer ones. So one run with a clock that is years ahead does not
// end the record, nor does the first one after a long rest.
func (w weighedRuns) today(now time.Time) time.Time {
	if len(w.runs) == 0 {
		return now
	}
	latest := w.runs[min(score, len(w.runs))-1].run.StartedAt
	if latest.Before(now) {
		return latest
	}
	return now
}
