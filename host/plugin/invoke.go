package plugin

import (
	"context"
	"errors"
	"time"

	"github.com/proctorhq/proctor/sdk/client"
)

// invoke makes one call with a deadline. A plugin that misses it is killed: nothing it
// said afterwards could be trusted.
func invoke[T any](ctx context.Context, i *instance, call string, limit time.Duration, do func(context.Context, *client.Detector) (T, error)) (T, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	reply, err := do(limited, i.detector)
	if err == nil {
		return reply, nil
	}
	var none T
	settle(limited, err)
	if ctx.Err() == nil && limited.Err() != nil && !i.isClosed() {
		return none, i.killHung(call, "no answer", limit)
	}
	return none, i.explain(ctx, call, err)
}

// ask is invoke with a restart of the plugin if needed. Calls have no effects, so a
// call lost in a crash is repeated once.
func ask[T any](ctx context.Context, p *Plugin, call string, do func(context.Context, *client.Detector) (T, error), check func(T) *violation) (T, error) {
	var none T
	for {
		i, err := p.running(ctx)
		if err != nil {
			return none, err
		}
		reply, err := invoke(ctx, i, call, p.config.CallTimeout, do)
		if crash, ok := errors.AsType[*CrashedError](err); ok && !crash.GivenUp {
			continue
		}
		if err != nil {
			return none, err
		}
		if v := check(reply); v != nil {
			return none, i.violated(call, v)
		}
		return reply, nil
	}
}
