package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// echo is for how long after a signal others are the same one again: `timeout` sends
// it to the process and to its group, and npm and some shells pass on the one that the
// terminal has sent to all of them.
const echo = time.Second

// interruptible is a context that the first signal cancels, so that a run ends in order.
// One that comes later than its echo has its usual effect again. What was ignored when
// proctor began, as nohup does, stays without effect.
func interruptible() context.Context {
	var heeded []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			swallow(s)
			continue
		}
		heeded = append(heeded, s)
	}
	if len(heeded) == 0 { // without any, all would be meant
		return context.Background()
	}
	ctx, stop := signal.NotifyContext(context.Background(), heeded...)
	context.AfterFunc(ctx, func() { time.AfterFunc(echo, stop) })
	return ctx
}

// swallow takes a signal without heeding it. It is not ignored, since that would be
// passed on to the tests.
func swallow(s os.Signal) { signal.Notify(make(chan os.Signal, 1), s) }
