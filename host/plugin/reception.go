package plugin

import (
	"cmp"
	"context"

	"github.com/proctorhq/proctor/sdk/client"
)

// reception is one answer of many messages. Everything but the watch happens in the
// caller's goroutine.
type reception struct {
	instance *instance
	call     string
	watch    *watch
	// broken is how the plugin's report broke the protocol. It counts even if the
	// answer ended before the plugin did.
	broken error
}

// receive has a plugin answer with many messages. The client bounds what it reports;
// the watch bounds the time between two messages, and ReceiveTimeout the total.
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

// Arrived counts a message as activity.
func (r *reception) Arrived() {
	r.watch.event()
	r.watch.dealtWith()
}

// admit reports whether something may be delivered: nothing is after a violation. The
// caller tells the watch once it was handled.
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
