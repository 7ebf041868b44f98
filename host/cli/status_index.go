package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/proctorhq/proctor/host/prose"
	"github.com/proctorhq/proctor/sdk"
)

// indexing is what an index has to do: so many suites, in so many seconds at most.
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

// lines are the status of an index. The tests that are heard of are those of a suite
// that run together; while each runs alone, the last of them has not been heard to end.
// So suites are shown, and no test looks as if it hung.
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
