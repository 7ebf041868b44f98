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

// retentionOf are the limits that the user set.
func retentionOf(s config.History) history.Retention {
	return history.Retention{Runs: s.Runs, Age: s.Age, Bytes: s.Bytes}
}

// prune removes what is beyond the limits, when it is time for that.
func (m *memory) prune(ctx context.Context, limits history.Retention) error {
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
	return m.remove(ctx, weighed.beyond(limits, now))
}
