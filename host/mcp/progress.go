package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// beat tells the client how far something is, until the returned function is called:
// at once, when something has changed, and as a heartbeat, on which some clients
// set back the clock of a call. A client that did not ask for it hears nothing.
func (c *call) beat(ctx context.Context, now func() status) (stop func()) {
	if c.client == nil || c.token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		var r reporter
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			if params, due := r.next(now(), time.Now(), c.session.server.cfg.Heartbeat); due {
				params.ProgressToken = c.token
				if c.client.NotifyProgress(ctx, params) != nil {
					return // the client is gone
				}
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// reporter decides what is worth telling.
type reporter struct {
	told  bool
	at    time.Time
	value float64
	word  string
}

// next returns what to tell now, if anything. The value must grow with each
// message, also where nothing has moved.
func (r *reporter) next(s status, now time.Time, heartbeat time.Duration) (*mcp.ProgressNotificationParams, bool) {
	done := float64(s.progress.Passed + s.progress.Failed + s.progress.Skipped + s.progress.SuitesDone)
	if r.told && s.word == r.word && done <= r.value && now.Sub(r.at) < heartbeat {
		return nil, false
	}
	const little = 0.001
	r.value = max(done, r.value+little)
	r.told, r.at, r.word = true, now, s.word
	return &mcp.ProgressNotificationParams{Progress: r.value, Message: s.line(now)}, true
}
