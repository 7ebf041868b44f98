// Package rest gives memory back to the system while a server waits for its next call, which
// may take hours. It does not decide what is a call.
package rest

import (
	"runtime/debug"
	"time"
)

// Usual is how long a server is idle before it gives memory back: longer than an agent takes
// from one quick call to the next.
const Usual = 5 * time.Second

// Timer gives memory back once after each call.
type Timer struct {
	after time.Duration
	timer *time.Timer
}

// New returns a Timer of which no call has ended yet.
func New(after time.Duration) *Timer {
	t := &Timer{after: after, timer: time.AfterFunc(after, debug.FreeOSMemory)}
	t.timer.Stop()
	return t
}

// Called says that a call has ended.
func (t *Timer) Called() { t.timer.Reset(t.after) }
