package parse

import (
	"strings"

	"github.com/proctorhq/proctor/sdk"
)

// Words at the start of a dump.
const (
	timedOut      = "panic: test timed out after "
	killedByGo    = "*** Test killed"
	timeoutByHost = "still running when time ran out"
)

func (c *crash) isTimeout() bool {
	return len(c.head) > 0 && strings.HasPrefix(c.head[0], timedOut)
}

// explainTimeout reports every test that was running at the timeout. They stay
// unfinished: how they would have ended is unknown.
func (a *attributor) explainTimeout(s *suite, c *crash) {
	message := timeoutByHost
	if c.isTimeout() {
		message = strings.TrimPrefix(c.head[0], "panic: ")
	} else if last := s.lastExit(); strings.HasPrefix(last, killedByGo) {
		message = strings.Trim(last, "* ")
	}
	a.reportRunning(s, c, sdk.KindTimeout, message)
}

// reportRunning reports one failure for each running test.
func (a *attributor) reportRunning(s *suite, c *crash, kind, message string) {
	used := map[int]bool{}
	names := runningLeaves(s, c)
	for _, name := range names {
		g := c.goroutineOf(s.name, name, used)
		f := crashFinding(a.tree, s, c, g, name)
		f.kind, f.message, f.blockedOn = kind, message, g.blockedOn()
		if c.under != name && c.under != "" {
			f.derivedFrom = []sdk.TestID{s.id(c.under)}
		}
		if t := s.tests[name]; t != nil {
			a.examiner.attach(s, t, &f)
		}
		s.anyFailed = true
		a.reportOnce(s, name, f)
	}
	if len(names) == 0 {
		f := crashFinding(a.tree, s, c, c.first(), "")
		f.kind, f.message = kind, message
		a.report(a.newFailure(s.id(""), f))
	}
}

// blockedOn returns what a goroutine waits for, in the runtime's words, or "" if it
// runs or could run.
func (g goroutine) blockedOn() string {
	reason, _, _ := strings.Cut(g.state, ",")
	if reason == "running" || reason == "runnable" || reason == "syscall" {
		return ""
	}
	return g.state
}

// runningLeaves returns the innermost tests of the runner's own list, or if it printed
// none, those running according to the events.
func runningLeaves(s *suite, c *crash) []string {
	var names []string
	if c != nil && len(c.running) > 0 {
		listed := map[string]bool{}
		for _, name := range c.running {
			for i := range len(name) {
				if name[i] == '/' {
					listed[name[:i]] = true
				}
			}
		}
		for _, name := range c.running {
			if !listed[name] {
				names = append(names, name)
			}
		}
		return names
	}
	for _, t := range s.leaves() {
		names = append(names, t.name)
	}
	return names
}

// goroutineOf finds the goroutine that runs a test. Subtests that share a function take
// its goroutines in turn.
func (c *crash) goroutineOf(suiteName, name string, used map[int]bool) goroutine {
	wantDepth := strings.Count(name, "/")
	best, bestScore := -1, 0
	for i := range c.goroutines {
		g := &c.goroutines[i]
		top, depth := g.testRoot(suiteName)
		method := g.callsMethod(name)
		if top != rootOf(name) && !method || used[i] {
			continue
		}
		score := 1
		if g.runner {
			score += 4
		}
		if !g.waits {
			score += 8
		}
		if (depth > 0) == (wantDepth > 0) {
			score += 2
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	if best < 0 {
		return goroutine{}
	}
	used[best] = true
	return c.goroutines[best]
}
