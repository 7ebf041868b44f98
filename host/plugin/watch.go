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
	// since is when the clock was started last, and armed that the timer will
	// look at it. A plugin reports a hundred thousand events a second, and a
	// timer that is set anew for each of them costs more than the event.
	since time.Time
	armed bool
}

// newWatch returns a watch that rests. When it runs out it calls hung, once.
func newWatch(idle time.Duration, hung func(waiting string)) *watch {
	w := &watch{idle: idle, hung: hung}
	w.timer = time.AfterFunc(idle, w.expire)
	w.timer.Stop()
	return w
}

// expect starts waiting for something.
func (w *watch) expect(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = what
	w.restart()
}

// rest ends waiting.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = ""
}

// event notes progress and stops the clock; dealtWith is called when the host
// has dealt with it.
func (w *watch) event() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused++
}

func (w *watch) dealtWith() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused--
	w.restart()
}

// end stops the watch for good.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.timer.Stop()
}

// rests reports whether the clock stands still.
func (w *watch) rests() bool { return w.waiting == "" || w.paused > 0 || w.ended }

// restart starts the clock anew, if it should run.
func (w *watch) restart() {
	if w.rests() {
		return
	}
	w.since = time.Now()
	if !w.armed {
		w.armed = true
		w.timer.Reset(w.idle)
	}
}

// expire is called by the timer, and finds out whether it was meant.
func (w *watch) expire() {
	if waiting, late := w.ranOut(); late {
		w.hung(waiting)
	}
}

func (w *watch) ranOut() (waiting string, late bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if w.rests() {
		return "", false
	}
	if left := w.idle - time.Since(w.since); left > 0 {
		w.armed = true
		w.timer.Reset(left)
		return "", false
	}
	w.ended = true
	return w.waiting, true
}
