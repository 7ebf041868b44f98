package terminal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// redraw is how often the area changes at most: often enough to look alive, seldom enough
// to be readable and cheap.
const redraw = 100 * time.Millisecond

// area is the part of a terminal that is redrawn: what is kept, and below it what
// changes. Only the lines from the first one on that differs are written anew.
type area struct {
	w io.Writer
	// live returns the changing lines. It is called with the lock.
	live func(now time.Time) []string

	mu      sync.Mutex
	kept    []string
	drawn   []string
	done    chan struct{} // closed to stop the redrawing; nil while stopped
	stopped chan struct{}
}

// start starts drawing.
func (a *area) start() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done != nil {
		return
	}
	a.done, a.stopped = make(chan struct{}), make(chan struct{})
	go a.tick(a.done, a.stopped)
}

func (a *area) tick(done, stopped chan struct{}) {
	defer close(stopped)
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			a.mu.Lock()
			a.draw(append(slices.Clone(a.kept), a.live(now)...))
			a.mu.Unlock()
		}
	}
}

// above prints lines for good, above the area.
func (a *area) above(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draw(nil)
	fmt.Fprint(a.w, text)
}

// stop ends the drawing. What was kept stays on the screen if keep is set, and is erased
// otherwise, since the end of the run repeats it.
func (a *area) stop(keep bool) {
	a.mu.Lock()
	done, stopped := a.done, a.stopped
	a.done = nil
	a.mu.Unlock()
	if done == nil {
		return
	}
	close(done)
	<-stopped
	a.mu.Lock()
	defer a.mu.Unlock()
	if keep {
		a.draw(a.kept)
	} else {
		a.draw(nil)
	}
	a.kept, a.drawn = nil, nil
}

// draw replaces what is drawn. No line may be wider than the terminal: one that wraps
// could not be erased.
func (a *area) draw(lines []string) {
	same := 0
	for same < len(lines) && same < len(a.drawn) && lines[same] == a.drawn[same] {
		same++
	}
	if same == len(lines) && same == len(a.drawn) {
		return
	}
	var b strings.Builder
	if up := len(a.drawn) - same; up > 0 {
		// Cursor up, then erase to the end of the screen: ECMA-48 CUU and ED.
		fmt.Fprintf(&b, "\r\x1b[%dA\x1b[J", up)
	}
	for _, l := range lines[same:] {
		b.WriteString(l + "\n")
	}
	_, _ = io.WriteString(a.w, b.String())
	a.drawn = slices.Clone(lines)
}
