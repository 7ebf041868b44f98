package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/host/render"
	"github.com/proctorhq/proctor/sdk"
)

// maxRunningLines is how many running tests are shown: the longest-running ones are
// those somebody waits for.
const maxRunningLines = 3

// status is a few lines at the bottom of a terminal that are redrawn: the counts, and
// what runs for how long.
type status struct {
	w io.Writer

	mu       sync.Mutex
	drawn    int // lines on the screen
	progress sdk.Progress
	index    indexing  // what is awaited of an index; nothing of a run
	at       time.Time // of progress
	began    time.Time
	done     chan struct{} // closed to stop the redrawing; nil while stopped
	stopped  chan struct{}
}

func newStatus(w io.Writer) *status { return &status{w: w} }

// start starts drawing, and keeps the times moving when nothing else does.
func (s *status) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		return
	}
	s.began, s.progress, s.at = time.Now(), sdk.Progress{}, time.Time{}
	s.done, s.stopped = make(chan struct{}), make(chan struct{})
	go s.redraw(s.done, s.stopped)
}

func (s *status) redraw(done, stopped chan struct{}) {
	defer close(stopped)
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			s.mu.Lock()
			s.draw()
			s.mu.Unlock()
		}
	}
}

func (s *status) update(p sdk.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress, s.at = p, time.Now()
}

// above prints a permanent line above the status.
func (s *status) above(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintln(s.w, line)
	if s.done != nil {
		s.draw()
	}
}

// clear removes the status from the screen until it is drawn next.
func (s *status) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// stop removes the status from the screen for good.
func (s *status) stop() {
	s.mu.Lock()
	done, stopped := s.done, s.stopped
	s.done = nil
	s.mu.Unlock()
	if done == nil {
		return
	}
	close(done)
	<-stopped
	s.clear()
}

// draw replaces the status. The lines are cut to the terminal's width: a line that
// wraps could not be erased.
func (s *status) draw() {
	s.erase()
	columns := width(s.w)
	lines := s.lines(time.Now())
	for _, l := range lines {
		fmt.Fprintln(s.w, cut(l, columns-1))
	}
	s.drawn = len(lines)
}

func (s *status) erase() {
	if s.drawn > 0 {
		// Cursor up, then erase to the end of the screen: ECMA-48 CUU and ED.
		fmt.Fprintf(s.w, "\x1b[%dA\x1b[J", s.drawn)
		s.drawn = 0
	}
}

func (s *status) lines(now time.Time) []string {
	p := s.progress
	if s.index.suites > 0 {
		return s.index.lines(p, now.Sub(s.began))
	}
	if s.at.IsZero() {
		return []string{fmt.Sprintf("%5.1fs  no counts yet", now.Sub(s.began).Seconds())}
	}
	counts := fmt.Sprintf("%5.1fs  %s; suites done: %d", now.Sub(s.began).Seconds(), render.ResultsSoFar(p.Passed, p.Failed, p.Skipped), p.SuitesDone)
	if p.RunningTotal > 0 {
		counts += fmt.Sprintf("; tests running, with subtests: %d", p.RunningTotal)
	} else {
		counts += "; no test is running"
		if p.SuitesDone == 0 {
			counts += ": building" // what runners do before tests
		}
	}
	lines := []string{counts}
	for _, r := range p.Running[:min(len(p.Running), maxRunningLines)] {
		elapsed := r.Elapsed + now.Sub(s.at)
		lines = append(lines, fmt.Sprintf("%5.1fs  %s %s", elapsed.Seconds(), prose.Plain(r.ID.Suite), oneLine(r.ID.Test)))
	}
	return lines
}

func oneLine(text string) string { return strings.ReplaceAll(prose.Plain(text), "\n", " ") }

// firstWide is the first character that takes, or might take, two columns: East Asian
// ones and pictures, see Unicode Standard Annex 11.
const firstWide = 0x1100

// cut shortens a line to a number of columns. A character that might be wide counts as
// wide: cutting too early does no harm.
func cut(line string, columns int) string {
	used, end := 0, 0 // end is where the mark of a cut would still fit
	for i, r := range line {
		if used < columns {
			end = i
		}
		used++
		if r >= firstWide {
			used++
		}
		if used > columns {
			return line[:end] + "…"
		}
	}
	return line
}

// indexing is the work of an index: this many suites, in at most this many seconds.
type indexing struct {
	suites int
	budget float64
}

// awaits turns the status into that of an index.
func (s *status) awaits(x indexing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index = x
}

// lines returns the status of an index. Test events come from a suite that runs
// together; while each test runs alone, the last of them has no end yet. So suites are
// shown, and no test looks as if it hung.
func (x indexing) lines(p sdk.Progress, elapsed time.Duration) []string {
	first := fmt.Sprintf("%5.1fs of at most %gs  suites done: %d of %d", elapsed.Seconds(), x.budget, p.SuitesDone, x.suites)
	var running []string
	for _, r := range p.Running {
		if suite := r.ID.Suite; !slices.Contains(running, suite) {
			running = append(running, suite)
		}
	}
	if len(running) == 0 && p.SuitesDone >= x.suites {
		return []string{first + ": keeping what was measured"}
	}
	if len(running) == 0 {
		return []string{first + ", no test is running: building"}
	}
	lines := []string{first}
	for _, suite := range running[:min(len(running), maxRunningLines)] {
		lines = append(lines, "        "+prose.Line(suite)+": its tests run together, then one by one")
	}
	return lines
}
