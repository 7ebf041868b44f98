package plugin

import (
	"sync"
	"time"
)

// watch notices that a plugin does not get on with its work. It runs only while
// something is expected of the plugin: a test that prints nothing for a minute
// is no fault of it. It rests while the host itself is busy.
type watch struct {
	idle  time.Duration
	hung  func(waiting string)
	timer *time.Timer

	mu sync.Mutex
	// waiting is what is expected; empty when nothing is.
	waiting string
	// paused counts deliveries that the host has not dealt with.
	paused int
	ended  bool
}

// newWatch returns a watch that rests. When it runs out it calls hung, once.
func newWatch(idle time.Duration, hung func(waiting string)) *watch {
	w := &watch{idle: idle, hung: hung}
	w.timer = time.AfterFunc(idle, w.expire)
	w.timer.Stop()
	return w
}

// expect starts waiting for something.
func (w *watch) expect(what string) { w.set(func() { w.waiting = what }) }

// rest ends waiting.
func (w *watch) rest() { w.set(func() { w.waiting = "" }) }

// event notes progress and stops the clock; the function it returns is called
// when the host has dealt with it.
func (w *watch) event() (dealtWith func()) {
	w.set(func() { w.paused++ })
	return func() { w.set(func() { w.paused-- }) }
}

// end stops the watch for good.
func (w *watch) end() { w.set(func() { w.ended = true }) }

// set changes the state and starts the clock anew, or stops it.
func (w *watch) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	if w.waiting == "" || w.paused > 0 || w.ended {
		w.timer.Stop()
		return
	}
	w.timer.Reset(w.idle)
}

func (w *watch) expire() {
	w.mu.Lock()
	waiting := w.waiting
	late := waiting == "" || w.paused > 0 || w.ended
	w.ended = w.ended || !late
	w.mu.Unlock()
	if !late {
		w.hung(waiting)
	}
}
