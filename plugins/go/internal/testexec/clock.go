package testexec

import (
	"fmt"
	"os"
	"time"
)

// clock knows how much time a measurement has.
type clock struct {
	// deadline is when it must be over; zero means never.
	deadline time.Time
	// budget is how much longer the tests may take one by one than together; 0 means no
	// limit.
	budget time.Duration
}

// readClock determines when a measurement must be over. The table is written right
// before the go command starts, so its time marks the beginning.
func readClock(tablePath string, m Measure) (clock, error) {
	c := clock{budget: time.Duration(m.BudgetMillis) * time.Millisecond}
	if m.DeadlineMillis <= 0 {
		return c, nil
	}
	info, err := os.Stat(tablePath)
	if err != nil {
		return c, err
	}
	c.deadline = info.ModTime().Add(time.Duration(m.DeadlineMillis) * time.Millisecond)
	return c, nil
}

// left returns how much time there is, at most most; a most of 0 means no limit. It is
// negative if time is up, and 0 if there is no limit.
func (c clock) left(most time.Duration) time.Duration {
	if c.deadline.IsZero() {
		return most
	}
	left := time.Until(c.deadline)
	switch {
	case left <= 0:
		return -1
	case most > 0:
		return min(most, left)
	}
	return left
}

// leastShare is the least time that the tests of a package may take together, if twice
// as much is left.
const leastShare = 2 * time.Minute

// share returns how long the tests of a package may take together if this many packages
// are not measured yet: one that hangs must not take the time of the others, nor that
// for running its own other tests one by one. 0 means no limit, and negative that time
// is up.
func (c clock) share(packages int) time.Duration {
	left := c.left(0)
	if left <= 0 {
		return left
	}
	return max(left/time.Duration(packages+1), min(leastShare, left/2))
}

// startsTooSlow says why tests are not measured one by one: starting the binary for each of
// them takes too long. cut reports whether a later deadline would help.
func (c clock) startsTooSlow(start time.Duration, tests int, together time.Duration) (why string, cut bool) {
	all := start * time.Duration(tests)
	if c.budget > 0 && all > c.budget+together {
		return fmt.Sprintf("its start takes %s, for each of %d tests: over the budget of %s", roundTime(start), tests, c.budget), false
	}
	if left := c.left(0); left != 0 && all > left {
		return fmt.Sprintf("its start takes %s, for each of %d tests: more than the time that was left", roundTime(start), tests), true
	}
	return "", false
}

// overBudget says why measuring stops after done of the tests.
func (c clock) overBudget(spent, together time.Duration, done, tests int) string {
	if c.left(0) < 0 {
		return fmt.Sprintf("the time budget was exhausted after %d of %d tests", done, tests)
	}
	if c.budget > 0 && spent > c.budget+together {
		return fmt.Sprintf("its tests take too long one by one: the budget of %s was exhausted after %d of %d tests", c.budget, done, tests)
	}
	return ""
}

// roundTime rounds a time for readers.
func roundTime(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(10 * time.Millisecond)
}
