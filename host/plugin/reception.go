package plugin

import (
	"cmp"
	"context"

	"github.com/proctorhq/proctor/sdk/client"
)

// reception is one answer of many messages. All of it happens in the goroutine of
// the caller, but for the watch.
type reception struct {
	instance *instance
	call     string
	watch    *watch
	// broken is how the plugin broke the protocol in what it reported. It counts
	// also where the answer came to its end before the plugin did.
	broken error
}

// receive has a plugin answer with many messages. What it reports is bounded by the
// client, by the time between two messages and by the time that all of it takes.
func (p *Plugin) receive(ctx context.Context, call string, do func(context.Context, *client.Detector, *reception) error) error {
	i, err := p.running(ctx)
	if err != nil {
		return err
	}
	limit, idle := p.config.ReceiveTimeout, p.config.ParseIdleTimeout
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := &reception{instance: i, call: call}
	r.watch = newWatch(idle, func(waiting string) { _ = i.hung(call, waiting, idle) })
	r.watch.expect("it did not go on with its answer")
	err = do(limited, i.detector, r)
	r.watch.end()
	if r.broken != nil {
		return r.broken
	}
	if err == nil {
		return nil
	}
	settle(limited, err)
	if ctx.Err() == nil && limited.Err() != nil && !i.isClosed() {
		return i.hung(call, "it still reported", limit)
	}
	return i.explain(ctx, call, err)
}

// Arrived takes a message for a sign of life.
func (r *reception) Arrived() {
	r.watch.event()
	r.watch.dealtWith()
}

// admit reports whether something may be delivered: nothing is after a violation. Who
// delivers it tells the watch when it was dealt with.
func (r *reception) admit() bool {
	if r.broken != nil {
		return false
	}
	r.watch.event()
	return true
}

// violated ends the plugin because of what it reported.
func (r *reception) violated(v *violation) {
	r.broken = cmp.Or(r.broken, r.instance.condemn(r.instance.violated(r.call, v)))
}
