package plugin

import (
	"sync"
	"time"
)

// watch notices when a plugin makes no progress. It runs only while something is expected
// of the plugin, since a test that prints nothing for a minute is not its fault, and rests
// while the host itself is busy.
type watch struct {
	idle  time.Duration
	hung  func(waiting string)
	timer *time.Timer

	mu sync.Mutex
	// waiting is what is expected; empty if nothing is.
	waiting string
	// paused counts deliveries that the host has not yet handled.
	paused int
	ended  bool
	// since is when the clock last started; armed reports whether the timer will check
	// it. A plugin reports a hundred thousand events a second, and resetting a timer
	// costs more than an event.
	since time.Time
	armed bool
}

// newWatch returns a resting watch. When it runs out it calls hung, once.
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

// event records progress and stops the clock; handled is called once the host has
// handled it.
func (w *watch) event() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused++
}

func (w *watch) handled() {
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

// isResting reports whether the clock is stopped.
func (w *watch) isResting() bool { return w.waiting == "" || w.paused > 0 || w.ended }

// restart restarts the clock, if it should run.
func (w *watch) restart() {
	if w.isResting() {
		return
	}
	w.since = time.Now()
	if !w.armed {
		w.armed = true
		w.timer.Reset(w.idle)
	}
}

// expire is called by the timer, and checks whether time has really run out.
func (w *watch) expire() {
	if waiting, late := w.ranOut(); late {
		w.hung(waiting)
	}
}

func (w *watch) ranOut() (waiting string, late bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if w.isResting() {
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
