package ledger

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

// Retention are the limits of what is kept.
type Retention struct {
	Runs  int
	Age   time.Duration
	Bytes int64
}

// RetentionOf are the limits that the user set.
func RetentionOf(s config.History) Retention {
	return Retention{Runs: s.Runs, Age: s.Age, Bytes: s.Bytes}
}

// Prune removes what is beyond the limits, when it is time for that.
func (m *Ledger) Prune(ctx context.Context, limits Retention) error {
	if m.renewed {
		m.retell(ctx) // the run that has just ended began in another one
	}
	now := m.Keeper.Cfg.Now()
	if !m.Artifacts.PruneDue(now, pruneEvery, limits.Runs) {
		return nil
	}
	m.Artifacts.Forget(now)
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
	return m.History.DropAnswers(ctx, TriageKeys, now.Add(-MaxAnswerAge))
}

// removeSome takes runs off the record, as many as there is time for at the end of a
// run. The next run takes the others.
func (m *Ledger) removeSome(ctx context.Context, runs []weighedRun) error {
	began, whole := time.Now(), false
	_, err := m.remove(ctx, runs, func(r history.Removal) bool {
		whole = r.Cleared == 1
		return whole || time.Since(began) < atOnce
	})
	if !whole {
		m.Artifacts.PruneSoon()
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

// MaxAnswerAge is for how long an observation is taken for what would be seen
// now: what git ignores, such as installed dependencies, changes without a trace.
const MaxAnswerAge = 24 * time.Hour

// TriageKeys is how the keys of observations begin. Those that are too old are
// dropped when the record is pruned.
const TriageKeys = "triage/"
